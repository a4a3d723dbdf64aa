//! Reports for the tests of the aggregators.

use fedcdi_core::{
    Belief, ClientId, ClientReport, Round, SampleCounts, Schema, Seed, SharedBelief, Variable,
};
use ndarray::Array2;
use proptest::prelude::*;
use rand::RngExt;

/// A report of both matrices with these counts.
pub(super) fn report(
    client: u32,
    belief: Belief,
    n_interventional: &[u64],
    n_observational: u64,
) -> ClientReport {
    let n_vars = n_interventional.len();
    let variables = (0..n_vars).map(|v| Variable::with_codes(format!("v{v}"), 2));
    ClientReport {
        client: ClientId(client),
        round: Round::FIRST,
        schema: Schema::new(variables.collect()).unwrap().hash(),
        belief: SharedBelief::Logits(belief),
        samples: SampleCounts {
            n_samples: n_observational + n_interventional.iter().sum::<u64>(),
            n_observational,
            n_interventional: n_interventional.to_vec(),
            n_joint: Vec::new(),
        },
        tests: Vec::new(),
    }
}

/// A report of psi alone.
pub(super) fn psi_report(client: u32, psi: Array2<f64>, n_interventional: &[u64]) -> ClientReport {
    let belief = Belief::uninformed(psi.nrows());
    ClientReport {
        belief: SharedBelief::Psi(psi),
        ..report(client, belief, n_interventional, 1)
    }
}

/// Logits of two variables: existence of 0 -> 1 and of 1 -> 0, orientation of 0 -> 1.
pub(super) fn pair(existence: [f64; 2], orientation: f64) -> Belief {
    let [forward, backward] = existence;
    Belief::new(
        ndarray::array![[0.0, forward], [backward, 0.0]],
        ndarray::array![[0.0, orientation], [-orientation, 0.0]],
    )
    .unwrap()
}

/// A random belief with logits up to 6.
pub(super) fn belief(n_vars: usize, seed: Seed) -> Belief {
    let mut rng = seed.rng();
    let existence = Array2::from_shape_simple_fn((n_vars, n_vars), || rng.random_range(-6.0..6.0));
    let upper = Array2::from_shape_simple_fn((n_vars, n_vars), || rng.random_range(-6.0..6.0));
    let orientation = Array2::from_shape_fn((n_vars, n_vars), |(i, j)| match i.cmp(&j) {
        std::cmp::Ordering::Less => upper[(i, j)],
        std::cmp::Ordering::Equal => 0.0,
        std::cmp::Ordering::Greater => -upper[(j, i)],
    });
    Belief::new(existence, orientation).unwrap()
}

/// A previous belief and the reports of 1 to 6 clients over 2 to 6 variables.
pub(super) fn any_round() -> impl Strategy<Value = (Belief, Vec<ClientReport>)> {
    (2..=6usize, 1..=6usize, any::<u64>()).prop_map(|(n_vars, n_clients, seed)| {
        let seed = Seed::new(seed);
        let reports = (0..n_clients).map(|client| {
            let own = seed.derive("client", client);
            let mut rng = own.derive("counts", 0).rng();
            let mut count = |limit: u64| rng.random_range(0..limit) * rng.random_range(0..2u64);
            let counts: Vec<u64> = (0..n_vars).map(|_| count(100)).collect();
            let n_observational = 1 + count(1000);
            let belief = belief(n_vars, own);
            report(client as u32, belief, &counts, n_observational)
        });
        let reports = reports.collect();
        (belief(n_vars, seed), reports)
    })
}
