//! Likelihoods of parent sets against their definition.

use std::sync::Arc;

use fedcdi_core::{Column, Dataset, Regime, Schema, Seed, Variable};
use rand::RngExt;

use crate::fit::conditional::{Conditional, Scratch};
use crate::fit::parent_sets::ParentSets;
use crate::fit::samples::{Batch, Samples};
use crate::nn::tests::{Reference, normal_nll};

const SLOPE: f32 = 0.1;

/// Four variables, all real but the second.
fn mixed() -> Dataset {
    let mut rng = Seed::new(1).rng();
    let variables = (0..4).map(|v| match v {
        1 => Variable::with_codes("x1", 2),
        _ => Variable::real(format!("x{v}")),
    });
    let schema = Arc::new(Schema::new(variables.collect()).unwrap());
    let columns = (0..4).map(|v| match v {
        1 => Column::U8((0..40).map(|_| rng.random_range(0..2)).collect()),
        _ => Column::Real((0..40).map(|_| rng.random_range(-20.0..20.0)).collect()),
    });
    let columns = columns.collect();
    Dataset::new(schema, columns, vec![Regime::Observational], vec![0; 40]).unwrap()
}

#[test]
fn likelihoods_are_those_of_the_definition_whatever_the_parents() {
    let samples = Samples::new(&mixed());
    let mut batch = Batch::default();
    batch.fill(&samples, samples.observational());
    let mut sets = ParentSets::new(4);
    sets.clear(8);
    for parents in [&[][..], &[1], &[3], &[0, 1, 3]] {
        sets.push(parents.iter().copied());
    }
    let conditional = Conditional::new(&samples, 2, &[9, 5], SLOPE, &Seed::new(2));
    let mut scratch = Scratch::new(&samples, batch.len());
    let mut found = vec![0.0; sets.len()];
    conditional.nll_of_sets(&batch, &sets, 0, &mut scratch, &mut found);
    let reference = Reference::new(conditional.network(), f64::from(SLOPE));
    for (set, found) in found.iter().enumerate() {
        let mut sum = 0.0;
        for sample in 0..batch.len() {
            let (rows, values) = (batch.sample(sample), batch.values(sample));
            let list = sets.members(set).flat_map(|var| {
                let var = var as usize;
                let value = samples.is_real(var).then(|| f64::from(values[var]));
                let value = value.map(|value| (rows[var] + 1, value));
                [Some((rows[var], 1.0)), value].into_iter().flatten()
            });
            let list: Vec<(u32, f64)> = list.collect();
            sum += normal_nll(&reference.outputs(&list), f64::from(values[2]));
        }
        let exact = sum / batch.len() as f64;
        assert!((found - exact).abs() < 1e-5, "set {set}: {found} {exact}");
    }
}
