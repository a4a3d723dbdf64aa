//! Data that rivals are timed on: 20 variables, linear Gaussian and categorical.

use std::sync::Arc;

use fedcdi_core::{Column, Dataset, DatasetBuilder, Regime, Schema, Seed, VarId, VarSet, Variable};
use rand::RngExt;
use rand_distr::StandardNormal;

/// Variables of both tables.
const N_VARS: usize = 20;

/// Causes of a variable: two before it.
fn causes(v: usize) -> Vec<usize> {
    [v.checked_sub(1), v.checked_sub(3)]
        .into_iter()
        .flatten()
        .collect()
}

/// 2000 observational rows and 200 for each of ten targets.
#[allow(dead_code, reason = "not every bench uses both tables")]
pub(crate) fn linear() -> Dataset {
    let mut rng = Seed::new(1).rng();
    let targets = (0..10).map(|t| VarSet::from_members(N_VARS, [VarId(2 * t)]));
    let sets: Vec<VarSet> = std::iter::once(VarSet::empty(N_VARS))
        .chain(targets)
        .collect();
    let mut columns = vec![Vec::new(); N_VARS];
    let mut regime_of = Vec::new();
    for (number, set) in sets.iter().enumerate() {
        for _ in 0..if number == 0 { 2000 } else { 200 } {
            let mut row = [0.0; N_VARS];
            for v in 0..N_VARS {
                let noise: f64 = rng.sample(StandardNormal);
                let sum: f64 = causes(v).iter().map(|c| 0.7 * row[*c]).sum();
                row[v] = noise + if set.contains(VarId(v)) { 2.0 } else { sum };
            }
            columns.iter_mut().zip(row).for_each(|(c, v)| c.push(v));
            regime_of.push(number as u32);
        }
    }
    let variables = (0..N_VARS).map(|v| Variable::real(format!("x{v}")));
    let schema = Arc::new(Schema::new(variables.collect()).expect("a schema"));
    let columns = columns.into_iter().map(Column::Real).collect();
    let regimes = sets.iter().map(|set| Regime::intervened(set.iter()));
    Dataset::new(schema, columns, regimes.collect(), regime_of).expect("a table")
}

/// Four categories; each variable copies one of its causes in seven rows of ten.
pub(crate) fn categorical() -> Dataset {
    let variable = |v| Variable::with_codes(format!("x{v}"), 4);
    let schema = Arc::new(Schema::new((0..N_VARS).map(variable).collect()).expect("a schema"));
    let mut builder = DatasetBuilder::with_capacity(schema, 4000);
    let mut rng = Seed::new(2).rng();
    for row in 0..4000 {
        let regime = match row % 40 {
            target if row % 2 == 0 => Regime::intervened([VarId(target / 2)]),
            _ => Regime::Observational,
        };
        let mut codes = [0u16; N_VARS];
        for v in 0..N_VARS {
            let causes = causes(v);
            let copies = rng.random_bool(0.7) && !causes.is_empty();
            codes[v] = if copies && !regime.intervenes_on(VarId(v)) {
                codes[causes[rng.random_range(0..causes.len())]]
            } else {
                rng.random_range(0..4)
            };
        }
        builder.push(&codes, &regime).expect("a row");
    }
    builder.finish().expect("a table")
}
