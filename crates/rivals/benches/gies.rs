//! Speed of GIES on 20 variables: linear Gaussian, and categorical with a table per variable.

mod rivals_data;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use fedcdi_core::Seed;
use fedcdi_learn::score::{Penalty, ScoreParams, standard};
use fedcdi_rivals::Rival;
use fedcdi_rivals::gies::GiesParams;
use rivals_data::{categorical, linear};

fn gies(c: &mut Criterion) {
    let mut group = c.benchmark_group("gies");
    group.sample_size(10);
    for (name, data, score) in [
        ("20vars", linear(), "gaussian"),
        ("20vars_multinomial", categorical(), "multinomial"),
    ] {
        let params = GiesParams {
            score: ScoreParams::new(score, Penalty::Bic),
            ..GiesParams::default()
        };
        let method = params.by(&standard()).expect("settings in range");
        let sites = [data];
        group.bench_function(name, |b| {
            b.iter(|| black_box(method.find(&sites, Seed::new(0), None).expect("a fit")));
        });
    }
    group.finish();
}

criterion_group!(benches, gies);
criterion_main!(benches);
