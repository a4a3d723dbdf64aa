//! A rival among several sites. Federated ones fit all sites together; of the others every site runs
//! its own, and the graphs are put to the vote. Only graphs would travel, and only once.
//!
//! The probability of an edge is the share of all rows whose clients draw it. A pair is then joined
//! if a majority joins it, and points the way most of them point; cycles are for
//! [`fedcdi_core::graph::extract`].

use fedcdi_core::graph::extract;
use fedcdi_core::{Belief, Dag, Dataset, Knowledge, Seed};
use fedcdi_learn::{LearnError, Observer};
use ndarray::Array2;

use crate::Ending;
use crate::registry::Rival;
use crate::rival_fit::{RivalFit, Weights};

/// What a rival among several sites came to.
#[derive(Clone, Debug)]
pub struct Together {
    /// The graph.
    pub dag: Dag,
    /// Shares of the vote, `[cause, effect]`, where there was one.
    pub shares: Option<Array2<f64>>,
    /// What the graph was cut from, where all sites fit weights together.
    pub weights: Option<Weights>,
    /// Edges that were left out because they would close a cycle, at all sites.
    pub n_removed: usize,
    /// The sites' own graphs, in order, where each has one; after a stop, of the first sites.
    pub own: Vec<Dag>,
    /// Why it ended; of a vote, why the first site did that did not converge.
    pub ending: Ending,
}

/// Runs a rival on the tables of one or more sites; one site needs no vote.
///
/// # Errors
/// [`LearnError`] if the data does not suit the method or it was stopped too early, inside
/// [`LearnError::AtClient`] if one site is the reason.
pub fn among(
    rival: &dyn Rival,
    sites: &[Dataset],
    seed: Seed,
    observer: Option<&dyn Observer>,
) -> Result<Together, LearnError> {
    if sites.len() < 2 || !rival.is_federated() {
        return voted(rival, sites, &seed, observer);
    }
    let fit = rival.find(sites, seed, observer)?;
    Ok(Together {
        dag: fit.dag,
        shares: None,
        weights: fit.weights,
        n_removed: fit.n_removed,
        own: Vec::new(),
        ending: fit.ending,
    })
}

fn voted(
    rival: &dyn Rival,
    sites: &[Dataset],
    seed: &Seed,
    observer: Option<&dyn Observer>,
) -> Result<Together, LearnError> {
    let mut ballots: Vec<Ballot> = Vec::with_capacity(sites.len());
    for (client, data) in sites.iter().enumerate() {
        let data = std::slice::from_ref(data);
        match rival.find(data, seed.derive("client", client), observer) {
            // Graphs that were not finished have no vote.
            Err(LearnError::Cancelled) if client > 0 => break,
            Ok(found) if client > 0 && found.ending == Ending::Cancelled => break,
            Ok(found) => ballots.push((found, data[0].n_samples())),
            Err(error) => {
                let error = Box::new(error);
                return Err(LearnError::AtClient { client, error });
            }
        }
    }
    let stopped = ballots.len() < sites.len();
    let (dag, shares) = elected(&ballots);
    let mut endings = ballots.iter().map(|(found, _)| found.ending);
    let unsettled = endings.find(|ending| *ending != Ending::Converged);
    Ok(Together {
        dag,
        shares,
        weights: None,
        n_removed: ballots.iter().map(|(found, _)| found.n_removed).sum(),
        own: ballots.into_iter().map(|(found, _)| found.dag).collect(),
        ending: if stopped {
            Ending::Cancelled
        } else {
            unsettled.unwrap_or(Ending::Converged)
        },
    })
}

/// What a site found, and its rows: how much it counts.
type Ballot = (RivalFit, usize);

/// The graph of these ballots, and the shares if there was a vote.
fn elected(ballots: &[Ballot]) -> (Dag, Option<Array2<f64>>) {
    match ballots {
        [(only, _)] => (only.dag.clone(), None),
        several => {
            let belief = vote(several);
            let none = Knowledge::none(belief.n_vars());
            (extract::dag(&belief, &none), Some(belief.psi()))
        }
    }
}

/// What a client says for the direction that it draws where the data leave it open: about a half,
/// so that it decides only where all others leave it open too.
const OPEN: f64 = 0.501;

/// The belief that the shares of votes amount to.
fn vote(ballots: &[Ballot]) -> Belief {
    let first = ballots.first().expect("at least one client");
    let n_vars = first.0.dag.n_vars();
    let total: usize = ballots.iter().map(|(_, n_rows)| n_rows).sum();
    let mut shares = Array2::<f64>::zeros((n_vars, n_vars));
    for (RivalFit { class, dag, .. }, n_rows) in ballots {
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
    use fedcdi_core::{Cpdag, Digraph, VarId, VarSet};

    use super::*;

    /// A ballot of `n_rows` rows with these edges; experiments on the variables of `targets`.
    fn ballot(edges: &[(usize, usize)], targets: &[usize], n_rows: usize) -> Ballot {
        let edges = edges.iter().map(|(c, e)| (VarId(*c), VarId(*e)));
        let dag = Dag::try_from(Digraph::from_edges(3, edges)).unwrap();
        let sets = targets.iter().map(|t| VarSet::from_members(3, [VarId(*t)]));
        let class = Cpdag::interventional(&dag, &sets.collect::<Vec<_>>());
        (RivalFit::new(class, dag, Ending::Converged), n_rows)
    }

    fn edges(ballots: &[Ballot]) -> Vec<(usize, usize)> {
        let dag = elected(ballots).0;
        dag.edges().map(|(c, e)| (c.0, e.0)).collect()
    }

    #[test]
    fn rows_decide() {
        let all = [0, 1, 2];
        let many = ballot(&[(0, 1), (1, 2)], &all, 300);
        let few = ballot(&[(1, 0)], &all, 100);
        assert_eq!(edges(&[many.clone(), few.clone()]), [(0, 1), (1, 2)]);
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
        assert_eq!(edges(&[one, other]), []);
    }

    #[test]
    fn who_knows_a_direction_outvotes_who_leaves_it_open() {
        let open = ballot(&[(0, 1)], &[], 300);
        let sure = ballot(&[(1, 0)], &[0], 100);
        assert_eq!(edges(&[open.clone(), sure]), [(1, 0)]);
        assert_eq!(edges(&[open]), [(0, 1)]);
    }
}
