//! Edges that the sites' tests overrule: taken back, or brought in.
//!
//! Ours. With skewed data, some false edges disappear slowly or never, and weak edges are never found.
//! Every site tests the edges of the belief it is sent, and the pairs without one
//! ([`fedcdi_core::edge_test`], [`fedcdi_core::grafting`]); the tests of one edge are added over sites.
//! Per effect and round at most one edge goes, the weakest: of two causes that stand for each other,
//! either alone may be needed. While the graph rests, at most one comes in, the surest.
//!
//! An edge that goes is negated in the next belief, so sites can learn it again; the result is without it
//! until a later test supports it. An edge that came in stays while its own test supports it.

use std::collections::{BTreeMap, BTreeSet};

use fedcdi_core::{Belief, EdgeTest, Grafting, Knowledge, Pruning, TestedGraph, VarId};

/// Edges by cause and effect.
type Edges = BTreeSet<(VarId, VarId)>;

/// What tests may change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits<'a> {
    pub(super) pruning: Pruning,
    /// Never, while the graph moves.
    pub(super) grafting: Grafting,
    pub(super) knowledge: &'a Knowledge,
}

/// Edges by what their last test said.
#[derive(Clone, Debug, Default)]
pub(super) struct Verdicts {
    taken: Edges,
    grafted: Edges,
}

/// What the tests of one round changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// Edges that go.
    pub(super) gone: Edges,
    /// Edges that come in.
    pub(super) new: Edges,
}

impl Verdicts {
    /// Counts the tests of a round, summed over sites, on the belief that was sent.
    pub(super) fn judge(
        &mut self,
        limits: &Limits<'_>,
        sent: &Belief,
        tests: Vec<EdgeTest>,
    ) -> Changes {
        let graph = TestedGraph::of(sent);
        let (edges, pairs): (Vec<_>, Vec<_>) = tests
            .into_iter()
            .partition(|test: &EdgeTest| graph.has_edge(test.edge()));
        let changes = Changes {
            gone: self.prune(limits, sent, edges),
            new: (limits.grafting).surest(limits.pruning, sent, pairs, |cause, effect| {
                limits.knowledge.allows(cause, effect)
            }),
        };
        let stays = |edge: &_| graph.has_edge(*edge) && !changes.gone.contains(edge);
        self.grafted.retain(stays);
        self.grafted.extend(&changes.new);
        self.taken.retain(|edge| !changes.new.contains(edge));
        changes
    }

    /// The weakest edges, which go now.
    fn prune(&mut self, limits: &Limits<'_>, sent: &Belief, tests: Vec<EdgeTest>) -> Edges {
        // Of causes that determine each other no test can tell: the one least believed in goes.
        let believed = |test: &EdgeTest| sent.existence()[(test.cause.0, test.effect.0)];
        let weaker = |a: &EdgeTest, b: &EdgeTest| {
            let shown = a.deviations().total_cmp(&b.deviations());
            shown.then(believed(a).total_cmp(&believed(b))).is_lt()
        };
        let mut weakest: BTreeMap<VarId, EdgeTest> = BTreeMap::new();
        for test in tests {
            let required = limits.knowledge.is_required(test.cause, test.effect);
            if required || !limits.pruning.takes(&test) {
                self.taken.remove(&test.edge());
                continue;
            }
            let least = weakest.entry(test.effect).or_insert(test);
            if weaker(&test, least) {
                *least = test;
            }
        }
        let gone: Edges = weakest.values().map(EdgeTest::edge).collect();
        self.taken.extend(&gone);
        gone
    }

    /// A belief to send on: without the edges that went in this round.
    pub(super) fn on_aggregate(&self, aggregate: &Belief, changes: &Changes) -> Belief {
        overruled(aggregate, &changes.gone, &self.grafted)
    }

    /// The result of the run: without all edges that went.
    pub(super) fn on_result(&self, mean: &Belief) -> Belief {
        overruled(mean, &self.taken, &self.grafted)
    }
}

/// `belief` with the existence of some edges negated, where it is positive, and with others.
fn overruled(belief: &Belief, without: &Edges, with: &Edges) -> Belief {
    let mut existence = belief.existence().clone();
    for (cause, effect) in without {
        let logit = &mut existence[(cause.0, effect.0)];
        *logit = -logit.abs();
    }
    for (cause, effect) in with {
        let logit = &mut existence[(cause.0, effect.0)];
        *logit = logit.max(Grafting::EXISTENCE);
    }
    (belief.with_existence(existence)).expect("finite logits stay finite")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::LazyLock;

    use fedcdi_core::{KnowledgeFile, Schema, Variable};
    use ndarray::Array2;

    const LIMIT: Pruning = Pruning::Independence(5.0);

    fn test(cause: usize, effect: usize, statistic: f64) -> EdgeTest {
        EdgeTest {
            cause: VarId(cause),
            effect: VarId(effect),
            statistic,
            degrees: 8.0,
        }
    }

    fn limits() -> Limits<'static> {
        static KNOWLEDGE: LazyLock<Knowledge> = LazyLock::new(|| Knowledge::none(4));
        Limits {
            pruning: LIMIT,
            grafting: Grafting::USUAL,
            knowledge: &KNOWLEDGE,
        }
    }

    /// Every edge from a lower number to a higher.
    fn complete() -> Belief {
        let direction = |(i, j): (usize, usize)| j as f64 - i as f64;
        let existence = Array2::from_elem((4, 4), 1.0);
        Belief::new(existence, Array2::from_shape_fn((4, 4), direction)).unwrap()
    }

    fn schema() -> Schema {
        let variables = (0..4).map(|v| Variable::with_codes(format!("v{v}"), 3));
        Schema::new(variables.collect()).unwrap()
    }

    fn set<const N: usize>(pairs: [(usize, usize); N]) -> Edges {
        pairs.map(|(i, j)| (VarId(i), VarId(j))).into()
    }

    #[test]
    fn the_weakest_edge_of_each_effect_goes() {
        // Deviations are (G - 8) / 4: 0 -> 2 has 3, 1 -> 2 has 1, 0 -> 3 has 6.
        let tests = vec![test(0, 2, 20.0), test(1, 2, 12.0), test(0, 3, 32.0)];
        let gone = |pruning| {
            let limits = Limits {
                pruning,
                ..limits()
            };
            (Verdicts::default())
                .judge(&limits, &complete(), tests.clone())
                .gone
        };
        assert_eq!(gone(LIMIT), set([(1, 2)]));
        assert_eq!(gone(Pruning::Independence(7.0)), set([(0, 3), (1, 2)]));
        assert!(gone(Pruning::Never).is_empty());
    }

    #[test]
    fn a_later_test_brings_an_edge_back() {
        let mut verdicts = Verdicts::default();
        let mut judge = |tests: &[EdgeTest]| {
            verdicts.judge(&limits(), &complete(), tests.to_vec());
            verdicts.taken.clone()
        };
        judge(&[test(0, 2, 9.0)]);
        assert_eq!(judge(&[test(1, 3, 9.0)]), set([(0, 2), (1, 3)]));
        assert_eq!(judge(&[test(0, 2, 90.0)]), set([(1, 3)]));
    }

    /// The edge 2 -> 3 is alone, and the pair of 1 and 2 depends, as both sides say.
    fn growing() -> (Belief, Vec<EdgeTest>) {
        let mut existence = -complete().existence();
        existence[(2, 3)] = 1.0;
        let sent = Belief::new(existence, complete().orientation().clone()).unwrap();
        (sent, vec![test(1, 2, 90.0), test(2, 1, 80.0)])
    }

    #[test]
    fn a_pair_comes_in_and_stays_while_tests_speak_for_it() {
        let (sent, pairs) = growing();
        let mut verdicts = Verdicts::default();
        let changes = verdicts.judge(&limits(), &sent, pairs);
        assert_eq!((changes.gone.len(), &changes.new), (0, &set([(1, 2)])));
        let next = verdicts.on_aggregate(&sent, &changes);
        assert_eq!(next.existence()[(1, 2)], Grafting::EXISTENCE);
        // Without a test of the edge it stays, with one against it, it goes.
        verdicts.judge(&limits(), &next, Vec::new());
        assert_eq!(verdicts.grafted, set([(1, 2)]));
        verdicts.judge(&limits(), &next, vec![test(1, 2, 9.0)]);
        assert!(verdicts.grafted.is_empty());
        assert!(verdicts.on_result(&next).existence()[(1, 2)] < 0.0);
    }

    #[test]
    fn nothing_comes_in_that_is_forbidden_or_not_asked_for() {
        let (sent, pairs) = growing();
        let new = |limits: Limits<'_>| {
            let changes = Verdicts::default().judge(&limits, &sent, pairs.clone());
            changes.new
        };
        assert_eq!(new(limits()).len(), 1);
        let grafting = Grafting::Never;
        assert!(
            new(Limits {
                grafting,
                ..limits()
            })
            .is_empty()
        );
        let forbidden = KnowledgeFile {
            forbidden: vec![["v1".into(), "v2".into()]],
            ..KnowledgeFile::default()
        };
        let knowledge = &forbidden.check(&schema()).unwrap();
        assert!(
            new(Limits {
                knowledge,
                ..limits()
            })
            .is_empty()
        );
    }

    #[test]
    fn only_positive_existence_is_negated() {
        let mut existence = Array2::zeros((2, 2));
        existence[(0, 1)] = 2.0;
        existence[(1, 0)] = -3.0;
        let belief = Belief::new(existence, Array2::zeros((2, 2))).unwrap();
        let pruned = overruled(&belief, &set([(0, 1), (1, 0)]), &BTreeSet::new());
        assert_eq!(pruned.existence()[(0, 1)], -2.0);
        assert_eq!(pruned.existence()[(1, 0)], -3.0);
    }
}
