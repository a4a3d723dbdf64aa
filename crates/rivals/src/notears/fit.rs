//! NOTEARS-ADMM on the datasets of one or more clients.

use fedcdi_core::choice::Params as _;
use fedcdi_core::{Dataset, Seed};
use ndarray::Array2;

use super::admm::Admm;
use super::moments::Moments;
use super::params::NotearsParams;
use crate::Ending;
use crate::registry::Rival;
use crate::rival_fit::{RivalFit, WeightKind};
use crate::rows::RowsUsed;
use fedcdi_learn::{About, LearnError, Observer, Progress, Stage, TableKind};

/// What it found.
#[derive(Clone, Debug)]
pub struct NotearsFit {
    /// Coefficients, and the edges whose coefficients exceed the threshold.
    pub found: RivalFit,
    /// Iterations.
    pub iterations: usize,
    /// How far the coefficients are from an acyclic graph; 0 if they are one.
    pub cycles: f64,
}

impl NotearsParams {
    /// Fits the clients' data; one is NOTEARS.
    ///
    /// # Errors
    /// [`LearnError`] if there are fewer than two variables, no client, or a variable that every
    /// row used intervenes on.
    pub fn fit(
        &self,
        clients: &[Dataset],
        observer: Option<&dyn Observer>,
    ) -> Result<NotearsFit, LearnError> {
        let n_vars = clients.first().map_or(0, Dataset::n_vars);
        if n_vars < 2 {
            return Err(LearnError::OneVariable(n_vars));
        }
        self.check()?;
        let moments = self.moments(clients)?;
        let mut admm = Admm::new(self, &moments, n_vars);
        let (mut iterations, mut cycles) = (0, 0.0);
        let mut ending = Ending::IterationLimit;
        while iterations < self.iterations && ending == Ending::IterationLimit {
            if observer.is_some_and(Observer::is_cancelled) {
                ending = Ending::Cancelled;
                break;
            }
            let disagreement;
            (cycles, disagreement) = admm.step();
            iterations += 1;
            self.tell(observer, iterations, &admm.agreed);
            if cycles <= self.tolerance && disagreement <= self.tolerance.sqrt() {
                ending = Ending::Converged;
            }
        }
        let (kind, weights) = (WeightKind::Coefficient, admm.agreed);
        Ok(NotearsFit {
            found: RivalFit::of_weights(kind, weights, self.threshold, clients, ending),
            iterations,
            cycles,
        })
    }

    fn moments(&self, clients: &[Dataset]) -> Result<Vec<Moments>, LearnError> {
        let of = |data: &Dataset| Moments::of(data, self.rows, self.standardise);
        let moments: Vec<Moments> = clients.iter().map(of).collect();
        for (var, name) in clients[0].schema().names().into_iter().enumerate() {
            let total: f64 = moments.iter().map(|client| client.n_rows(var)).sum();
            if total == 0.0 {
                return Err(match self.rows {
                    RowsUsed::Observational => LearnError::NoObservationalRows,
                    RowsUsed::Untouched => LearnError::AlwaysIntervened { variable: name },
                });
            }
        }
        Ok(moments)
    }

    fn tell(&self, observer: Option<&dyn Observer>, iterations: usize, agreed: &Array2<f64>) {
        let Some(observer) = observer else { return };
        let edges = agreed.iter().filter(|weight| weight.abs() > self.threshold);
        observer.progress(&Progress {
            round: 0,
            epoch: 0,
            stage: Stage::Graph,
            done: iterations,
            total: self.iterations,
            n_edges: edges.count(),
        });
    }
}

impl Rival for NotearsParams {
    fn find(
        &self,
        sites: &[Dataset],
        _seed: Seed,
        observer: Option<&dyn Observer>,
    ) -> Result<RivalFit, LearnError> {
        Ok(self.fit(sites, observer)?.found)
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
    use rand::RngExt;
    use rand_distr::{Distribution, StandardNormal};

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

    fn errors(weights: &Array2<f64>, clients: &[Dataset], params: NotearsParams) -> usize {
        let fit = params.fit(clients, None).unwrap();
        let truth = Dag::try_from(Digraph::from_matrix(weights, |w| *w != 0.0)).unwrap();
        fedcdi_core::graph::shd(&truth, &fit.found.dag)
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
        let fit = NotearsParams::default().fit(&clients, None).unwrap();
        // Converged: the largest disagreement is at most 1e-4 too.
        assert_eq!(fit.found.ending, Ending::Converged);
        assert!(fit.cycles <= 1e-8, "{}", fit.cycles);
    }

    #[test]
    fn too_few_iterations_end_with_a_graph_and_say_so() {
        let weights = truth(1);
        let params = NotearsParams {
            iterations: 2,
            ..NotearsParams::default()
        };
        let fit = params.fit(&[rows(&weights, 300, 1)], None).unwrap();
        assert_eq!(fit.found.ending, Ending::IterationLimit);
        assert_eq!(fit.iterations, 2);
    }
}
