//! How far the clients agree about the edges.
//!
//! Paper: FedCDI appendix A, average entropy over edges.
//!
//! | paper | code | range |
//! |---|---|---|
//! | q_ij, mean over clients of A^k_ij | share of clients whose graph has the edge | 0..=1 |
//! | AE, mean over i != j of H(q_ij) | [`edge_entropy`]; from sums [`vote_entropy`] | 0..=1 bits |

use super::Digraph;

/// Mean over all ordered pairs of the entropy, in bits, of "a client's graph has this edge": 0 if
/// all agree everywhere, 1 if every pair divides the clients in half. 0 without clients or pairs.
///
/// # Panics
/// If the graphs differ in their number of variables.
///
/// Complexity: O(clients * N^2).
pub fn edge_entropy(graphs: &[Digraph]) -> f64 {
    let Some(n) = graphs.first().map(Digraph::n_vars).filter(|n| *n > 1) else {
        return 0.0;
    };
    let mut votes = vec![0usize; n * n];
    for graph in graphs {
        assert_eq!(graph.n_vars(), n, "all graphs are about the same variables");
        for (cause, effect) in graph.edges() {
            votes[cause.index() * n + effect.index()] += 1;
        }
    }
    let off_diagonal = votes.iter().enumerate().filter(|(at, _)| at / n != at % n);
    let votes: Vec<u64> = off_diagonal.map(|(_, count)| *count as u64).collect();
    vote_entropy(&votes, graphs.len() as u64)
}

/// The same from sums alone: of every ordered pair, how many of `n_voters` graphs have the edge.
/// 0 without voters or pairs.
pub fn vote_entropy(votes: &[u64], n_voters: u64) -> f64 {
    if votes.is_empty() || n_voters == 0 {
        return 0.0;
    }
    let entropy = |&count: &u64| binary_entropy(count as f64 / n_voters as f64);
    votes.iter().map(entropy).sum::<f64>() / votes.len() as f64
}

/// Entropy in bits of an event of probability `p`.
fn binary_entropy(p: f64) -> f64 {
    let term = |p: f64| if p > 0.0 { -p * p.log2() } else { 0.0 };
    term(p) + term(1.0 - p)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variable::VarId;

    fn graph(edges: &[(usize, usize)]) -> Digraph {
        Digraph::from_edges(2, edges.iter().map(|&(c, e)| (VarId(c), VarId(e))))
    }

    #[test]
    fn two_clients_count_their_disagreements() {
        // One of the two ordered pairs divides them: (1 + 0) / 2.
        let graphs = [graph(&[(0, 1)]), graph(&[])];
        assert_eq!(edge_entropy(&graphs), 0.5);
    }

    #[test]
    fn one_of_four_has_the_entropy_of_a_quarter() {
        // H(1/4) = 2/4 + 3/4 log2(4/3) = 2 - 3/4 log2 3 = 0.8113; the other pair is agreed.
        let graphs = [graph(&[(1, 0)]), graph(&[]), graph(&[]), graph(&[])];
        let expected = (2.0 - 0.75 * 3f64.log2()) / 2.0;
        assert!((edge_entropy(&graphs) - expected).abs() < 1e-15);
    }

    #[test]
    fn agreement_is_zero() {
        assert_eq!(edge_entropy(&[graph(&[(0, 1)]), graph(&[(0, 1)])]), 0.0);
        assert_eq!(edge_entropy(&[]), 0.0);
    }
}
