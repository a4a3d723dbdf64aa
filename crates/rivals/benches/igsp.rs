//! Speed of IGSP and UT-IGSP on 20 variables: linear Gaussian, and categorical with counting tests.

mod rivals_data;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use fedcdi_core::Seed;
use fedcdi_learn::independence::TestParams;
use fedcdi_rivals::igsp::{IgspParams, Variant};
use rivals_data::{categorical, linear};

fn igsp(c: &mut Criterion) {
    let mut group = c.benchmark_group("igsp");
    group.sample_size(10);
    let samples = linear();
    let data = categorical();
    for (name, data, test, variant) in [
        ("20vars", &samples, TestParams::Gaussian, Variant::Known),
        ("20vars_g", &data, TestParams::G, Variant::Known),
        ("20vars_g_ut", &data, TestParams::G, Variant::Partial),
        (
            "20vars_logistic",
            &data,
            TestParams::Logistic,
            Variant::Known,
        ),
    ] {
        let params = IgspParams {
            test,
            ..IgspParams::default()
        };
        group.bench_function(name, |b| {
            b.iter(|| {
                black_box(
                    params
                        .fit(variant, data, Seed::new(0), None)
                        .expect("a fit"),
                )
            });
        });
    }
    group.finish();
}

criterion_group!(benches, igsp);
criterion_main!(benches);
