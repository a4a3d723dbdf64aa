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
use fedcdi_learn::Pool;
use fedcdi_learn::enco::distribution::DistributionStage;
use fedcdi_learn::enco::graph_fit::{GraphContext, GraphFit};
use fedcdi_learn::enco::logits::EdgeLogits;
use fedcdi_learn::enco::prior::PriorTerm;
use fedcdi_learn::enco::{EdgeRules, Enco, EncoParams, Estimator, PriorLoss};
use fedcdi_learn::fit::conditional::{Conditional, Scratch};
use fedcdi_learn::fit::samples::{Batch, Samples};
use fedcdi_learn::nn::{AdamParams, matmul};
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

fn beliefs(n_vars: usize) -> [(&'static str, EdgeLogits); 2] {
    let rules = EdgeRules::none(n_vars);
    let first = EdgeLogits::from_belief(&Belief::uninformed(n_vars), 7.0, &rules);
    let side = |(i, j): (usize, usize)| (j as f64 - i as f64).signum() * 5.0;
    let chain = |(i, j): (usize, usize)| if j == i + 1 { 5.0 } else { -5.0 };
    let converged = EdgeLogits {
        existence: Array2::from_shape_fn((n_vars, n_vars), chain),
        orientation: Array2::from_shape_fn((n_vars, n_vars), side),
    };
    [("first", first), ("converged", converged)]
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

fn networks(samples: &Samples) -> Vec<Conditional> {
    let new = |j| {
        Conditional::new(
            samples,
            j,
            &published().hidden,
            0.1,
            &Seed::new(2).derive("network", j),
        )
    };
    (0..samples.n_vars()).map(new).collect()
}

fn distribution_fit(c: &mut Criterion) {
    let mut group = c.benchmark_group("distribution_fit");
    for n_vars in [20, 50, 100] {
        let samples = Samples::new(&data(n_vars));
        let params = EncoParams::default();
        let stage = DistributionStage {
            samples: &samples,
            rows: samples.observational(),
            batch: params.batch,
            steps: STEPS,
            real_steps: STEPS,
            adam: AdamParams::at(params.model_rate),
            weight_decay: params.weight_decay_for(samples.observational().len()),
            seed: Seed::new(3),
        };
        let pool: Pool<Scratch> = Pool::default();
        group.throughput(Throughput::Elements(STEPS as u64));
        for (name, logits) in beliefs(n_vars) {
            let id = BenchmarkId::new(format!("{n_vars}vars"), name);
            let mut conditionals = networks(&samples);
            group.bench_function(id, |b| {
                b.iter(|| stage.run(&mut conditionals, &logits, &pool, || {}));
            });
        }
    }
}

fn graph_fit(c: &mut Criterion) {
    let mut group = c.benchmark_group("graph_fit");
    for n_vars in [20, 50, 100] {
        let samples = Samples::new(&data(n_vars));
        let params = published();
        let prior = PriorTerm::new(PriorLoss::None, &Belief::uninformed(n_vars));
        let pool: Pool<Scratch> = Pool::default();
        let conditionals = networks(&samples);
        let context = GraphContext {
            params: &params,
            samples: &samples,
            conditionals: &conditionals,
            rules: &EdgeRules::none(n_vars),
            prior: &prior,
            scratch: &pool,
        };
        let regime = &samples.interventional()[0];
        let mut batch = Batch::default();
        batch.fill(&samples, &regime.samples);
        for (name, logits) in beliefs(n_vars) {
            let mut fit = GraphFit::new(&params, &samples, &Seed::new(4));
            let id = BenchmarkId::new(format!("{n_vars}vars"), name);
            let step = (&batch, &regime.targets[..]);
            group.bench_function(id, |b| {
                b.iter(|| fit.step(&context, &mut logits.clone(), step, None));
            });
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
        let dims = [rows, 64, 64];
        let (x, w, bias) = (vec![0.5; rows * 64], vec![0.1; 64 * 64], vec![0.1; 64]);
        let (mut y, mut dx) = (vec![0.0; rows * 64], vec![0.0; rows * 64]);
        let (mut dw, mut scratch) = (vec![0.0; 64 * 64], vec![0.0; 64 * 64]);
        group.throughput(Throughput::Elements(2 * (rows * 64 * 64) as u64));
        group.bench_function(BenchmarkId::new("general", rows), |b| {
            b.iter(|| matmul::product(dims, black_box(&x), &w, &mut y));
        });
        group.bench_function(BenchmarkId::new("forward", rows), |b| {
            b.iter(|| matmul::affine(dims, black_box(&x), &w, (&bias, 0.1), &mut y));
        });
        group.bench_function(BenchmarkId::new("backward_weights", rows), |b| {
            b.iter(|| matmul::weight_gradient(dims, black_box(&x), &y, &mut dw));
        });
        group.bench_function(BenchmarkId::new("backward_input", rows), |b| {
            let input = (&x[..], 0.1);
            b.iter(|| {
                matmul::input_gradient(dims, black_box(&y), &w, input, &mut scratch, &mut dx);
            });
        });
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
