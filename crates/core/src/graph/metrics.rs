//! How far a predicted graph is from the true one, edge by edge.
//!
//! | name | meaning |
//! |---|---|
//! | SHD | unordered pairs whose status (none, one way, the other way, both) differs; a reversal counts once |
//! | true and false positives, false negatives | ordered pairs |
//! | precision, recall, F1 | of ordered pairs; 0/0 is 0 |
//! | SID | [`sid`](super::sid()) |

use serde::Serialize;

use super::{Dag, Digraph, sid};
use crate::variable::VarId;

/// Structural Hamming distance: unordered pairs whose status differs. Panics if the graphs differ
/// in their number of variables.
///
/// Complexity: O(N^2).
pub fn shd(a: &Digraph, b: &Digraph) -> usize {
    Confusion::of(a, b).shd()
}

/// Which edges were found, counted over ordered pairs, and how pairs went wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Confusion {
    /// Ordered pairs with an edge in both.
    pub true_positives: usize,
    /// Ordered pairs with a predicted edge only.
    pub false_positives: usize,
    /// Ordered pairs with a true edge only.
    pub false_negatives: usize,
    /// Unordered pairs joined in the truth only.
    pub missing: usize,
    /// Unordered pairs joined in the prediction only.
    pub extra: usize,
    /// Unordered pairs joined in both, but not the same way.
    pub reversed: usize,
}

impl Confusion {
    /// Compares a prediction with the truth. Panics if the graphs differ in their number of
    /// variables.
    ///
    /// Complexity: O(N^2).
    pub fn of(truth: &Digraph, predicted: &Digraph) -> Self {
        assert_eq!(truth.n_vars(), predicted.n_vars(), "the same variables");
        let mut counts = Self::default();
        for (i, j) in unordered_pairs(truth.n_vars()) {
            let status = |graph: &Digraph| [graph.has_edge(i, j), graph.has_edge(j, i)];
            let (wanted, found) = (status(truth), status(predicted));
            for (wanted, found) in wanted.into_iter().zip(found) {
                counts.true_positives += usize::from(wanted && found);
                counts.false_positives += usize::from(!wanted && found);
                counts.false_negatives += usize::from(wanted && !found);
            }
            let joined = |status: [bool; 2]| status[0] || status[1];
            match (joined(wanted), joined(found)) {
                (true, false) => counts.missing += 1,
                (false, true) => counts.extra += 1,
                _ => counts.reversed += usize::from(wanted != found),
            }
        }
        counts
    }

    /// Structural Hamming distance: pairs that are missing, extra or reversed.
    pub fn shd(&self) -> usize {
        self.missing + self.extra + self.reversed
    }

    /// Share of predicted edges that are true; 0 if there are none.
    pub fn precision(&self) -> f64 {
        let predicted = self.true_positives + self.false_positives;
        share(self.true_positives, predicted)
    }

    /// Share of true edges that were predicted; 0 if there are none.
    pub fn recall(&self) -> f64 {
        let wanted = self.true_positives + self.false_negatives;
        share(self.true_positives, wanted)
    }

    /// Harmonic mean of precision and recall; 0 if there is no edge at all.
    pub fn f1(&self) -> f64 {
        let wrong = self.false_positives + self.false_negatives;
        share(2 * self.true_positives, 2 * self.true_positives + wrong)
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

fn unordered_pairs(n: usize) -> impl Iterator<Item = (VarId, VarId)> {
    (0..n).flat_map(move |i| (i + 1..n).map(move |j| (VarId(i), VarId(j))))
}

/// Every score of a predicted graph.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct GraphScores {
    /// Edges of the truth.
    pub true_edges: usize,
    /// Edges of the prediction.
    pub predicted_edges: usize,
    /// Structural Hamming distance.
    pub shd: usize,
    /// Structural intervention distance; none if the prediction has a cycle.
    pub sid: Option<usize>,
    /// The counts.
    #[serde(flatten)]
    pub confusion: Confusion,
    /// Share of predicted edges that are true.
    pub precision: f64,
    /// Share of true edges that were predicted.
    pub recall: f64,
    /// Harmonic mean of the two.
    pub f1: f64,
}

impl GraphScores {
    /// Scores a prediction, cyclic or not, against the truth. Panics if the graphs differ in their
    /// number of variables.
    ///
    /// Complexity: O(N^3) at worst, from SID.
    pub fn of(truth: &Dag, predicted: &Digraph) -> Self {
        let confusion = Confusion::of(truth, predicted);
        let acyclic = Dag::try_from(predicted.clone()).ok();
        Self {
            true_edges: truth.n_edges(),
            predicted_edges: predicted.n_edges(),
            shd: confusion.shd(),
            sid: acyclic.map(|dag| sid(truth, &dag)),
            confusion,
            precision: confusion.precision(),
            recall: confusion.recall(),
            f1: confusion.f1(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn graph(n: usize, edges: &[(usize, usize)]) -> Digraph {
        Digraph::from_edges(n, edges.iter().map(|&(c, e)| (VarId(c), VarId(e))))
    }

    #[test]
    fn each_kind_of_mistake_counts_once() {
        // Found: 0 -> 1. Reversed: 1 -> 2. Missing: 2 -> 3. Extra: 0 -> 3.
        let truth = graph(4, &[(0, 1), (1, 2), (2, 3)]);
        let predicted = graph(4, &[(0, 1), (2, 1), (0, 3)]);
        let counts = Confusion::of(&truth, &predicted);
        let expected = Confusion {
            true_positives: 1,
            false_positives: 2,
            false_negatives: 2,
            missing: 1,
            extra: 1,
            reversed: 1,
        };
        assert_eq!(counts, expected);
        assert_eq!(counts.shd(), 3);
        // 1 of 3 predicted, 1 of 3 true: precision, recall and F1 are all a third.
        assert_eq!([counts.precision(), counts.recall()], [1.0 / 3.0; 2]);
        assert_eq!(counts.f1(), 1.0 / 3.0);
    }

    #[test]
    fn nothing_over_nothing_is_zero() {
        let scores = GraphScores::of(&Dag::empty(3), &Digraph::empty(3));
        assert_eq!((scores.shd, scores.sid), (0, Some(0)));
        assert_eq!([scores.precision, scores.recall, scores.f1], [0.0; 3]);
    }

    #[test]
    fn both_directions_where_one_is_true_is_one_mistake() {
        let truth = graph(2, &[(0, 1)]);
        let both = graph(2, &[(0, 1), (1, 0)]);
        assert_eq!(shd(&truth, &both), 1);
        let scores = GraphScores::of(&Dag::try_from(truth).unwrap(), &both);
        assert_eq!((scores.sid, scores.confusion.false_positives), (None, 1));
    }

    #[test]
    fn scores_serialise_flat() {
        let truth = Dag::try_from(graph(2, &[(0, 1)])).unwrap();
        let json = serde_json::to_value(GraphScores::of(&truth, &truth)).unwrap();
        assert_eq!(json["true_positives"], 1);
        assert_eq!(json["f1"], 1.0);
    }

    fn any_graph() -> impl Strategy<Value = Digraph> {
        prop::collection::vec((0..6usize, 0..6usize), 0..20).prop_map(|edges| {
            let edges: Vec<_> = edges.into_iter().filter(|(c, e)| c != e).collect();
            graph(6, &edges)
        })
    }

    proptest! {
        #[test]
        fn shd_is_a_distance(a in any_graph(), b in any_graph(), c in any_graph()) {
            prop_assert_eq!(shd(&a, &b), shd(&b, &a));
            prop_assert_eq!(shd(&a, &b) == 0, a == b);
            prop_assert!(shd(&a, &c) <= shd(&a, &b) + shd(&b, &c));
        }

        #[test]
        fn ordered_and_unordered_counts_agree(a in any_graph(), b in any_graph()) {
            let counts = Confusion::of(&a, &b);
            prop_assert_eq!(counts.true_positives + counts.false_negatives, a.n_edges());
            prop_assert_eq!(counts.true_positives + counts.false_positives, b.n_edges());
        }
    }
}
