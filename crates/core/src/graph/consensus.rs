//! How far the clients agree about the edges.
//!
//! Paper: FedCDI appendix A, average entropy over edges.
//!
//! | paper | code | range |
//! |---|---|---|
//! | q_ij, mean over clients of A^k_ij | share of clients whose graph has the edge | 0..=1 |
//! | AE, mean over i != j of H(q_ij) | [`vote_entropy`] | 0..=1 bits |

/// Mean over all ordered pairs of the entropy, in bits, of "a client's graph has this edge": 0 if
/// all agree everywhere, 1 if every pair divides the clients in half. `votes` are the numbers of
/// clients, of `n_voters`, that have each edge; 0 without voters or pairs.
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

    #[test]
    fn two_clients_count_their_disagreements() {
        // One of the two ordered pairs divides them: (1 + 0) / 2.
        assert_eq!(vote_entropy(&[1, 0], 2), 0.5);
    }

    #[test]
    fn one_of_four_has_the_entropy_of_a_quarter() {
        // H(1/4) = 2/4 + 3/4 log2(4/3) = 2 - 3/4 log2 3 = 0.8113; the other pair is agreed.
        let expected = (2.0 - 0.75 * 3f64.log2()) / 2.0;
        assert!((vote_entropy(&[0, 1], 4) - expected).abs() < 1e-15);
    }

    #[test]
    fn agreement_is_zero() {
        assert_eq!(vote_entropy(&[2, 0], 2), 0.0);
        assert_eq!(vote_entropy(&[], 0), 0.0);
    }
}
