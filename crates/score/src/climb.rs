//! One climb: from an equivalence class to one that no move improves.
//!
//! From nothing it goes in phases as GIES does: edges in, edges out, edges turned, until no phase gains; and
//! at first against nothing that it is led by. From a graph, the best move of all three kinds comes first.

use std::collections::HashSet;

use fedcdi_core::{Cpdag, Dag, Knowledge, VarId};

use crate::ask::Ask;
use crate::choose::{Look, look};
use crate::engine::Engine;
use crate::moves::{Operator, Phase, moves};

const IN_TURN: &[&[Phase]] = &[&[Phase::Forward], &[Phase::Backward], &[Phase::Turning]];
const AT_ONCE: &[&[Phase]] = &[&[Phase::Forward, Phase::Backward, Phase::Turning]];

/// What moves may not break.
pub(crate) struct Rules<'a> {
    pub(crate) knowledge: &'a Knowledge,
    pub(crate) max_parents: usize,
}

impl Rules<'_> {
    /// Whether two variables can be told apart: by interventions, also by those of sites whose rows are not
    /// in the sums, or because something is known beforehand, which is about directions, and which classes
    /// would forget.
    fn separated<'a>(&'a self, engine: &'a Engine) -> impl Fn(VarId, VarId) -> bool + use<'a> {
        let is_open = self.knowledge.is_none();
        let may_be = |a, b| self.knowledge.allows(a, b) && self.knowledge.allows(b, a);
        move |a, b| !is_open || !may_be(a, b) || engine.known.is_separated(a, b)
    }

    fn allow(&self, operator: &Operator) -> bool {
        let (cause, effect) = (operator.cause, operator.effect);
        let (allows, requires) = (self.knowledge.allows(cause, effect), |cause, effect| {
            self.knowledge.is_required(cause, effect)
        });
        match operator.phase {
            Phase::Forward => allows,
            Phase::Backward => !requires(cause, effect),
            Phase::Turning => allows && !requires(effect, cause),
        }
    }
}

/// A climb on its way.
#[derive(Clone, Debug)]
pub(crate) struct Climb {
    class: Cpdag,
    /// A member of it.
    dag: Dag,
    visited: HashSet<Cpdag>,
    phases: &'static [&'static [Phase]],
    phase: usize,
    /// Phases in a row that gained nothing.
    idle: usize,
    /// Agendas in a row that needed no question.
    n_settled: usize,
    /// `[cause, effect]`: edges that may be added or turned to at first.
    leads: Option<Vec<bool>>,
    /// Moves of the running phase, for the class as it is.
    moves: Option<Vec<Operator>>,
    has_ended: bool,
}

impl Climb {
    /// From nothing but what knowledge requires.
    pub(crate) fn from_nothing(rules: &Rules<'_>, engine: &Engine, leads: Vec<bool>) -> Self {
        Self {
            phases: IN_TURN,
            leads: Some(leads),
            ..Self::from_graph(rules.knowledge.required(), rules, engine)
        }
    }

    /// From a graph.
    pub(crate) fn from_graph(dag: &Dag, rules: &Rules<'_>, engine: &Engine) -> Self {
        let class = Cpdag::separated(dag, rules.separated(engine));
        Self {
            dag: class.member(&[]),
            visited: HashSet::from([class.clone()]),
            class,
            phases: AT_ONCE,
            phase: 0,
            idle: 0,
            n_settled: 0,
            leads: None,
            moves: None,
            has_ended: false,
        }
    }

    /// With edges that may not be made before nothing else gains.
    pub(crate) fn without(self, edges: &[(VarId, VarId)]) -> Self {
        let n_vars = self.dag.n_vars();
        let mut leads = vec![true; n_vars * n_vars];
        for (cause, effect) in edges {
            leads[cause.index() * n_vars + effect.index()] = false;
        }
        Self {
            phases: IN_TURN,
            leads: Some(leads),
            ..self
        }
    }

    pub(crate) fn dag(&self) -> &Dag {
        &self.dag
    }

    /// Goes on until something has to be asked, or nothing gains any more.
    pub(crate) fn go_on(&mut self, rules: &Rules<'_>, engine: &mut Engine) -> Option<Ask> {
        while !self.has_ended {
            if let Some(ask) = self.step(rules, engine) {
                return Some(ask);
            }
        }
        None
    }

    fn all_moves(&mut self, rules: &Rules<'_>) -> Vec<Operator> {
        if let Some(moves) = self.moves.take() {
            return moves;
        }
        let n_vars = self.dag.n_vars();
        let leads = |operator: &Operator| {
            let at = operator.cause.index() * n_vars + operator.effect.index();
            let leads = self.leads.as_ref();
            operator.phase == Phase::Backward || leads.is_none_or(|leads| leads[at])
        };
        let phases = self.phases[self.phase].iter();
        let all = phases.flat_map(|phase| moves(&self.class, rules.max_parents, *phase));
        all.filter(|operator| leads(operator) && rules.allow(operator))
            .collect()
    }

    /// Makes a move or ends a phase, unless something has to be asked first.
    fn step(&mut self, rules: &Rules<'_>, engine: &mut Engine) -> Option<Ask> {
        let moves = self.all_moves(rules);
        match look(engine, &moves) {
            Look::Ask(agenda) => {
                let ask = engine.ask(agenda);
                self.moves = Some(moves);
                self.n_settled = if ask.is_some() { 0 } else { self.n_settled + 1 };
                // What was open may be settled without a question; if it is not, nothing will.
                if self.n_settled > 2 {
                    self.n_settled = 0;
                    self.end_phase();
                }
                return ask;
            }
            Look::Move(at) => {
                let class = moves[at].apply(&self.class, rules.separated(engine));
                if self.visited.insert(class.clone()) {
                    self.class = class;
                    self.dag = self.class.member(&[]);
                    self.idle = 0;
                } else {
                    self.has_ended = true;
                }
            }
            Look::Nothing => self.end_phase(),
        }
        None
    }

    fn end_phase(&mut self) {
        self.moves = None;
        self.idle += 1;
        self.phase = (self.phase + 1) % self.phases.len();
        // A phase is tried again after any move of another one.
        if self.idle >= self.phases.len() {
            self.has_ended = self.leads.take().is_none();
            (self.phases, self.phase, self.idle) = (AT_ONCE, 0, 0);
        }
    }
}
