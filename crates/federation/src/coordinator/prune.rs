//! Taking back edges that the clients' counted rows do not show.
//!
//! Ours. Learning lets some false edges of skewed tables go slowly or never. Every client tests
//! the edges of the belief it is sent ([`fedcdi_core::edge_test`]); the tests of one edge are added
//! over clients. Per effect and round at most one edge goes, the weakest: of two causes that stand
//! for each other, either alone may be needed.
//!
//! An edge that goes is negated in the belief that is sent on, so it can be learned again, and is
//! then tested again; out of the result it stays until a later test speaks for it.

use std::collections::{BTreeMap, BTreeSet};

use fedcdi_core::{Belief, BeliefError, ClientReport, EdgeTest, Knowledge, Pruning, VarId};

/// Start and end of an edge.
pub(super) type Edge = (VarId, VarId);

/// Edges that their last test spoke against.
#[derive(Clone, Debug, Default)]
pub(super) struct Taken(BTreeSet<Edge>);

impl Taken {
    /// Counts the tests of a round, and gives the edges that go now.
    pub(super) fn judge(
        &mut self,
        pruning: Pruning,
        reports: &[ClientReport],
        knowledge: &Knowledge,
    ) -> BTreeSet<Edge> {
        let mut weakest: BTreeMap<VarId, EdgeTest> = BTreeMap::new();
        for test in pooled(reports) {
            if !pruning.takes(&test) || knowledge.is_required(test.cause, test.effect) {
                self.0.remove(&test.edge());
                continue;
            }
            let least = weakest.entry(test.effect).or_insert(test);
            if test.deviations() < least.deviations() {
                *least = test;
            }
        }
        let gone: BTreeSet<Edge> = weakest.values().map(EdgeTest::edge).collect();
        self.0.extend(&gone);
        gone
    }

    /// All edges that are to be out of the result.
    pub(super) fn edges(&self) -> &BTreeSet<Edge> {
        &self.0
    }
}

/// The tests of every edge, added over clients.
fn pooled(reports: &[ClientReport]) -> impl Iterator<Item = EdgeTest> {
    let mut sums: BTreeMap<Edge, EdgeTest> = BTreeMap::new();
    for test in reports.iter().flat_map(|report| &report.tests) {
        let sum = sums.entry(test.edge());
        sum.and_modify(|sum| *sum = sum.with(test)).or_insert(*test);
    }
    sums.into_values()
}

/// `belief` with the existence of these edges negated, where it is positive.
pub(super) fn without(belief: &Belief, edges: &BTreeSet<Edge>) -> Result<Belief, BeliefError> {
    let mut existence = belief.existence().clone();
    for (cause, effect) in edges {
        let logit = &mut existence[(cause.0, effect.0)];
        *logit = -logit.abs();
    }
    Belief::new(existence, belief.orientation().clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedcdi_core::{ClientId, Round, SampleCounts, Schema, SharedBelief, Variable};

    const LIMIT: Pruning = Pruning::Independence(5.0);

    fn test(cause: usize, effect: usize, statistic: f64) -> EdgeTest {
        EdgeTest {
            cause: VarId(cause),
            effect: VarId(effect),
            statistic,
            degrees: 8.0,
        }
    }

    fn report(client: u32, tests: &[EdgeTest]) -> ClientReport {
        let variables = (0..4).map(|v| Variable::with_codes(format!("v{v}"), 3));
        ClientReport {
            client: ClientId(client),
            round: Round::FIRST,
            schema: Schema::new(variables.collect()).unwrap().hash(),
            belief: SharedBelief::Logits(Belief::uninformed(4)),
            samples: SampleCounts {
                n_samples: 1,
                n_observational: 1,
                n_interventional: vec![0; 4],
            },
            tests: tests.to_vec(),
        }
    }

    fn edges<const N: usize>(pairs: [(usize, usize); N]) -> BTreeSet<Edge> {
        pairs.map(|(i, j)| (VarId(i), VarId(j))).into()
    }

    #[test]
    fn the_weakest_edge_of_each_effect_goes_by_sums_over_clients() {
        // Deviations are (G - 8) / 4 for one client, (G - 16) / sqrt 32 for two.
        let reports = [
            report(0, &[test(0, 2, 20.0), test(1, 2, 12.0), test(0, 3, 26.0)]),
            report(1, &[test(0, 3, 26.0)]),
        ];
        let knowledge = Knowledge::none(4);
        let mut taken = Taken::default();
        // 0 -> 2 has 3, 1 -> 2 has 1; 0 -> 3 has 4.5 at either client, 6.4 together.
        let gone = taken.judge(LIMIT, &reports, &knowledge);
        assert_eq!(gone, edges([(1, 2)]));
        let alone = Taken::default().judge(LIMIT, &reports[..1], &knowledge);
        assert_eq!(alone, edges([(0, 3), (1, 2)]));
        let never = Taken::default().judge(Pruning::Never, &reports, &knowledge);
        assert!(never.is_empty());
    }

    #[test]
    fn a_later_test_brings_an_edge_back() {
        let knowledge = Knowledge::none(4);
        let mut taken = Taken::default();
        taken.judge(LIMIT, &[report(0, &[test(0, 2, 9.0)])], &knowledge);
        taken.judge(LIMIT, &[report(0, &[test(1, 3, 9.0)])], &knowledge);
        assert_eq!(*taken.edges(), edges([(0, 2), (1, 3)]));
        taken.judge(LIMIT, &[report(0, &[test(0, 2, 90.0)])], &knowledge);
        assert_eq!(*taken.edges(), edges([(1, 3)]));
    }

    #[test]
    fn only_positive_existence_is_negated() {
        let mut existence = ndarray::Array2::zeros((2, 2));
        existence[(0, 1)] = 2.0;
        existence[(1, 0)] = -3.0;
        let belief = Belief::new(existence, ndarray::Array2::zeros((2, 2))).unwrap();
        let pruned = without(&belief, &edges([(0, 1), (1, 0)])).unwrap();
        assert_eq!(pruned.existence()[(0, 1)], -2.0);
        assert_eq!(pruned.existence()[(1, 0)], -3.0);
    }
}
