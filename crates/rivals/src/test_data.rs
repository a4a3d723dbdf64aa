//! Small tables for tests, and an impatient watcher.

use fedcdi_core::{Dataset, Digraph, Seed, VarSet};
use fedcdi_learn::{Observer, Progress};
use ndarray::Array2;
use rand::{Rng, RngExt};
use rand_distr::StandardNormal;

#[path = "../../learn/src/score/test_data.rs"]
#[allow(dead_code, reason = "the tests of learn use all of it")]
mod shared;

pub(crate) use shared::{copies, real_table, table};

/// A linear Gaussian model on `graph` with weights of 0.5 to 1 in size; targets are drawn with mean
/// 2. Observational rows, then rows per target set.
pub(crate) fn linear(
    graph: &Digraph,
    counts: (usize, usize),
    targets: &[VarSet],
    seed: u64,
) -> Dataset {
    let n = graph.n_vars();
    let dag = fedcdi_core::Dag::try_from(graph.clone()).unwrap();
    let mut rng = Seed::new(seed).rng();
    let weight = |rng: &mut dyn Rng| {
        let size = rng.random_range(0.5..1.0);
        if rng.random_bool(0.5) { size } else { -size }
    };
    let weights = Array2::from_shape_fn((n, n), |_| weight(&mut rng));
    let mut sets = vec![VarSet::empty(n)];
    sets.extend(targets.iter().cloned());
    let (mut values, mut regime_of) = (Vec::new(), Vec::new());
    for (number, set) in sets.iter().enumerate() {
        for _ in 0..if number == 0 { counts.0 } else { counts.1 } {
            let mut row = vec![0.0; n];
            for &var in dag.topological_order() {
                let noise: f64 = rng.sample(StandardNormal);
                let causes = dag.parents(var).iter();
                let sum: f64 = causes
                    .map(|p| weights[(p.index(), var.index())] * row[p.index()])
                    .sum();
                row[var.index()] = if set.contains(var) {
                    2.0 + noise
                } else {
                    sum + noise
                };
            }
            values.extend(row);
            regime_of.push(number as u32);
        }
    }
    let values = Array2::from_shape_vec((regime_of.len(), n), values).unwrap();
    let names: Vec<String> = (0..n).map(|v| format!("x{v}")).collect();
    real_table(&values, &names, &sets, regime_of)
}

/// Cancels at once.
pub(crate) struct Impatient;

impl Observer for Impatient {
    fn progress(&self, _: &Progress) {}

    fn is_cancelled(&self) -> bool {
        true
    }
}
