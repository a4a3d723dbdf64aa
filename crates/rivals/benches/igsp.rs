//! Speed of IGSP and UT-IGSP on 20 variables: linear Gaussian, and categorical with counting tests.

mod rivals_data;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use fedcdi_core::Seed;
use fedcdi_learn::independence::{GaussianTest, TestParams};
use fedcdi_rivals::igsp::{IgspParams, Variant};
use rivals_data::{categorical, linear};

fn igsp(c: &mut Criterion) {
    let mut group = c.benchmark_group("igsp");
    group.sample_size(10);
    let samples = linear();
    let method = IgspParams::default().check(Variant::Known);
    let method = method.expect("settings in range");
    group.bench_function("20vars", |b| {
        b.iter(|| {
            let tests = GaussianTest::new(&samples).expect("tests");
            black_box(method.fit_tests(&tests, Seed::new(0), None).expect("a fit"))
        });
    });
    let data = categorical();
    for (name, test, variant) in [
        ("20vars_g", TestParams::G, Variant::Known),
        ("20vars_g_ut", TestParams::G, Variant::Partial),
        ("20vars_logistic", TestParams::Logistic, Variant::Known),
    ] {
        let params = IgspParams {
            test,
            ..IgspParams::default()
        };
        let method = params.check(variant).expect("settings in range");
        group.bench_function(name, |b| {
            b.iter(|| black_box(method.fit(&data, Seed::new(0), None).expect("a fit")));
        });
    }
    group.finish();
}

criterion_group!(benches, igsp);
criterion_main!(benches);
