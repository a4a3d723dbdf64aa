//! A small generator of categorical data.
#![allow(clippy::unwrap_used, reason = "test code")]
#![allow(dead_code, reason = "every test file uses its own part")]

use std::sync::Arc;

use fedcdi_core::{
    Belief, Dataset, DatasetBuilder, Digraph, LocalMethod, Regime, Round, Schema, Seed, VarId,
    Variable,
};
use rand::{Rng, RngExt};

/// A uniform number in 0..1.
pub(crate) fn uniform(rng: &mut impl Rng) -> f64 {
    rng.random()
}

/// A causal model whose logits are sums of random tables, one per parent.
pub(crate) struct World {
    pub(crate) graph: Digraph,
    categories: Vec<usize>,
    /// `[effect][cause]`: table `[cause value, effect value]`.
    tables: Vec<Vec<Vec<f64>>>,
}

impl World {
    /// Edges must point from lower to higher numbers.
    pub(crate) fn new(categories: &[usize], edges: &[(usize, usize)], seed: u64) -> Self {
        let mut rng = Seed::new(seed).rng();
        let table = |cause: usize, effect: usize, rng: &mut _| {
            let n = categories[cause] * categories[effect];
            (0..n).map(|_| 6.0 * (uniform(rng) - 0.5)).collect()
        };
        let n = categories.len();
        let tables = (0..n)
            .map(|effect| (0..n).map(|cause| table(cause, effect, &mut rng)).collect())
            .collect();
        let edges = edges.iter().map(|&(c, e)| (VarId(c), VarId(e)));
        Self {
            graph: Digraph::from_edges(n, edges),
            categories: categories.to_vec(),
            tables,
        }
    }

    pub(crate) fn schema(&self) -> Arc<Schema> {
        let variable = |(i, c): (usize, &usize)| Variable::with_codes(format!("x{i}"), *c);
        Arc::new(Schema::new(self.categories.iter().enumerate().map(variable).collect()).unwrap())
    }

    fn sample(&self, targets: &[usize], rng: &mut impl Rng) -> Vec<u16> {
        let mut row = vec![0u16; self.categories.len()];
        for (var, &n) in self.categories.iter().enumerate() {
            let mut weights = vec![1.0; n];
            if !targets.contains(&var) {
                for (value, weight) in weights.iter_mut().enumerate() {
                    let parents = self.graph.parents(VarId(var));
                    let logit = |p: VarId| self.tables[var][p.0][usize::from(row[p.0]) * n + value];
                    *weight = parents.iter().map(logit).sum::<f64>().exp();
                }
            }
            let mut rest = uniform(rng) * weights.iter().sum::<f64>();
            let found = weights.iter().position(|w| {
                rest -= w;
                rest < 0.0
            });
            row[var] = found.unwrap_or(n - 1) as u16;
        }
        row
    }

    /// `n_obs` observational rows and `n_int` for each set of targets.
    pub(crate) fn data(
        &self,
        n_obs: usize,
        regimes: &[&[usize]],
        n_int: usize,
        seed: u64,
    ) -> Dataset {
        let mut rng = Seed::new(seed).derive("data", 0).rng();
        let mut builder = DatasetBuilder::with_capacity(self.schema(), n_obs);
        for _ in 0..n_obs {
            let row = self.sample(&[], &mut rng);
            builder.push(&row, &Regime::Observational).unwrap();
        }
        for targets in regimes {
            let regime = Regime::intervened(targets.iter().map(|t| VarId(*t)));
            for _ in 0..n_int {
                builder
                    .push(&self.sample(targets, &mut rng), &regime)
                    .unwrap();
            }
        }
        builder.finish().unwrap()
    }
}

/// The belief after this many rounds of `method`, each fed with the posterior of the one before.
#[allow(dead_code, reason = "not every test learns in rounds")]
pub(crate) fn rounds(method: &mut dyn LocalMethod, n_vars: usize, n_rounds: u32) -> Belief {
    let first = Belief::uninformed(n_vars);
    (1..=n_rounds).fold(first, |prior, round| {
        method.update(Round(round), &prior).unwrap()
    })
}
