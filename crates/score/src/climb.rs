//! One climb: from an equivalence class to one that no move improves.
//!
//! From nothing it goes in phases as GIES does: edges in, edges out, edges turned, until no phase gains; and
//! at first against nothing that it is led by. From a graph, the best move of all three kinds comes first.

use std::collections::HashSet;

use fedcdi_core::{Cpdag, Dag, Knowledge, VarId};

use crate::choose::{Look, look, promise};
use crate::engine::Engine;
use crate::moves::{Operator, Phase, moves};
use crate::wanted::Wanted;

const IN_TURN: &[&[Phase]] = &[&[Phase::Forward], &[Phase::Backward], &[Phase::Turning]];
const AT_ONCE: &[&[Phase]] = &[&[Phase::Forward, Phase::Backward, Phase::Turning]];

/// What moves may not break.
pub(crate) struct Rules<'a> {
    pub(crate) knowledge: &'a Knowledge,
    pub(crate) max_parents: usize,
    /// An edge, from cause to effect, that has to stay.
    pub(crate) fixed: Option<(VarId, VarId)>,
}

impl Rules<'_> {
    /// Whether two variables can be told apart: by interventions, or because something is known or fixed
    /// beforehand, which is about directions, and which classes would forget.
    fn separated<'a>(&'a self, engine: &'a Engine) -> impl Fn(VarId, VarId) -> bool + use<'a> {
        let is_open = self.knowledge.is_none() && self.fixed.is_none();
        move |a, b| !is_open || engine.known.is_separated(a, b)
    }

    fn allow(&self, operator: &Operator) -> bool {
        let (cause, effect) = (operator.cause, operator.effect);
        let allows = self.knowledge.allows(cause, effect);
        let requires = |cause, effect| {
            self.knowledge.is_required(cause, effect) || self.fixed == Some((cause, effect))
        };
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
    /// A score that it has to promise, or it is given up.
    bar: Option<f64>,
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
            bar: None,
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

    /// Given up once no moves promise this score.
    pub(crate) fn above(self, bar: f64) -> Self {
        Self {
            bar: Some(bar),
            ..self
        }
    }

    /// Whether all that gains together stays below what is asked of it.
    fn is_in_vain(&self, engine: &mut Engine, moves: &[Operator]) -> bool {
        let Some(bar) = self.bar else {
            return false;
        };
        let families = self
            .dag
            .vars()
            .map(|var| (var, self.dag.parents(var).clone()));
        let score: Option<f64> = families.map(|family| engine.exact(&family)).sum();
        score.is_some_and(|score| score + promise(engine, moves) < bar)
    }

    pub(crate) fn dag(&self) -> &Dag {
        &self.dag
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Goes on until something has to be asked, or nothing gains any more. Then it wants nothing.
    pub(crate) fn go_on(&mut self, rules: &Rules<'_>, engine: &mut Engine) -> Wanted {
        while !self.has_ended {
            let wanted = self.step(rules, engine);
            if !wanted.is_empty() {
                return wanted;
            }
        }
        Wanted::default()
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
    fn step(&mut self, rules: &Rules<'_>, engine: &mut Engine) -> Wanted {
        let moves = self.all_moves(rules);
        if self.is_in_vain(engine, &moves) {
            self.has_ended = true;
            return Wanted::default();
        }
        match look(engine, &moves) {
            Look::Ask(agenda) => {
                let wanted = engine.plan(&agenda);
                self.moves = Some(moves);
                self.n_settled = if wanted.is_empty() {
                    self.n_settled + 1
                } else {
                    0
                };
                // What was open may be settled without a question; if it is not, nothing will.
                if self.n_settled > 2 {
                    self.n_settled = 0;
                    self.end_phase();
                }
                return wanted;
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
        Wanted::default()
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
