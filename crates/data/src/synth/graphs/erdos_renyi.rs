//! Erdős–Rényi graphs.
//!
//! Paper: appendix B "Graph and dataset generation". ER-n has `n d` expected edges, so each of the
//! `d (d - 1) / 2` pairs is joined with probability `2 n / (d - 1)`. The paper's formula for the
//! probability of a graph has `C(n, 2)` where `C(d, 2)` is meant.
//!
//! Deviation: the authors' generator uses p = 0.1, 0.2, 0.4, 0.6 for ER-1, 2, 4, 6 and joins
//! isolated variables to another one; here the expectation is the paper's, and p can be given.

use fedcdi_core::{Digraph, Seed, VarId};
use rand::RngExt;

/// The pair probability of ER-n: `2 n / (d - 1)`.
pub(super) fn pair_probability(degree: f64, n_vars: usize) -> f64 {
    2.0 * degree / (n_vars as f64 - 1.0)
}

/// Every pair joined independently with probability `p`, from the lower to the higher id.
pub(super) fn erdos_renyi(n_vars: usize, p: f64, seed: Seed) -> Digraph {
    let mut rng = seed.rng();
    let mut graph = Digraph::empty(n_vars);
    for effect in 1..n_vars {
        for cause in 0..effect {
            if rng.random_bool(p) {
                graph.add_edge(VarId(cause), VarId(effect));
            }
        }
    }
    graph
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 200 graphs of ER-n: the mean edge count has a standard error of sqrt(pairs p (1-p) / 200),
    /// at most 0.49 for d = 20. Four of those, about 2, is far below the 2 n edges by which the
    /// authors' p misses at n = 1 only for n >= 2; hence the tighter check on p itself.
    #[test]
    fn er_n_has_n_times_d_edges_on_average() {
        let d = 20;
        for n in [1.0, 2.0, 4.0, 6.0] {
            let p = pair_probability(n, d);
            let total: usize = (0..200)
                .map(|g| erdos_renyi(d, p, Seed::new(5).derive("graph", g)).n_edges())
                .sum();
            let mean = total as f64 / 200.0;
            let error = (190.0 * p * (1.0 - p) / 200.0).sqrt();
            assert!((mean - n * d as f64).abs() < 4.0 * error, "ER-{n}: {mean}");
            assert!((p * 190.0 - n * d as f64).abs() < 1e-9);
        }
    }
}
