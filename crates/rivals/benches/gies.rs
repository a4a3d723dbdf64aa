//! Speed of GIES on 20 variables: linear Gaussian, and categorical with a table per variable.

mod rivals_data;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use fedcdi_learn::independence::target_sets;
use fedcdi_learn::score::{GaussianBic, Penalty, ScoreParams};
use fedcdi_rivals::gies::{GiesParams, search};
use rivals_data::{N_VARS, categorical, linear};

fn gies(c: &mut Criterion) {
    let mut group = c.benchmark_group("gies");
    group.sample_size(10);
    let samples = linear();
    group.bench_function("20vars", |b| {
        b.iter(|| {
            let score = GaussianBic::new(&samples, Penalty::Bic).expect("a score");
            black_box(search(&score, &target_sets(&samples), N_VARS, None))
        });
    });
    let data = categorical();
    let params = GiesParams {
        score: ScoreParams::Multinomial(Penalty::Bic),
        ..GiesParams::default()
    };
    let method = params.check().expect("settings in range");
    group.bench_function("20vars_multinomial", |b| {
        b.iter(|| black_box(method.fit(&data, None).expect("a fit")));
    });
    group.finish();
}

criterion_group!(benches, gies);
criterion_main!(benches);
