//! Speed of the two stages, of an epoch, and of the matrix product that bounds them.
//!
//! Sizes are those that ENCO was published with: 10 categories, hidden 64 + 64, batch 64, 100 graphs,
//! differences of means; `epoch` also has our defaults. `first` is the belief at the start (every
//! edge 0.25), `converged` one that is sure of a sparse graph.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fedcdi_core::{Belief, Dataset, DatasetBuilder, Regime, Schema, Seed, VarId, Variable};
use fedcdi_learn::bench::{Product, Stages, multiply};
use fedcdi_learn::enco::{Enco, EncoParams, Estimator};
use ndarray::Array2;
use rand::RngExt;

const CATEGORIES: usize = 10;

/// Distribution-fitting steps per measured run; times are per step of all networks.
const STEPS: usize = 20;

/// Each variable copies its predecessor with probability one half, else is uniform.
fn data(n_vars: usize) -> Dataset {
    let variable = |v| Variable::with_codes(format!("x{v}"), CATEGORIES);
    let schema = Arc::new(Schema::new((0..n_vars).map(variable).collect()).expect("a schema"));
    let mut builder = DatasetBuilder::with_capacity(schema, 6000);
    let mut rng = Seed::new(1).rng();
    let mut push = |regime: Regime| {
        let mut row = vec![0; n_vars];
        for v in 0..n_vars {
            let copy = v > 0 && rng.random_bool(0.5) && !regime.intervenes_on(VarId(v));
            row[v] = if copy {
                row[v - 1]
            } else {
                rng.random_range(0..CATEGORIES as u16)
            };
        }
        builder.push(&row, &regime).expect("a row");
    };
    (0..5000).for_each(|_| push(Regime::Observational));
    for target in 0..n_vars {
        (0..64).for_each(|_| push(Regime::intervened([VarId(target)])));
    }
    builder.finish().expect("a table")
}

fn beliefs(n_vars: usize) -> [(&'static str, Belief); 2] {
    let side = |(i, j): (usize, usize)| (j as f64 - i as f64).signum() * 5.0;
    let chain = |(i, j): (usize, usize)| if j == i + 1 { 5.0 } else { -5.0 };
    let existence = Array2::from_shape_fn((n_vars, n_vars), chain);
    let mut orientation = Array2::from_shape_fn((n_vars, n_vars), side);
    orientation.diag_mut().fill(0.0);
    let converged = Belief::new(existence, orientation).expect("finite logits");
    [
        ("first", Belief::uninformed(n_vars)),
        ("converged", converged),
    ]
}

/// ENCO's own sizes.
fn published() -> EncoParams {
    EncoParams {
        hidden: vec![64, 64],
        graphs: 100,
        estimator: Estimator::Difference,
        ..EncoParams::default()
    }
}

fn distribution_fit(c: &mut Criterion) {
    let mut group = c.benchmark_group("distribution_fit");
    group.throughput(Throughput::Elements(STEPS as u64));
    for n_vars in [20, 50, 100] {
        for (name, belief) in beliefs(n_vars) {
            let mut stages = Stages::new(published(), &data(n_vars), &belief);
            let id = BenchmarkId::new(format!("{n_vars}vars"), name);
            group.bench_function(id, |b| b.iter(|| stages.fit_distributions(STEPS)));
        }
    }
}

fn graph_fit(c: &mut Criterion) {
    let mut group = c.benchmark_group("graph_fit");
    for n_vars in [20, 50, 100] {
        for (name, belief) in beliefs(n_vars) {
            let mut stages = Stages::new(published(), &data(n_vars), &belief);
            let id = BenchmarkId::new(format!("{n_vars}vars"), name);
            group.bench_function(id, |b| b.iter(|| stages.fit_graph()));
        }
    }
}

fn epoch(c: &mut Criterion) {
    let mut group = c.benchmark_group("epoch");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(20));
    let data = data(20);
    for (name, params) in [
        ("published", published()),
        ("default", EncoParams::default()),
    ] {
        let params = EncoParams {
            epochs: 1,
            ..params
        };
        group.bench_function(BenchmarkId::new("20vars", name), |b| {
            let new = || Enco::new(params.clone(), &data, Seed::new(5)).expect("settings and data");
            let update = |mut enco: Enco| enco.learn(0, &Belief::uninformed(20)).expect("a belief");
            b.iter_batched(new, update, BatchSize::PerIteration);
        });
    }
}

/// The products of one distribution-fitting step (64 rows) and of one graph-fitting block (256), in
/// floating-point operations per second, beside a general product of the same shape.
fn gemm(c: &mut Criterion) {
    let mut group = c.benchmark_group("gemm");
    for rows in [64usize, 256] {
        let (x, w) = (vec![0.5; rows * 64], vec![0.1; 64 * 64]);
        let (mut y, mut scratch) = (vec![0.0; rows * 64], vec![0.0; 64 * 64]);
        group.throughput(Throughput::Elements(2 * (rows * 64 * 64) as u64));
        for (name, product) in [
            ("general", Product::General),
            ("forward", Product::Forward),
            ("backward_weights", Product::BackwardWeights),
            ("backward_input", Product::BackwardInput),
        ] {
            group.bench_function(BenchmarkId::new(name, rows), |b| {
                b.iter(|| multiply(product, black_box(&x), &w, &mut scratch, &mut y));
            });
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(4))
        .sample_size(20);
    targets = gemm, distribution_fit, graph_fit, epoch
}
criterion_main!(benches);
