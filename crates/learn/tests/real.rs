//! Tables of real and categorical variables from end to end.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;

use fedcdi_core::graph::extract;
use fedcdi_core::{Column, Dataset, Knowledge, Regime, Schema, Seed, VarId, Variable};
use fedcdi_learn::enco::{Enco, EncoParams};
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};

fn normal(rng: &mut impl Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// Real 0 -> binary 1 -> real 2 <- real 3, with an intervention on each.
fn mixed(n_obs: usize, per_target: usize, seed: u64) -> Dataset {
    let mut rng = Seed::new(seed).rng();
    let (mut reals, mut codes) = (vec![Vec::new(); 4], Vec::new());
    let mut regime_of = vec![0; n_obs];
    (1..=4).for_each(|target| regime_of.extend(vec![target; per_target]));
    for &regime in &regime_of {
        let set = |target: u32, value: f64, rng: &mut _| {
            if regime == target { normal(rng) } else { value }
        };
        let cause = normal(&mut rng);
        let cause = set(1, 3.0 + cause, &mut rng);
        let follows = rng.random_bool(1.0 / (1.0 + (-2.0 * (cause - 3.0)).exp()));
        let code = if regime == 2 {
            rng.random_bool(0.5)
        } else {
            follows
        };
        let other = normal(&mut rng);
        let other = set(4, other, &mut rng);
        let noise = 0.4 * normal(&mut rng);
        let effect = set(3, f64::from(u8::from(code)) + 0.7 * other + noise, &mut rng);
        for (var, value) in [(0, cause), (2, effect), (3, other)] {
            reals[var].push(10.0 * value);
        }
        codes.push(u8::from(code));
    }
    let variables = (0..4).map(|v| match v {
        1 => Variable::with_codes("x1", 2),
        _ => Variable::real(format!("x{v}")),
    });
    let schema = Arc::new(Schema::new(variables.collect()).unwrap());
    let columns = reals.into_iter().enumerate().map(|(v, values)| match v {
        1 => Column::U8(codes.clone()),
        _ => Column::Real(values),
    });
    let mut regimes = vec![Regime::Observational];
    regimes.extend((0..4).map(|v| Regime::intervened([VarId(v)])));
    Dataset::new(schema, columns.collect(), regimes, regime_of).unwrap()
}

#[test]
fn mixed_tables_give_the_graph_at_any_number_of_threads() {
    let data = mixed(2000, 200, 3);
    let params = EncoParams {
        hidden: vec![24, 24],
        ..EncoParams::default()
    };
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let mut enco = Enco::new(params.clone(), &data, Seed::new(5)).unwrap();
        (pool.build().unwrap()).install(|| common::rounds(&mut enco, 4, 3))
    };
    let found = run(1);
    assert_eq!(found, run(3));
    let dag = extract::dag(&found, &Knowledge::none(4));
    let edges: Vec<(usize, usize)> = dag.edges().map(|(c, e)| (c.0, e.0)).collect();
    assert_eq!(edges, [(0, 1), (1, 2), (3, 2)]);
}
