//! Mass flow: how far a client's interventions reach into the graph.
//!
//! Paper: FedCDI section 4.3 and appendix B (initial mass normalised across clients to 0..=1).
//!
//! | paper | code | shape, range |
//! |---|---|---|
//! | `m^k_s`, initial mass | `masses` | `[client][variable]`, 0..=1 |
//! | `r^k_ij`, mass through an edge | [`reliability`] | `[cause, effect]`, 0..=1 |
//!
//! Masses are numbers of samples over the largest such number of any client and variable, so they
//! compare between clients and between variables alike.

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::views::View;

/// Which samples make the mass of an intervened variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MassFrom {
    /// Those under an intervention on it.
    #[default]
    Interventional,
    /// Those and the observational ones (appendix B: better where observational data is scarce).
    All,
}

/// Mass that every client puts on each variable, `[client][variable]`.
pub(super) fn masses(views: &[View], from: MassFrom) -> Vec<Vec<f64>> {
    let mass = |view: &View, count: u64| match (from, count) {
        (_, 0) => 0.0,
        (MassFrom::Interventional, count) => count as f64,
        (MassFrom::All, count) => count as f64 + view.samples.n_observational as f64,
    };
    let counts: Vec<Vec<f64>> = views
        .iter()
        .map(|view| {
            let counts = view.samples.n_interventional.iter();
            counts.map(|&count| mass(view, count)).collect()
        })
        .collect();
    let largest = counts.iter().flatten().copied().fold(0.0, f64::max);
    let scale = if largest > 0.0 { largest } else { 1.0 };
    let scaled = |client: Vec<f64>| client.into_iter().map(|m| m / scale).collect();
    counts.into_iter().map(scaled).collect()
}

/// Mass that passes through each edge, `[cause, effect]`, when `mass` (`[variable]`, 0..=1) is
/// put on the variables and flows along every edge, multiplied by its probability in `psi`
/// (`[cause, effect]`, 0..=1). Of several ways to a variable the best counts, whatever its source.
///
/// A path never gains by growing, so the variable with the most mass is always final: Dijkstra's
/// algorithm from all sources at once, on products.
///
/// Complexity: O(N^2).
pub fn reliability(mass: &[f64], psi: &Array2<f64>) -> Array2<f64> {
    let mut reached = mass.to_vec();
    let mut open: Vec<usize> = (0..mass.len()).collect();
    while let Some(at) = (0..open.len()).max_by(|a, b| {
        let mass = |at: usize| reached[open[at]];
        mass(*a).total_cmp(&mass(*b))
    }) {
        let from = open.swap_remove(at);
        for &to in &open {
            reached[to] = reached[to].max(reached[from] * psi[(from, to)]);
        }
    }
    Array2::from_shape_fn(psi.dim(), |(i, j)| {
        if i == j {
            0.0
        } else {
            reached[i] * psi[(i, j)]
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::sample_reports::{any_round, report};
    use super::super::views::views;
    use super::*;
    use fedcdi_core::{Belief, Dag, Digraph, VarId};
    use proptest::prelude::*;

    #[test]
    fn mass_of_all_samples_stays_on_intervened_variables() {
        let report = |id, counts: [u64; 3], n_observational| {
            report(id, Belief::uninformed(3), &counts, n_observational)
        };
        let reports = [report(0, [100, 0, 0], 300), report(1, [0, 0, 100], 1)];
        let views = views(3, &reports).unwrap();
        let masses = masses(&views, MassFrom::All);
        // 100 + 300 of the first, 100 + 1 of the second, over 400.
        assert_eq!(masses[0], [1.0, 0.0, 0.0]);
        assert_eq!(masses[1][2], 101.0 / 400.0);
    }

    /// Relaxes every edge N times.
    fn slow_reliability(mass: &[f64], psi: &Array2<f64>) -> Array2<f64> {
        let mut reached = mass.to_vec();
        for _ in 0..mass.len() {
            for ((i, j), p) in psi.indexed_iter().filter(|((i, j), _)| i != j) {
                reached[j] = reached[j].max(reached[i] * p);
            }
        }
        Array2::from_shape_fn(psi.dim(), |(i, j)| {
            if i == j {
                0.0
            } else {
                reached[i] * psi[(i, j)]
            }
        })
    }

    proptest! {
        #[test]
        fn reliability_is_the_best_path_product((belief, reports) in any_round()) {
            let views = views(belief.n_vars(), &reports).unwrap();
            for mass in masses(&views, MassFrom::Interventional) {
                let fast = reliability(&mass, &belief.psi());
                prop_assert_eq!(fast, slow_reliability(&mass, &belief.psi()));
            }
        }

        #[test]
        fn mass_reaches_exactly_the_descendants(
            edges in prop::collection::vec((0..8usize, 0..8usize), 0..16), source in 0..8usize
        ) {
            let edges = edges.into_iter().filter(|(c, e)| c < e);
            let dag = Digraph::from_edges(8, edges.map(|(c, e)| (VarId(c), VarId(e))));
            let dag = Dag::try_from(dag).unwrap();
            let mut mass = vec![0.0; 8];
            mass[source] = 1.0;
            let flow = reliability(&mass, &dag.adjacency().mapv(f64::from));
            let below = dag.reachable_from(VarId(source));
            for (cause, effect) in dag.edges() {
                let reached = flow[(cause.index(), effect.index())] > 0.0;
                prop_assert_eq!(reached, below.contains(cause));
            }
        }
    }
}
