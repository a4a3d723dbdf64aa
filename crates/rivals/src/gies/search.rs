//! The search: the best operator of a phase, again and again, until no phase gains.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use fedcdi_core::{Cpdag, Dag, VarId, VarSet};

use super::memo::Memo;
use crate::Ending;
use crate::registry::tell;
use fedcdi_learn::score::{LocalScore, score_of};
use fedcdi_learn::{Observer, Stage};
use fedcdi_score::moves::{LEAST_GAIN, Operator, Phase, moves};

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
            let operators = moves(&self.class, self.max_parents, phase);
            self.fill(&operators);
            if self.observer.is_some_and(Observer::is_cancelled) {
                return Some(Ending::Cancelled);
            }
            let (operator, gain) = best(&operators, &self.memo)?;
            let class = operator.apply(&self.class, separated_by(self.targets));
            if !self.visited.insert(class.clone()) {
                return Some(Ending::Revisited);
            }
            self.class = class;
            self.gains.push(gain);
        }
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
    let gains = operators
        .iter()
        .map(|o| (o, o.gain(|effect, parents| memo.get(effect, parents))));
    let gains = gains.filter(|(_, gain)| *gain > LEAST_GAIN);
    gains.reduce(|best, next| if next.1 > best.1 { next } else { best })
}

/// Whether an experiment set exactly one of two variables.
pub(super) fn separated_by(targets: &[VarSet]) -> impl Fn(VarId, VarId) -> bool {
    |a, b| targets.iter().any(|set| set.contains(a) != set.contains(b))
}
