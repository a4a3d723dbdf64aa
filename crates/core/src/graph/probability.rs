//! How good edge probabilities are: do true edges rank first, and do numbers mean what they say.
//!
//! | name | over the N (N - 1) ordered pairs |
//! |---|---|
//! | AUROC | chance that a true edge scores above a non-edge, ties half (Mann-Whitney) |
//! | AUPRC | average precision: precision at each score from the top, weighted by the recall it adds |
//! | Brier | mean squared difference to 0 or 1 |
//! | calibration error | mean difference between score and share of true edges, in ten bins of score |

use ndarray::Array2;
use serde::Serialize;

use super::Digraph;

const BINS: usize = 10;

/// Every score of a matrix of edge probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ProbabilityScores {
    /// Area under the receiver operating characteristic; none unless there are edges and non-edges.
    pub auroc: Option<f64>,
    /// Average precision; none without true edges.
    pub auprc: Option<f64>,
    /// Mean squared error; 0 is perfect.
    pub brier: f64,
    /// Expected calibration error; 0 is perfect.
    pub calibration_error: f64,
}

impl ProbabilityScores {
    /// Scores `psi`, `[cause, effect]` in 0..=1, against the truth; the diagonal is ignored. Panics
    /// if the two differ in their number of variables.
    ///
    /// Complexity: O(N^2 log N).
    pub fn of(truth: &Digraph, psi: &Array2<f64>) -> Self {
        let pairs = scored_pairs(truth, psi);
        let groups = groups(&pairs);
        Self {
            auroc: auroc_of(&groups),
            auprc: auprc_of(&groups),
            brier: brier_of(&pairs),
            calibration_error: calibration_error_of(&pairs),
        }
    }
}

fn scored_pairs(truth: &Digraph, scores: &Array2<f64>) -> Vec<(f64, bool)> {
    let n = truth.n_vars();
    assert_eq!(scores.dim(), (n, n), "one score per pair of variables");
    let adjacency = truth.adjacency();
    let pairs = scores.indexed_iter().filter(|((i, j), _)| i != j);
    let pairs = pairs.map(|(at, score)| (*score, adjacency[at] == 1));
    pairs.collect()
}

/// Pairs of one score: how many are edges, how many are not.
struct Group {
    edges: f64,
    others: f64,
}

/// Groups of equal score, highest first.
fn groups(pairs: &[(f64, bool)]) -> Vec<Group> {
    let mut sorted = pairs.to_vec();
    sorted.sort_by(|a, b| b.0.total_cmp(&a.0));
    sorted
        .chunk_by(|a, b| a.0 == b.0)
        .map(|group| {
            let edges = group.iter().filter(|(_, edge)| *edge).count();
            Group {
                edges: edges as f64,
                others: (group.len() - edges) as f64,
            }
        })
        .collect()
}

fn auroc_of(groups: &[Group]) -> Option<f64> {
    let (mut edges_above, mut others, mut won) = (0.0, 0.0, 0.0);
    for group in groups {
        won += group.others * (edges_above + group.edges / 2.0);
        edges_above += group.edges;
        others += group.others;
    }
    let duels = edges_above * others;
    (duels > 0.0).then(|| won / duels)
}

fn auprc_of(groups: &[Group]) -> Option<f64> {
    let (mut edges, mut all, mut area) = (0.0, 0.0, 0.0);
    for group in groups {
        edges += group.edges;
        all += group.edges + group.others;
        area += group.edges * edges / all;
    }
    (edges > 0.0).then(|| area / edges)
}

fn brier_of(pairs: &[(f64, bool)]) -> f64 {
    let errors = pairs.iter().map(|(p, edge)| (p - f64::from(*edge)).powi(2));
    errors.sum::<f64>() / pairs.len().max(1) as f64
}

fn calibration_error_of(pairs: &[(f64, bool)]) -> f64 {
    let mut surplus = [0.0; BINS];
    for (p, edge) in pairs {
        let bin = ((p * BINS as f64) as usize).min(BINS - 1);
        surplus[bin] += p - f64::from(*edge);
    }
    // Bin size times mean difference is the absolute sum of differences in the bin.
    surplus.iter().map(|s| s.abs()).sum::<f64>() / pairs.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use proptest::prelude::*;

    use crate::variable::VarId;

    fn auroc(truth: &Digraph, scores: &Array2<f64>) -> Option<f64> {
        ProbabilityScores::of(truth, scores).auroc
    }

    fn auprc(truth: &Digraph, scores: &Array2<f64>) -> Option<f64> {
        ProbabilityScores::of(truth, scores).auprc
    }

    fn graph(n: usize, edges: &[(usize, usize)]) -> Digraph {
        Digraph::from_edges(n, edges.iter().map(|&(c, e)| (VarId(c), VarId(e))))
    }

    #[test]
    fn areas_match_a_count_by_hand() {
        // Descending: 0.9 edge | 0.8 non-edge | 0.5 edge and non-edge | 0.2, 0.1 non-edges.
        let truth = graph(3, &[(0, 1), (1, 2)]);
        let psi = array![[0.0, 0.9, 0.8], [0.1, 0.0, 0.5], [0.5, 0.2, 0.0]];
        // Duels, 2 edges against 4 non-edges: 0.9 wins 4; 0.5 wins 2 and ties 1. 6.5 of 8.
        assert_eq!(auroc(&truth, &psi), Some(6.5 / 8.0));
        // Precision 1 at the first edge; 2 of 4 at the group of the second: (1 + 0.5) / 2.
        assert_eq!(auprc(&truth, &psi), Some(0.75));
        let scores = ProbabilityScores::of(&truth, &psi);
        // 0.01 + 0.64 + 0.01 + 0.25 + 0.25 + 0.04 = 1.2, over 6 pairs.
        assert!((scores.brier - 0.2).abs() < 1e-15);
        // Bins: 0.9 edge 0.1; 0.8 non-edge 0.8; two of 0.5 with one edge 0; 0.2; 0.1. Sum 1.2.
        assert!((scores.calibration_error - 0.2).abs() < 1e-15);
    }

    #[test]
    fn one_class_has_no_area() {
        let psi = array![[0.0, 0.3], [0.7, 0.0]];
        assert_eq!(auroc(&graph(2, &[]), &psi), None);
        assert_eq!(auprc(&graph(2, &[]), &psi), None);
        assert_eq!(auroc(&graph(2, &[(0, 1), (1, 0)]), &psi), None);
        assert_eq!(auprc(&graph(2, &[(0, 1), (1, 0)]), &psi), Some(1.0));
    }

    #[test]
    fn equal_scores_are_a_coin_toss() {
        let psi = Array2::from_elem((4, 4), 0.25);
        let truth = graph(4, &[(0, 1), (1, 2), (2, 3)]);
        assert_eq!(auroc(&truth, &psi), Some(0.5));
        // Precision of everything: 3 edges of 12 pairs.
        assert_eq!(auprc(&truth, &psi), Some(0.25));
        // A quarter is right on average, so the calibration is perfect.
        assert_eq!(ProbabilityScores::of(&truth, &psi).calibration_error, 0.0);
    }

    proptest! {
        #[test]
        fn a_monotone_map_leaves_the_ranking_scores(
            scores in prop::collection::vec(0..8u8, 16),
            edges in prop::collection::vec((0..4usize, 0..4usize), 1..8)
        ) {
            let edges: Vec<_> = edges.into_iter().filter(|(c, e)| c != e).collect();
            let truth = graph(4, &edges);
            let scores = Array2::from_shape_fn((4, 4), |(i, j)| f64::from(scores[4 * i + j]));
            let mapped = scores.mapv(|s| s.exp() - 100.0);
            prop_assert_eq!(auroc(&truth, &scores), auroc(&truth, &mapped));
            prop_assert_eq!(auprc(&truth, &scores), auprc(&truth, &mapped));
            // Turning the scores round turns every duel round.
            let turned = auroc(&truth, &scores.mapv(|s| -s));
            if let Some((turned, area)) = turned.zip(auroc(&truth, &scores)) {
                prop_assert!((turned + area - 1.0).abs() < 1e-12);
            }
        }
    }
}
