//! Greedy search over equivalence classes, by scores from sums.
//!
//! From nothing it goes in phases as GIES does: edges in, edges out, edges turned, until no phase gains; and
//! against nothing that interventions show ([`crate::leads`]). From there, or from a graph that it is given,
//! the best move of all three kinds comes first.
//!
//! A step of the search asks for as little as it needs: the families of the graph exactly, what their
//! slopes promise for all others, then fits of those moves that promise most. A move is made when no other
//! promises more; the search ends when no move can gain, even if forecasts are far too low.

use std::collections::HashSet;

use fedcdi_core::{Cpdag, Dag, Knowledge, VarId};
use ndarray::Array2;

use crate::ask::{Ask, Outline};
use crate::engine::{Agenda, Engine, Family, Worth, pairs};
use crate::known::Known;
use crate::leads::leads;
use crate::moves::{LEAST_GAIN, Operator, Phase, moves};
use crate::params::SearchParams;

/// Moves that are looked at together.
const TOGETHER: usize = 4;
/// Moves whose forecast is below this share of the best wait.
const WORTH_A_LOOK: f64 = 0.7;

/// A search for the graph with the best score. It asks for sums, and decides.
#[derive(Clone, Debug)]
pub struct Search {
    outline: Outline,
    knowledge: Knowledge,
    params: SearchParams,
    start: Option<Dag>,
    engine: Option<Engine>,
    class: Cpdag,
    /// A member of it.
    dag: Dag,
    visited: HashSet<Cpdag>,
    phase: usize,
    /// Agendas in a row that needed no question.
    n_settled: usize,
    /// Moves in a row of phases that gained nothing.
    idle: usize,
    n_moves: usize,
    /// `[cause, effect]`: edges that may be added or turned to at first.
    leads: Option<Vec<bool>>,
    /// Moves of the running phase, for the class as it is.
    moves: Option<Vec<Operator>>,
    has_ended: bool,
    n_questions: u32,
    ask: Option<Ask>,
}

/// What a search came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    /// The graph.
    pub dag: Dag,
    /// The graphs that the data cannot tell from it.
    pub class: Cpdag,
    /// Of every edge of the graph, in the order of [`Digraph::edges`](fedcdi_core::Digraph::edges): nats that the score loses without it.
    pub gains: Vec<f64>,
    /// The score, in nats.
    pub score: f64,
    /// `[cause, effect]`: nats that the score loses without the edge, or would gain with it, negative
    /// where it would lose; as far as the sums tell.
    pub nats: Array2<f64>,
    /// Moves from the start.
    pub n_moves: usize,
}

/// The phases from nothing, and from a graph.
const IN_TURN: [&[Phase]; 3] = [&[Phase::Forward], &[Phase::Backward], &[Phase::Turning]];
const AT_ONCE: [&[Phase]; 1] = [&[Phase::Forward, Phase::Backward, Phase::Turning]];

impl Search {
    /// A search that starts from this graph, or from none.
    pub fn new(
        outline: Outline,
        knowledge: Knowledge,
        params: SearchParams,
        start: Option<Dag>,
    ) -> Self {
        Self {
            class: Cpdag::of(&Dag::empty(outline.n_vars())),
            dag: start
                .clone()
                .unwrap_or_else(|| Dag::empty(outline.n_vars())),
            outline,
            knowledge,
            params,
            start,
            engine: None,
            visited: HashSet::new(),
            phase: 0,
            idle: 0,
            n_settled: 0,
            n_moves: 0,
            leads: None,
            moves: None,
            has_ended: false,
            n_questions: 0,
            ask: Some(Ask::Begin),
        }
    }

    /// What it asks now; nothing once it has ended.
    pub fn ask(&self) -> Option<&Ask> {
        self.ask.as_ref()
    }

    /// Moves so far.
    pub fn n_moves(&self) -> usize {
        self.n_moves
    }

    /// The graph that it has come to so far.
    pub fn dag(&self) -> &Dag {
        &self.dag
    }

    /// Edges so far.
    pub fn n_edges(&self) -> usize {
        self.class.directed().n_edges() + self.class.undirected_edges().count()
    }

    /// Takes the sums over all sites to what it asks.
    pub fn take(&mut self, sums: &[i64]) {
        let Some(asked) = self.ask.take() else {
            return;
        };
        self.n_questions += 1;
        match (asked, &mut self.engine) {
            (Ask::Begin, _) => {
                let known = Known::new(self.outline.clone(), sums);
                let has_reals = self.outline.reals().next().is_some();
                let next = has_reals.then(|| Ask::Moments(known.scales.clone()));
                self.engine = Some(Engine::unready(known, self.params));
                self.ask = next;
            }
            (Ask::Moments(_), Some(engine)) => engine.known.rescale(sums),
            (Ask::Sums(asked), Some(engine)) => engine.take(&asked, sums),
            (_, None) => {}
        }
        if self.ask.is_none() && self.n_questions < self.params.questions {
            self.ask = self.go_on();
        }
    }

    /// Goes on until something has to be asked.
    fn go_on(&mut self) -> Option<Ask> {
        let engine = self.engine.as_mut()?;
        if !engine.is_ready() {
            if let Some(next) = pairs(&engine.known) {
                return Some(Ask::Sums(next));
            }
            engine.make_ready();
            self.begin();
        }
        while !self.has_ended {
            if let Some(ask) = self.step() {
                return Some(ask);
            }
        }
        self.last_look()
    }

    fn is_separated(&self) -> impl Fn(VarId, VarId) -> bool + use<'_> {
        // What is known beforehand is about directions: classes would forget it.
        let is_open = self.knowledge.is_none();
        let engine = self.engine.as_ref();
        move |a, b| !is_open || engine.is_some_and(|engine| engine.known.is_separated(a, b))
    }

    fn begin(&mut self) {
        let required = self.knowledge.required();
        let start = match &self.start {
            Some(start) => start.clone(),
            None => required.clone(),
        };
        self.class = Cpdag::separated(&start, self.is_separated());
        self.dag = self.class.member(&[]);
        self.visited.insert(self.class.clone());
        if self.start.is_none() {
            self.leads = self.engine.as_ref().map(|engine| leads(&engine.known));
        }
    }

    fn phases(&self) -> &'static [&'static [Phase]] {
        match self.start {
            Some(_) => &AT_ONCE,
            None if self.leads.is_some() => &IN_TURN,
            None => &AT_ONCE,
        }
    }

    fn set_moves(&mut self) -> Vec<Operator> {
        if let Some(moves) = self.moves.take() {
            return moves;
        }
        let phases = self.phases()[self.phase];
        let all = phases
            .iter()
            .flat_map(|phase| moves(&self.class, self.params.max_parents, *phase));
        let knowledge = &self.knowledge;
        let n_vars = self.outline.n_vars();
        let leads = |cause: VarId, effect: VarId| {
            let leads = self.leads.as_ref();
            leads.is_none_or(|leads| leads[cause.index() * n_vars + effect.index()])
        };
        let is_allowed = |operator: &Operator| {
            let (cause, effect) = (operator.cause, operator.effect);
            if operator.phase != Phase::Backward && !leads(cause, effect) {
                return false;
            }
            match operator.phase {
                Phase::Forward => knowledge.allows(cause, effect),
                Phase::Backward => !knowledge.is_required(cause, effect),
                Phase::Turning => {
                    knowledge.allows(cause, effect) && !knowledge.is_required(effect, cause)
                }
            }
        };
        all.filter(is_allowed).collect()
    }

    /// Makes a move or ends a phase, unless something has to be asked first.
    fn step(&mut self) -> Option<Ask> {
        let moves = self.set_moves();
        let asked = self.look(&moves);
        match asked {
            Look::Ask(agenda) => {
                let engine = self.engine.as_mut().expect("the search has begun");
                let ask = engine.ask(agenda);
                self.moves = Some(moves);
                self.n_settled = if ask.is_some() { 0 } else { self.n_settled + 1 };
                // What was open may be settled without a question; if it is not, nothing will.
                if self.n_settled > 2 {
                    self.n_settled = 0;
                    self.end_phase();
                }
                ask
            }
            Look::Move(at) => {
                let class = moves[at].apply(&self.class, self.is_separated());
                if self.visited.insert(class.clone()) {
                    self.class = class;
                    self.dag = self.class.member(&[]);
                    self.n_moves += 1;
                    self.idle = 0;
                } else {
                    self.has_ended = true;
                }
                None
            }
            Look::Nothing => {
                self.end_phase();
                None
            }
        }
    }

    fn end_phase(&mut self) {
        self.moves = None;
        self.idle += 1;
        self.phase = (self.phase + 1) % self.phases().len();
        // A phase is tried again after any move of another one.
        if self.idle >= self.phases().len() {
            self.has_ended = self.leads.take().is_none();
            (self.phase, self.idle) = (0, 0);
        }
    }

    /// What is to be done about these moves.
    fn look(&mut self, moves: &[Operator]) -> Look {
        let engine = self.engine.as_mut().expect("the search has begun");
        let mut agenda = Agenda::default();
        for family in moves.iter().flat_map(|operator| &operator.old) {
            if engine.exact(family).is_none() {
                agenda.fits.insert(family.clone(), f64::NEG_INFINITY);
            }
        }
        if !agenda.is_empty() {
            return Look::Ask(agenda);
        }
        for operator in moves {
            for new in &operator.new {
                if engine.exact(new).is_none() && engine.wants_table(new) {
                    agenda.tables.insert(new.clone());
                }
            }
        }
        if !agenda.is_empty() {
            return Look::Ask(agenda);
        }
        for operator in moves {
            let (_, most, is_exact) = prospects(engine, operator);
            if is_exact || most <= LEAST_GAIN {
                continue;
            }
            for (new, old) in operator.new.iter().zip(&operator.old) {
                if engine.exact(new).is_none() && engine.wants_outlook(old) {
                    agenda.outlooks.insert(old.clone());
                }
            }
        }
        if !agenda.is_empty() {
            return Look::Ask(agenda);
        }
        let looks: Vec<(f64, f64, bool)> = moves.iter().map(|o| prospects(engine, o)).collect();
        choose(engine, moves, &looks)
    }

    /// After the last move: what every edge is worth.
    fn last_look(&mut self) -> Option<Ask> {
        let dag = &self.dag;
        let engine = self.engine.as_mut()?;
        let mut agenda = Agenda::default();
        for effect in dag.vars() {
            let family: Family = (effect, dag.parents(effect).clone());
            if engine.exact(&family).is_none() {
                agenda.fits.insert(family.clone(), f64::NEG_INFINITY);
            } else if !family.1.is_empty() && engine.wants_outlook(&family) {
                agenda.outlooks.insert(family.clone());
            }
        }
        if agenda.is_empty() {
            for (cause, effect) in dag.edges() {
                let fewer = (effect, dag.parents(effect).without(cause));
                if self.outline.is_real(effect) && engine.exact(&fewer).is_none() {
                    agenda.fits.insert(fewer, f64::NEG_INFINITY);
                }
            }
        }
        if agenda.is_empty() {
            None
        } else {
            engine.ask(agenda)
        }
    }

    /// What it has come to so far.
    pub fn found(&self) -> Scored {
        let dag = self.dag.clone();
        let class = match &self.engine {
            Some(engine) => Cpdag::separated(&dag, |a, b| engine.known.is_separated(a, b)),
            None => self.class.clone(),
        };
        let n_vars = self.outline.n_vars();
        let mut nats = Array2::zeros((n_vars, n_vars));
        let mut score = 0.0;
        if let Some(mut engine) = self.engine.clone().filter(Engine::is_ready) {
            for effect in dag.vars() {
                let family: Family = (effect, dag.parents(effect).clone());
                let own = engine.exact(&family).unwrap_or(f64::NAN);
                score += own;
                for cause in dag.vars().filter(|cause| *cause != effect) {
                    nats[(cause.0, effect.0)] = worth_of(&mut engine, &family, cause, own);
                }
            }
        }
        Scored {
            gains: dag.edges().map(|(c, e)| nats[(c.0, e.0)]).collect(),
            class,
            score,
            nats,
            n_moves: self.n_moves,
            dag,
        }
    }
}

/// What an edge is worth: what the score loses without it, or would gain with it; 0 if nobody knows.
fn worth_of(engine: &mut Engine, family: &Family, cause: VarId, own: f64) -> f64 {
    let (effect, parents) = family;
    let nats = if parents.contains(cause) {
        own - engine
            .worth(&(*effect, parents.without(cause)), family)
            .guess
    } else {
        engine.worth(&(*effect, parents.with(cause)), family).guess - own
    };
    if nats.is_finite() { nats } else { 0.0 }
}

/// What to do next.
enum Look {
    Ask(Agenda),
    /// This one.
    Move(usize),
    Nothing,
}

/// What a move gains: the best guess, what it hardly exceeds, and whether that is exact.
fn prospects(engine: &mut Engine, operator: &Operator) -> (f64, f64, bool) {
    let (mut guess, mut most, mut is_exact) = (0.0, 0.0, true);
    for (new, old) in operator.new.iter().zip(&operator.old) {
        let before = engine
            .exact(old)
            .expect("the families of the graph are known");
        let worth: Worth = engine.worth(new, old);
        guess += worth.guess - before;
        most += worth.most - before;
        is_exact &= worth.is_exact;
    }
    (guess, most, is_exact)
}

fn choose(engine: &mut Engine, moves: &[Operator], looks: &[(f64, f64, bool)]) -> Look {
    let exact = (0..moves.len()).filter(|at| looks[*at].2 && looks[*at].0 > LEAST_GAIN);
    let best = exact.reduce(|best, next| {
        if looks[next].0 > looks[best].0 {
            next
        } else {
            best
        }
    });
    let bar = best.map_or(LEAST_GAIN, |best| looks[best].0);
    let open = |at: &usize| !looks[*at].2;
    let mut promising: Vec<usize> = (0..moves.len())
        .filter(open)
        .filter(|at| looks[*at].0 > WORTH_A_LOOK * bar && looks[*at].1 > bar)
        .collect();
    promising.sort_by(|a, b| looks[*b].0.total_cmp(&looks[*a].0));
    if let Some(first) = promising.first() {
        let least = WORTH_A_LOOK * looks[*first].0;
        let mut seen = HashSet::new();
        promising.retain(|at| looks[*at].0 >= least && seen.insert(moves[*at].effect));
        promising.truncate(TOGETHER);
    } else if best.is_none() {
        // Nothing gains by our best guess. Is a guess too low?
        promising = (0..moves.len())
            .filter(open)
            .filter(|at| looks[*at].1 > bar)
            .collect();
    }
    match best {
        Some(best) if promising.is_empty() => Look::Move(best),
        None if promising.is_empty() => Look::Nothing,
        _ => {
            let mut agenda = Agenda::default();
            for at in promising {
                pursue(engine, &moves[at], bar, &mut agenda);
            }
            Look::Ask(agenda)
        }
    }
}

/// Asks for what a move is worth, as long as it may gain more than `bar`.
fn pursue(engine: &mut Engine, operator: &Operator, bar: f64, agenda: &mut Agenda) {
    let mut worths: Vec<(Worth, f64)> = Vec::new();
    for (new, old) in operator.new.iter().zip(&operator.old) {
        let before = engine
            .exact(old)
            .expect("the families of the graph are known");
        worths.push((engine.worth(new, old), before));
    }
    let total: f64 = worths
        .iter()
        .map(|(worth, before)| worth.most - before)
        .sum();
    for (new, (worth, _)) in operator.new.iter().zip(&worths) {
        if worth.is_exact {
            continue;
        }
        // The family must have at least this score if all else goes as well as it can.
        let needed = bar - (total - worth.most);
        let needed = if needed.is_nan() {
            f64::NEG_INFINITY
        } else {
            needed
        };
        let threshold = agenda.fits.entry(new.clone()).or_insert(needed);
        *threshold = threshold.min(needed);
    }
}
