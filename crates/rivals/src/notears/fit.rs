//! NOTEARS-ADMM on the datasets of one or more clients.

use fedcdi_core::choice::Params as _;
use fedcdi_core::{Dataset, Seed};

use super::admm::Admm;
use super::moments::Moments;
use super::params::NotearsParams;
use crate::Ending;
use crate::registry::{Rival, tell};
use crate::rival_fit::{RivalFit, WeightKind};
use crate::rows::RowsUsed;
use fedcdi_learn::{About, LearnError, Observer, Stage, TableKind};

impl NotearsParams {
    fn moments(&self, clients: &[Dataset]) -> Result<Vec<Moments>, LearnError> {
        let of = |data: &Dataset| Moments::of(data, self.rows, self.standardise);
        let moments: Vec<Moments> = clients.iter().map(of).collect();
        for (var, name) in clients[0].schema().names().into_iter().enumerate() {
            let total: f64 = moments.iter().map(|client| client.n_rows(var)).sum();
            if total == 0.0 {
                return Err(match self.rows {
                    RowsUsed::Observational => LearnError::NoObservationalRows,
                    RowsUsed::Untouched => LearnError::AlwaysIntervened(name),
                });
            }
        }
        Ok(moments)
    }

    /// Iterates until all agree on an acyclic matrix.
    fn run(&self, admm: &mut Admm<'_>, observer: Option<&dyn Observer>) -> Ending {
        for iteration in 1..=self.iterations {
            if observer.is_some_and(Observer::is_cancelled) {
                return Ending::Cancelled;
            }
            let (cycles, disagreement) = admm.step();
            let edges = admm.agreed.iter().filter(|w| w.abs() > self.threshold);
            let done = (iteration, self.iterations);
            tell(observer, 0, Stage::Graph, done, edges.count());
            if cycles <= self.tolerance && disagreement <= self.tolerance.sqrt() {
                return Ending::Converged;
            }
        }
        Ending::IterationLimit
    }
}

impl Rival for NotearsParams {
    fn find(
        &self,
        sites: &[Dataset],
        _seed: Seed,
        observer: Option<&dyn Observer>,
    ) -> Result<RivalFit, LearnError> {
        let n_vars = sites.first().map_or(0, Dataset::n_vars);
        if n_vars < 2 {
            return Err(LearnError::OneVariable(n_vars));
        }
        self.check()?;
        let moments = self.moments(sites)?;
        let mut admm = Admm::new(self, &moments, n_vars);
        let ending = self.run(&mut admm, observer);
        let (kind, weights) = (WeightKind::Coefficient, admm.agreed);
        Ok(RivalFit::of_weights(
            kind,
            weights,
            self.threshold,
            sites,
            ending,
        ))
    }

    fn sent(&self) -> Option<&'static str> {
        Some(
            "In every iteration, the parameters of its regressions of each variable on all others, and once how many rows these are from.",
        )
    }

    fn about(&self) -> About {
        About {
            title: "NOTEARS",
            does: "linear regressions under a penalty of cycles; ours also uses interventional rows",
            needs: "rows that leave each variable alone",
            kinds: &[TableKind::Categorical, TableKind::Real, TableKind::Mixed],
            reference: "Zheng et al. 2018; Ng, Zhang 2022",
        }
    }
}

#[cfg(test)]
mod tests {
    use fedcdi_core::{Dag, Digraph, VarId, VarSet};
    use ndarray::Array2;
    use rand::RngExt;
    use rand_distr::{Distribution, StandardNormal};

    use super::super::cycles::cycles;
    use super::*;
    use crate::test_data::real_table;

    const N_VARS: usize = 8;

    /// Edge coefficients of a random graph whose order is not that of the numbers.
    fn truth(seed: u64) -> Array2<f64> {
        let mut rng = Seed::new(seed).rng();
        let place = |var: usize| (var * 5 + 3) % N_VARS;
        let mut weights = Array2::zeros((N_VARS, N_VARS));
        for cause in 0..N_VARS {
            for effect in (0..N_VARS).filter(|e| place(cause) < place(*e)) {
                if rng.random_bool(0.3) {
                    let size: f64 = rng.random_range(0.5..2.0);
                    weights[(cause, effect)] = if rng.random_bool(0.5) { size } else { -size };
                }
            }
        }
        weights
    }

    /// Rows of a linear model with unit noise; under an intervention the target is noise alone.
    fn rows(weights: &Array2<f64>, per_regime: usize, seed: u64) -> Dataset {
        let mut rng = Seed::new(seed).rng();
        let mut order: Vec<usize> = (0..N_VARS).collect();
        order.sort_by_key(|var| (var * 5 + 3) % N_VARS);
        let target = VarId(2);
        let mut values = Array2::zeros((2 * per_regime, N_VARS));
        for row in 0..2 * per_regime {
            for &var in &order {
                let noise: f64 = StandardNormal.sample(&mut rng);
                let caused: f64 = (0..N_VARS)
                    .map(|c| weights[(c, var)] * values[(row, c)])
                    .sum();
                let free = row < per_regime || var != target.0;
                values[(row, var)] = noise + if free { caused } else { 3.0 };
            }
        }
        let sets = [
            VarSet::empty(N_VARS),
            VarSet::from_members(N_VARS, [target]),
        ];
        let names: Vec<String> = (0..N_VARS).map(|v| format!("v{v}")).collect();
        let regime_of = (0..2 * per_regime).map(|row| u32::from(row >= per_regime));
        real_table(&values, &names, &sets, regime_of.collect())
    }

    fn fit(params: &NotearsParams, clients: &[Dataset]) -> RivalFit {
        params.find(clients, Seed::new(0), None).unwrap()
    }

    fn errors(weights: &Array2<f64>, clients: &[Dataset], params: NotearsParams) -> usize {
        let truth = Dag::try_from(Digraph::from_matrix(weights, |w| *w != 0.0)).unwrap();
        fedcdi_core::graph::shd(&truth, &fit(&params, clients).dag)
    }

    #[test]
    fn linear_graphs_are_found_by_one_client_and_by_three() {
        let (mut alone, mut together) = (0, 0);
        for seed in 0..4 {
            let weights = truth(seed);
            alone += errors(
                &weights,
                &[rows(&weights, 1500, 10 + seed)],
                NotearsParams::default(),
            );
            let clients = [0, 1, 2].map(|k| rows(&weights, 500, 100 + 10 * seed + k));
            together += errors(&weights, &clients, NotearsParams::default());
        }
        assert!(alone <= 3, "{alone}");
        assert!(together <= 3, "{together}");
    }

    #[test]
    fn clients_agree_on_an_acyclic_matrix() {
        let weights = truth(1);
        let clients = [rows(&weights, 300, 1), rows(&weights, 300, 2)];
        let params = NotearsParams::default();
        let moments = params.moments(&clients).unwrap();
        let mut admm = Admm::new(&params, &moments, N_VARS);
        assert_eq!(params.run(&mut admm, None), Ending::Converged);
        assert!(cycles(&admm.agreed) <= 1e-8);
        let gaps = admm.local.iter().map(|local| local - &admm.agreed);
        assert!(gaps.flatten().all(|gap| gap.abs() <= 1e-4));
    }

    #[test]
    fn too_few_iterations_end_with_a_graph_and_say_so() {
        let weights = truth(1);
        let params = NotearsParams {
            iterations: 2,
            ..NotearsParams::default()
        };
        let fit = fit(&params, &[rows(&weights, 300, 1)]);
        assert_eq!(fit.ending, Ending::IterationLimit);
    }
}
