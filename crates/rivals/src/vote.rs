//! One belief from the graphs of several clients: how methods that know one table are lifted to a
//! federation. Only graphs would travel, and only once.
//!
//! The probability of an edge is the share of all rows whose clients draw it. A pair is then joined
//! if a majority joins it, and points the way most of them point; cycles are for
//! [`fedcdi_core::graph::extract`].

use fedcdi_core::{Belief, Cpdag, Dag};
use ndarray::Array2;

/// A client's graph and how much it counts.
#[derive(Clone, Debug)]
pub struct Ballot {
    /// The graphs that the client cannot tell apart.
    pub class: Cpdag,
    /// The one of them that it returns.
    pub dag: Dag,
    /// Its rows.
    pub n_rows: usize,
}

/// What a client says for the direction that it draws where the data leave it open: about a half,
/// so that it decides only where all others leave it open too.
const OPEN: f64 = 0.501;

/// The belief that the shares of votes amount to.
///
/// # Panics
/// If there is no ballot, or their graphs differ in size.
pub fn vote(ballots: &[Ballot]) -> Belief {
    let n_vars = ballots.first().expect("at least one client").dag.n_vars();
    let total: usize = ballots.iter().map(|ballot| ballot.n_rows).sum();
    let mut shares = Array2::<f64>::zeros((n_vars, n_vars));
    for Ballot { class, dag, n_rows } in ballots {
        assert_eq!(dag.n_vars(), n_vars, "graphs of the same variables");
        let share = *n_rows as f64 / total.max(1) as f64;
        for (cause, effect) in dag.edges() {
            let sure = class.has_directed(cause, effect);
            let there = if sure { 1.0 } else { OPEN };
            shares[(cause.0, effect.0)] += share * there;
            shares[(effect.0, cause.0)] += share * (1.0 - there);
        }
    }
    // Sums of shares may exceed 1 by rounding.
    shares.mapv_inplace(|share| share.min(1.0));
    Belief::from_psi(&shares).expect("shares are probabilities")
}

#[cfg(test)]
mod tests {
    use fedcdi_core::graph::extract;
    use fedcdi_core::{Digraph, Knowledge, VarId, VarSet};

    use super::*;

    /// A ballot of `n_rows` rows with these edges; experiments on the variables of `targets`.
    fn ballot(edges: &[(usize, usize)], targets: &[usize], n_rows: usize) -> Ballot {
        let edges = edges.iter().map(|(c, e)| (VarId(*c), VarId(*e)));
        let dag = Dag::try_from(Digraph::from_edges(3, edges)).unwrap();
        let sets = targets.iter().map(|t| VarSet::from_members(3, [VarId(*t)]));
        let class = Cpdag::interventional(&dag, &sets.collect::<Vec<_>>());
        Ballot { class, dag, n_rows }
    }

    fn elected(ballots: &[Ballot]) -> Vec<(usize, usize)> {
        let dag = extract::dag(&vote(ballots), &Knowledge::none(3));
        dag.edges().map(|(c, e)| (c.0, e.0)).collect()
    }

    #[test]
    fn rows_decide() {
        let all = [0, 1, 2];
        let many = ballot(&[(0, 1), (1, 2)], &all, 300);
        let few = ballot(&[(1, 0)], &all, 100);
        assert_eq!(elected(&[many.clone(), few.clone()]), [(0, 1), (1, 2)]);
        let psi = vote(&[many, few]).psi();
        // 0 and 1 are joined by all, 300 of 400 rows point from 0 to 1.
        assert!((psi[(0, 1)] - 0.75).abs() < 1e-3, "{psi}");
        assert!((psi[(1, 2)] - 0.75).abs() < 1e-3, "{psi}");
    }

    #[test]
    fn half_of_the_rows_are_no_majority() {
        let all = [0, 1, 2];
        let one = ballot(&[(0, 1)], &all, 100);
        let other = ballot(&[], &all, 100);
        assert_eq!(elected(&[one, other]), []);
    }

    #[test]
    fn who_knows_a_direction_outvotes_who_leaves_it_open() {
        let open = ballot(&[(0, 1)], &[], 300);
        let sure = ballot(&[(1, 0)], &[0], 100);
        assert_eq!(elected(&[open.clone(), sure]), [(1, 0)]);
        assert_eq!(elected(&[open]), [(0, 1)]);
    }
}
