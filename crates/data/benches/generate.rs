//! Rows per second of the generator: `cargo bench -p fedcdi-data --bench generate`.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use fedcdi_core::Seed;
use fedcdi_data::{GraphKind, InterventionKind, Network, SamplePlan, sample};

const ROWS: usize = 100_000;

fn generate(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("generate");
    group.throughput(Throughput::Elements(ROWS as u64));
    group.sample_size(10);
    for (name, degree) in [("er2_20vars", 2.0), ("er6_20vars", 6.0)] {
        let dag = GraphKind::Er { degree }
            .draw(20, Seed::new(0))
            .expect("20 variables suffice");
        let network = Network::random(&dag, 10, Seed::new(0)).expect("10 categories are fine");
        let regimes = SamplePlan::every_variable(20);
        let plan = SamplePlan::even(ROWS * 5 / 6, ROWS / 6, regimes, InterventionKind::Perfect)
            .expect("there are targets");
        group.bench_function(name, |bencher| {
            bencher.iter_batched(
                || Seed::new(1),
                |seed| sample(&network, &plan, seed, &|_| ()),
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, generate);
criterion_main!(benches);
