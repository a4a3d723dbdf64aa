//! Rounds of training and averaging, and the penalty that grows between them.

use fedcdi_core::belief::sigmoid;
use fedcdi_core::choice::Params as _;
use fedcdi_core::{Dataset, Seed};
use ndarray::Array2;
use rayon::prelude::*;

use super::params::{FedDagParams, Sharing};
use super::site::Site;
use crate::Ending;
use crate::notears::CyclePenalty;
use crate::registry::{Rival, tell};
use crate::rival_fit::{RivalFit, WeightKind};
use fedcdi_learn::fit::Exponential;
use fedcdi_learn::{About, LearnError, Observer, Stage, TableKind};

/// Beyond this the penalty no longer grows.
const MAX_PENALTY: f64 = 1e14;

/// Cycles must fall to this share of what they were, or the penalty grows.
const ENOUGH: f64 = 0.25;

/// Decisions before it may end.
const FEWEST: usize = 4;

impl Rival for FedDagParams {
    fn find(
        &self,
        clients: &[Dataset],
        seed: Seed,
        observer: Option<&dyn Observer>,
    ) -> Result<RivalFit, LearnError> {
        let n_vars = clients.first().map_or(0, Dataset::n_vars);
        if n_vars < 2 {
            return Err(LearnError::OneVariable(n_vars));
        }
        self.check()?;
        let mut federation = Federation {
            params: self,
            names: clients[0].schema().names(),
            sites: self.sites(clients, &seed)?,
            logits: Array2::zeros((n_vars, n_vars)),
            cost: CyclePenalty {
                multiplier: 0.0,
                penalty: self.first_penalty(n_vars),
            },
            exponential: Exponential::new(n_vars),
            observer,
        };
        let ending = federation.run()?;
        let (kind, probabilities) = (WeightKind::Mask, federation.probabilities());
        Ok(RivalFit::of_weights(
            kind,
            probabilities,
            0.5,
            clients,
            ending,
        ))
    }

    fn sent(&self) -> Option<&'static str> {
        Some(
            "After every few steps, the weights of the mask (and its networks, where the settings share all), and once how many rows these are from.",
        )
    }

    fn about(&self) -> About {
        About {
            title: "FedDAG",
            does: "networks under a mask that clients share; ours also uses interventional rows",
            needs: "rows that leave each variable alone",
            kinds: &[TableKind::Categorical, TableKind::Real],
            reference: "Gao et al. 2023",
        }
    }

    fn cost(&self) -> f64 {
        50.0
    }
}

impl FedDagParams {
    fn sites(&self, clients: &[Dataset], seed: &Seed) -> Result<Vec<Site>, LearnError> {
        let start = seed.derive("start", 0);
        let site = |(client, data): (usize, &Dataset)| {
            let site = Site::new(self, data, &start, &seed.derive("client", client));
            site.map_err(|error| match clients {
                // The only site there is needs no name.
                [_] => error,
                _ => LearnError::AtClient {
                    client,
                    error: Box::new(error),
                },
            })
        };
        clients.iter().enumerate().map(site).collect()
    }
}

struct Federation<'a> {
    params: &'a FedDagParams,
    names: Vec<String>,
    sites: Vec<Site>,
    /// The averaged U.
    logits: Array2<f64>,
    cost: CyclePenalty,
    exponential: Exponential,
    observer: Option<&'a dyn Observer>,
}

impl Federation<'_> {
    fn run(&mut self) -> Result<Ending, LearnError> {
        let mut cycles = f64::INFINITY;
        for iteration in 0..self.params.iterations {
            if !self.train(iteration)? {
                return Ok(Ending::Cancelled);
            }
            let now = self.cycles();
            if now <= self.params.tolerance && iteration + 1 >= FEWEST {
                return Ok(Ending::Converged);
            }
            if now > ENOUGH * cycles && self.cost.penalty < MAX_PENALTY {
                self.cost.penalty *= self.params.penalty_growth;
            } else {
                self.cost.multiplier += self.cost.penalty * now;
                cycles = now;
            }
        }
        Ok(Ending::IterationLimit)
    }

    /// Steps until the next decision; false if the observer wants no more.
    fn train(&mut self, iteration: usize) -> Result<bool, LearnError> {
        let mut done = 0;
        while done < self.params.steps {
            let of_run = [iteration, self.params.iterations].map(|k| k * self.params.steps);
            let n_edges = self.logits.iter().filter(|u| **u > 0.0).count();
            let progress = (of_run[0] + done, of_run[1]);
            tell(self.observer, iteration, Stage::Joint, progress, n_edges);
            if self.observer.is_some_and(Observer::is_cancelled) {
                return Ok(false);
            }
            let steps = self.params.exchange_every.min(self.params.steps - done);
            let cost = self.cost;
            let sites = self.sites.par_iter_mut();
            let trained = sites.map(|site| (0..steps).try_for_each(|_| site.step(cost)));
            let trained: Result<Vec<()>, usize> = trained.collect();
            trained.map_err(|variable| LearnError::Diverged {
                round: iteration,
                epoch: 0,
                step: done,
                variable: self.names[variable].clone(),
            })?;
            self.average();
            done += steps;
        }
        Ok(true)
    }

    /// Clients go to their mean, weighted by rows.
    fn average(&mut self) {
        let total: usize = self.sites.iter().map(|site| site.n_rows).sum();
        let share = |site: &Site| site.n_rows as f64 / total as f64;
        self.logits.fill(0.0);
        for site in &self.sites {
            self.logits.scaled_add(share(site), &site.logits);
        }
        // The optimisers' moments stay, as published.
        for site in &mut self.sites {
            site.logits.assign(&self.logits);
        }
        if self.params.sharing == Sharing::Graph || self.sites.len() < 2 {
            return;
        }
        for variable in 0..self.names.len() {
            let mut mean = vec![0.0; self.sites[0].networks.weights(variable).count()];
            for site in &self.sites {
                let (share, weights) = (share(site) as f32, site.networks.weights(variable));
                for (sum, weight) in mean.iter_mut().zip(weights) {
                    *sum += share * weight;
                }
            }
            for site in &mut self.sites {
                let weights = site.networks.weights_mut(variable);
                weights.zip(&mean).for_each(|(to, mean)| *to = *mean);
            }
        }
    }

    /// `sigma(U / tau)`, diagonal 0.
    fn probabilities(&self) -> Array2<f64> {
        let tau = self.params.temperature;
        let mut probabilities = self.logits.mapv(|u| sigmoid(u / tau));
        probabilities.diag_mut().fill(0.0);
        probabilities
    }

    /// h of the mask without noise.
    fn cycles(&mut self) -> f64 {
        let mask = self.probabilities();
        self.exponential.of(&(&mask * &mask));
        self.exponential.closed_walks()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedcdi_core::{Dag, DatasetBuilder, Digraph, Regime, Schema, VarId, Variable};
    use fedcdi_learn::predict::HeadChoice;
    use rand::RngExt;
    use std::sync::Arc;

    /// x0 -> x1 -> x2, each a noisy copy of its cause; rows without interventions and on each.
    fn chain(n_rows: usize, seed: u64) -> Dataset {
        let variables = (0..3).map(|v| Variable::with_codes(format!("x{v}"), 3));
        let schema = Arc::new(Schema::new(variables.collect()).unwrap());
        let mut builder = DatasetBuilder::with_capacity(schema, n_rows);
        let mut rng = Seed::new(seed).rng();
        for row in 0..n_rows {
            let target = row % 4;
            let mut values = [0u16; 3];
            for var in 0..3 {
                let copied = var > 0 && var != target && rng.random_bool(0.8);
                values[var] = if copied {
                    values[var - 1]
                } else {
                    rng.random_range(0..3)
                };
            }
            let regime = match target {
                3 => Regime::Observational,
                target => Regime::intervened([VarId(target)]),
            };
            builder.push(&values, &regime).unwrap();
        }
        builder.finish().unwrap()
    }

    fn quick() -> FedDagParams {
        FedDagParams {
            hidden: vec![8],
            batch: 64,
            steps: 200,
            exchange_every: 50,
            sparsity: 0.02,
            penalty: Some(0.1),
            ..FedDagParams::default()
        }
    }

    fn fit(params: FedDagParams, clients: &[Dataset]) -> RivalFit {
        params.find(clients, Seed::new(3), None).unwrap()
    }

    #[test]
    fn a_chain_is_found_by_one_client_and_by_two() {
        let edges = [(0, 1), (1, 2)].map(|(c, e)| (VarId(c), VarId(e)));
        let truth = Dag::try_from(Digraph::from_edges(3, edges)).unwrap();
        let clients = [chain(600, 1), chain(400, 2)];
        for sharing in [Sharing::Graph, Sharing::All] {
            let params = FedDagParams { sharing, ..quick() };
            let found = fit(params, &clients);
            assert_eq!(found.dag, truth, "{found:?}");
            assert_eq!(found.ending, Ending::Converged);
        }
        assert_eq!(fit(quick(), &clients[..1]).dag, truth);
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes_on_one_thread_and_on_two() {
        let clients = [chain(300, 1), chain(200, 2)];
        let params = FedDagParams {
            iterations: 2,
            head: HeadChoice::Codes,
            sharing: Sharing::All,
            ..quick()
        };
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.unwrap()
                .install(|| fit(params.clone(), &clients).weights)
        };
        assert_eq!(on(1), on(2));
    }

    #[test]
    fn too_few_iterations_end_with_a_graph_and_say_so() {
        let params = FedDagParams {
            iterations: 1,
            ..quick()
        };
        let found = fit(params, &[chain(200, 1)]);
        assert_eq!(found.ending, Ending::IterationLimit);
    }
}
