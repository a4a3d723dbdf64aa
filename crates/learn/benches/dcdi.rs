//! Speed of DCDI on 20 variables: a thousand iterations early, when masks are undecided, and late,
//! when the weights of closed inputs have long decayed.

#[path = "../../rivals/benches/rivals_data/mod.rs"]
mod rivals_data;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use fedcdi_core::Seed;
use fedcdi_learn::dcdi::training::{Ending, Training};
use fedcdi_learn::dcdi::{DcdiParams, HeadChoice};
use fedcdi_learn::predict::Inputs;
use rivals_data::categorical;

fn training(iterations: usize) -> Training {
    let data = categorical();
    let (_, inputs) = Inputs::new(&data, HeadChoice::Categories, "DCDI").expect("categories");
    let params = DcdiParams::default();
    iterated(Training::new(&params, inputs, &Seed::new(0)), iterations)
}

fn iterated(mut training: Training, iterations: usize) -> Training {
    for _ in 0..iterations {
        training.iterate(Ending::Never).expect("it converges");
    }
    training
}

fn dcdi(c: &mut Criterion) {
    let mut group = c.benchmark_group("dcdi");
    group.sample_size(10);
    for (name, before) in [("early", 0), ("late", 30_000)] {
        group.bench_function(name, |b| {
            b.iter_batched(
                || training(before),
                |t| iterated(t, 1000),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, dcdi);
criterion_main!(benches);
