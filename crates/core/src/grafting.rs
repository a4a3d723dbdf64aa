//! Edges that counted rows show although learning does not believe in them.
//!
//! Ours, the counterpart of [`Pruning`]. A sparsity penalty per edge asks every edge
//! for the same gain per row, whatever the number of rows and categories: an edge from a rare cause
//! gains less and is never learned, though a test on all rows is sure of it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::belief::Belief;
use crate::edge_test::{EdgeTest, Pruning, TestedGraph};
use crate::params::ParamsError;
use crate::variable::VarId;

/// Which unconnected pairs become edges because counted rows show that they depend on each other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grafting {
    /// None.
    Never,
    /// Those whose effect depends on the cause given its parents; by chance this happens to any pair
    /// of a graph with at most this probability (Bonferroni); > 0, below 1.
    Dependence(f64),
}

impl Grafting {
    /// One graph in twenty gets a false edge.
    pub const USUAL: Self = Self::Dependence(0.05);

    /// Existence logit of an edge that was added: a probability of 0.95.
    pub const EXISTENCE: f64 = 2.94;

    /// Chance up to which the pair must depend given the other side's parents.
    const SECOND_LOOK: f64 = 0.01;

    /// The edges that come in, of each effect the surest. `tests` are of pairs that `belief` leaves
    /// unconnected, each in both directions: given the parents of its effect.
    ///
    /// A pair enters in the direction that is believed in. Two variables without an edge are
    /// independent given the parents of the one that is no ancestor of the other, so both tests must
    /// speak for the pair: one alone is misled by a wrong parent, or by a direction that is. Against
    /// the arrows of the graph none enters, nor one that would close a cycle with surer ones. What
    /// `pruning` would take back does not come in.
    pub fn surest(
        self,
        pruning: Pruning,
        belief: &Belief,
        tests: impl IntoIterator<Item = EdgeTest>,
        allows: impl Fn(VarId, VarId) -> bool,
    ) -> BTreeSet<(VarId, VarId)> {
        let tests = tests.into_iter().map(|test| (test.edge(), test));
        let tests: BTreeMap<(VarId, VarId), EdgeTest> = tests.collect();
        let graph = TestedGraph::of(belief);
        let enters = |test: &&EdgeTest| {
            let (cause, effect) = test.edge();
            let back = tests.get(&(effect, cause));
            belief.orientation()[(cause.0, effect.0)] > 0.0
                && allows(cause, effect)
                && !pruning.takes(test)
                && self.is_shown(test, belief.n_vars())
                && back.is_some_and(|back| back.chance() <= Self::SECOND_LOOK)
                && !graph.has_path(effect, cause)
        };
        let mut surest: BTreeMap<VarId, &EdgeTest> = BTreeMap::new();
        for test in tests.values().filter(enters) {
            let best = surest.entry(test.effect).or_insert(test);
            if test.deviations() > best.deviations() {
                *best = test;
            }
        }
        let mut surest: Vec<&EdgeTest> = surest.into_values().collect();
        surest.sort_by(|a, b| b.deviations().total_cmp(&a.deviations()));
        let mut new = BTreeSet::new();
        for (cause, effect) in surest.iter().map(|test| test.edge()) {
            if !closes_a_cycle(&graph, &new, (cause, effect)) {
                new.insert((cause, effect));
            }
        }
        new
    }

    /// Whether the test says more than chance would to any of the pairs. It must also exceed what
    /// [`Pruning::USUAL`] takes back: with many degrees of freedom that asks for more, and an edge
    /// must not come in to go again.
    fn is_shown(self, test: &EdgeTest, n_vars: usize) -> bool {
        let Self::Dependence(chance) = self else {
            return false;
        };
        let n_pairs = (n_vars * n_vars.saturating_sub(1) / 2).max(1);
        !Pruning::USUAL.takes(test) && test.chance() * n_pairs as f64 <= chance
    }

    /// Whether the setting is in range.
    ///
    /// # Errors
    /// [`ParamsError`] naming `field` if it is not.
    pub fn check(self, field: &'static str) -> Result<(), ParamsError> {
        match self {
            Self::Never => Ok(()),
            Self::Dependence(chance) => {
                let fine = chance > 0.0 && chance < 1.0;
                ParamsError::require(field, chance, "> 0 and below 1", fine)
            }
        }
    }
}

/// Whether there is a way from the effect back to the cause, over edges of the graph and new ones.
fn closes_a_cycle(
    graph: &TestedGraph,
    new: &BTreeSet<(VarId, VarId)>,
    (cause, effect): (VarId, VarId),
) -> bool {
    let mut ends = vec![effect];
    let mut unused: Vec<_> = new.iter().collect();
    while let Some(end) = ends.pop() {
        if graph.has_path(end, cause) {
            return true;
        }
        unused.retain(|(from, to)| {
            let leads_on = graph.has_path(end, *from);
            if leads_on {
                ends.push(*to);
            }
            !leads_on
        });
    }
    false
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;

    fn test(cause: usize, effect: usize, statistic: f64, degrees: f64) -> EdgeTest {
        EdgeTest {
            cause: VarId(cause),
            effect: VarId(effect),
            statistic,
            degrees,
        }
    }

    /// Edge 0 -> 1, all pairs believed to point from the lower number to the higher.
    fn belief(n_vars: usize) -> Belief {
        let direction = |(i, j): (usize, usize)| j as f64 - i as f64;
        let mut existence = Array2::from_elem((n_vars, n_vars), -4.0);
        existence[(0, 1)] = 4.0;
        Belief::new(
            existence,
            Array2::from_shape_fn((n_vars, n_vars), direction),
        )
        .unwrap()
    }

    fn added(belief: &Belief, tests: &[EdgeTest]) -> Vec<(usize, usize)> {
        let edges =
            Grafting::USUAL.surest(Pruning::USUAL, belief, tests.iter().copied(), |_, _| true);
        edges.into_iter().map(|(c, e)| (c.0, e.0)).collect()
    }

    #[test]
    fn more_pairs_ask_for_more_evidence() {
        // P(chi-square with one degree > 14) = 1.8e-4: below 0.05 / 28, above 0.05 / 666.
        let tests = [test(1, 2, 14.0, 1.0), test(2, 1, 14.0, 1.0)];
        assert_eq!(added(&belief(8), &tests), [(1, 2)]);
        assert!(added(&belief(37), &tests).is_empty());
        let never = Grafting::Never.surest(Pruning::USUAL, &belief(8), tests, |_, _| true);
        assert!(never.is_empty());
    }

    #[test]
    fn both_sides_must_speak_for_a_pair() {
        assert!(added(&belief(8), &[test(1, 2, 90.0, 1.0)]).is_empty());
        let independent = [test(1, 2, 90.0, 1.0), test(2, 1, 3.0, 1.0)];
        assert!(added(&belief(8), &independent).is_empty());
    }

    #[test]
    fn the_surest_of_an_effect_enters_and_forbidden_ones_never() {
        let pair = |c, g| [test(c, 3, g, 1.0), test(3, c, g, 1.0)];
        let tests = [pair(1, 40.0), pair(2, 60.0)].concat();
        assert_eq!(added(&belief(8), &tests), [(2, 3)]);
        let allows = |cause: VarId, _| cause != VarId(2);
        let allowed = Grafting::USUAL.surest(Pruning::USUAL, &belief(8), tests, allows);
        assert_eq!(allowed, [(VarId(1), VarId(3))].into());
    }

    #[test]
    fn nothing_enters_against_the_arrows() {
        // 0 -> 1 -> 2, and the unconnected pair of 0 and 2 believed to point from 2 to 0.
        let (mut existence, mut orientation) = (
            belief(4).existence().clone(),
            belief(4).orientation().clone(),
        );
        existence[(1, 2)] = 4.0;
        orientation[(0, 2)] = -2.0;
        orientation[(2, 0)] = 2.0;
        let belief = Belief::new(existence, orientation).unwrap();
        let tests = [test(2, 0, 90.0, 1.0), test(0, 2, 90.0, 1.0)];
        assert!(added(&belief, &tests).is_empty());
    }

    #[test]
    fn no_edge_is_added_that_pruning_would_take_back() {
        // 4.7 deviations at 800 degrees: a chance of 5e-6, but not beyond five.
        let doubtful = test(1, 2, 988.0, 800.0);
        assert!(doubtful.chance() < 1e-5);
        assert!(!Grafting::USUAL.is_shown(&doubtful, 8));
        // 9.2 deviations: enough by default, not where the user asks for ten.
        let tests = [test(1, 2, 14.0, 1.0), test(2, 1, 14.0, 1.0)];
        let stricter = Pruning::Independence(10.0);
        assert!((Grafting::USUAL.surest(stricter, &belief(8), tests, |_, _| true)).is_empty());
    }

    #[test]
    fn two_that_would_close_a_cycle_do_not_enter_together() {
        // 0 -> 1 and 2 -> 3; 1 -> 2 and 3 -> 0 are both shown, the latter more surely.
        let (mut existence, mut orientation) = (
            belief(4).existence().clone(),
            belief(4).orientation().clone(),
        );
        existence[(2, 3)] = 4.0;
        orientation[(0, 3)] = -3.0;
        orientation[(3, 0)] = 3.0;
        let belief = Belief::new(existence, orientation).unwrap();
        let pair = |c, e, g| [test(c, e, g, 1.0), test(e, c, g, 1.0)];
        let tests = [pair(1, 2, 60.0), pair(3, 0, 90.0)].concat();
        assert_eq!(added(&belief, &tests), [(3, 0)]);
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        for chance in [0.0, 1.0, -0.1, f64::NAN] {
            assert!(Grafting::Dependence(chance).check("grafting").is_err());
        }
        assert!(Grafting::USUAL.check("grafting").is_ok());
    }
}
