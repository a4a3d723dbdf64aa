//! Mass flow: how far a site's interventions reach into the graph.
//!
//! Paper: FedCDI section 4.3 and appendix B; its symbols are in the table of [`super::proximity`].
//! Masses are numbers of samples over the largest such number of any site and variable, so they
//! compare between sites and between variables alike. Sites tell that number when they join.

use fedcdi_core::SampleCounts;
use ndarray::Array2;
use serde::{Deserialize, Serialize};

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

impl MassFrom {
    fn rows(self, counts: &SampleCounts) -> impl Iterator<Item = u64> {
        let beside = match self {
            Self::Interventional => 0,
            Self::All => counts.n_observational,
        };
        let rows = move |&n: &u64| if n == 0 { 0 } else { n.saturating_add(beside) };
        counts.n_interventional.iter().map(rows)
    }

    /// The most rows that make a mass.
    pub(super) fn largest(self, counts: &SampleCounts) -> u64 {
        self.rows(counts).max().unwrap_or(0)
    }

    /// Mass of every variable, where `reference` rows are a mass of 1.
    pub(super) fn masses(self, counts: &SampleCounts, reference: u64) -> Vec<f64> {
        let mass = |rows: u64| (rows as f64 / reference.max(1) as f64).min(1.0);
        self.rows(counts).map(mass).collect()
    }
}

/// Mass that passes through each edge, `[cause, effect]`, when `mass` (`[variable]`, 0..=1) is
/// put on the variables and flows along every edge, multiplied by its probability in `psi`
/// (`[cause, effect]`, 0..=1). Of several ways to a variable the best counts, whatever its source.
///
/// A path never gains by growing, so the variable with the most mass is always final: Dijkstra's
/// algorithm from all sources at once, on products.
///
/// Complexity: O(N^2).
pub(super) fn reliability(mass: &[f64], psi: &Array2<f64>) -> Array2<f64> {
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
    let mut flow = Array2::from_shape_fn(psi.dim(), |at| reached[at.0] * psi[at]);
    flow.diag_mut().fill(0.0);
    flow
}

#[cfg(test)]
mod tests {
    use fedcdi_core::{Dag, Digraph, VarId};
    use proptest::prelude::*;

    use super::super::tests::{any_round, counts};
    use super::*;

    #[test]
    fn mass_of_all_samples_stays_on_intervened_variables() {
        let (one, two) = (counts(&[100, 0, 0], 300), counts(&[0, 0, 100], 1));
        let reference = [&one, &two].map(|c| MassFrom::All.largest(c)).into_iter();
        // 100 + 300 of the first, 100 + 1 of the second, over 400.
        let reference = reference.max().unwrap();
        assert_eq!(reference, 400);
        assert_eq!(MassFrom::All.masses(&one, reference), [1.0, 0.0, 0.0]);
        assert_eq!(MassFrom::All.masses(&two, reference)[2], 101.0 / 400.0);
        let mass = MassFrom::Interventional.masses(&two, 200);
        assert_eq!(mass, [0.0, 0.0, 0.5]);
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
        fn reliability_is_the_best_path_product((belief, sites) in any_round()) {
            for (_, counts) in &sites {
                let mass = MassFrom::Interventional.masses(counts, 100);
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
