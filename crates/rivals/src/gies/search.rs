//! The search: the best operator of a phase, again and again, until no phase gains.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use fedcdi_core::{Cpdag, Dag, VarId, VarSet};
use rayon::prelude::*;

use super::memo::Memo;
use super::operator::{Operator, Phase};
use super::state::State;
use super::{backward, forward, turning};
use crate::Ending;
use crate::registry::tell;
use fedcdi_learn::score::{LocalScore, score_of};
use fedcdi_learn::{Observer, Stage};

/// Smaller gains are rounding, and could send the search in circles.
pub(super) const LEAST_GAIN: f64 = 1e-3;

/// Milliseconds between two words to an observer about the same move.
const WORD_EVERY: u64 = 50;

/// What a search found.
pub(super) struct GiesFit {
    pub(super) class: Cpdag,
    /// One member of it.
    pub(super) dag: Dag,
    /// The member's score.
    pub(super) score: f64,
    /// By how much the score grew with every move from the empty graph.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests add them up"))]
    pub(super) gains: Vec<f64>,
    pub(super) ending: Ending,
}

/// Searches from the empty graph for the class with the best score, where the regimes have these
/// targets. Ties go to the operator whose cause, then effect, has the smallest id. The result is the
/// same at any number of threads.
pub(super) fn search(
    score: &dyn LocalScore,
    targets: &[VarSet],
    max_parents: usize,
    observer: Option<&dyn Observer>,
) -> GiesFit {
    let mut search = Search {
        class: Cpdag::of(&Dag::empty(score.n_vars())),
        memo: Memo::new(score),
        targets,
        max_parents,
        observer,
        gains: Vec::new(),
        visited: HashSet::new(),
    };
    search.visited.insert(search.class.clone());
    let ending = search.run();
    let dag = search.class.member(&[]);
    GiesFit {
        score: score_of(score, &dag),
        dag,
        class: search.class,
        gains: search.gains,
        ending,
    }
}

struct Search<'a> {
    class: Cpdag,
    memo: Memo<'a>,
    targets: &'a [VarSet],
    max_parents: usize,
    observer: Option<&'a dyn Observer>,
    gains: Vec<f64>,
    visited: HashSet<Cpdag>,
}

impl Search<'_> {
    fn run(&mut self) -> Ending {
        loop {
            let before = self.gains.len();
            for phase in [Phase::Forward, Phase::Backward, Phase::Turning] {
                if let Some(reason) = self.run_phase(phase) {
                    return reason;
                }
            }
            if self.gains.len() == before {
                return Ending::Converged;
            }
        }
    }

    /// Applies operators of one phase while they gain; returns why the whole search must end.
    fn run_phase(&mut self, phase: Phase) -> Option<Ending> {
        loop {
            let operators = self.operators(phase);
            self.fill(&operators);
            if self.observer.is_some_and(Observer::is_cancelled) {
                return Some(Ending::Cancelled);
            }
            let (operator, gain) = best(&operators, &self.memo)?;
            let class = operator.apply(&self.class, self.targets);
            if !self.visited.insert(class.clone()) {
                return Some(Ending::Revisited);
            }
            self.class = class;
            self.gains.push(gain);
        }
    }

    /// All valid operators of a phase, by cause, then effect.
    fn operators(&self, phase: Phase) -> Vec<Operator> {
        let state = State::new(&self.class, self.max_parents);
        let n_vars = state.n_vars();
        let of_pair = match phase {
            Phase::Forward => forward::operators,
            Phase::Backward => backward::operators,
            Phase::Turning => turning::operators,
        };
        let pairs = (0..n_vars * n_vars).filter(|pair| pair / n_vars != pair % n_vars);
        let pairs: Vec<usize> = pairs.collect();
        let of_pair = |pair: &usize| of_pair(&state, VarId(pair / n_vars), VarId(pair % n_vars));
        pairs
            .par_iter()
            .with_min_len(64)
            .flat_map_iter(of_pair)
            .collect()
    }

    /// Computes the local scores that the operators need; gives up early when cancelled.
    fn fill(&mut self, operators: &[Operator]) {
        let families = operators.iter().flat_map(Operator::families);
        let n_edges = self.class.directed().n_edges() + self.class.undirected_edges().count();
        let (observer, round) = (self.observer, self.gains.len());
        let (start, last) = (Instant::now(), AtomicU64::new(0));
        let is_due = || {
            let now = start.elapsed().as_millis() as u64;
            let before = last.load(Ordering::Relaxed);
            // Of several threads one has the word.
            now >= before + WORD_EVERY
                && last
                    .compare_exchange(before, now, Ordering::Relaxed, Ordering::Relaxed)
                    .is_ok()
        };
        self.memo.fill(families, &|done, total| {
            if done == 0 || is_due() {
                tell(observer, round, Stage::Search, (done, total), n_edges);
            }
            !observer.is_some_and(Observer::is_cancelled)
        });
    }
}

/// The first operator with the largest gain, if that is a gain at all.
fn best<'a>(operators: &'a [Operator], memo: &Memo<'_>) -> Option<(&'a Operator, f64)> {
    let gains = operators.iter().map(|o| (o, o.gain(memo)));
    let gains = gains.filter(|(_, gain)| *gain > LEAST_GAIN);
    gains.reduce(|best, next| if next.1 > best.1 { next } else { best })
}
