//! Speed of a search by scores, all rows at one site: 20 variables of ten categories, about two parents
//! each, 10000 observational rows and 100 per target.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use fedcdi_core::{Dataset, DatasetBuilder, Knowledge, Regime, Schema, Seed, VarId, Variable};
use fedcdi_learn::score::rows;
use fedcdi_score::{Outline, Scored, Search, SearchParams};
use rand::RngExt;

const CATEGORIES: usize = 10;

/// Each variable copies one of the two before it in four rows of ten each, else it is uniform.
fn data(n_vars: usize) -> Dataset {
    let variable = |v| Variable::with_codes(format!("x{v}"), CATEGORIES);
    let schema = Arc::new(Schema::new((0..n_vars).map(variable).collect()).expect("a schema"));
    let mut builder = DatasetBuilder::with_capacity(schema, 10_000 + 100 * n_vars);
    let mut rng = Seed::new(1).rng();
    let targets = (0..n_vars).flat_map(|target| vec![Some(VarId(target)); 100]);
    for target in std::iter::repeat_n(None, 10_000).chain(targets) {
        let mut row = vec![0; n_vars];
        for v in 0..n_vars {
            let follows = target != Some(VarId(v));
            row[v] = match rng.random_range(0..10) {
                0..4 if follows && v > 0 => row[v - 1],
                4..8 if follows && v > 1 => row[v - 2],
                _ => rng.random_range(0..CATEGORIES as u16),
            };
        }
        builder
            .push(&row, &Regime::intervened(target))
            .expect("a row");
    }
    builder.finish().expect("a table")
}

fn searched(data: &Dataset) -> Scored {
    let n_vars = data.n_vars();
    let (outline, knowledge) = (
        Outline(vec![Some(CATEGORIES); n_vars]),
        Knowledge::none(n_vars),
    );
    let mut search = Search::new(outline, knowledge, SearchParams::default(), None);
    let mut site = rows(data);
    while let Some(ask) = search.ask().cloned() {
        search.take(&site.sums(&ask));
    }
    search.found()
}

fn search(criterion: &mut Criterion) {
    let data = data(20);
    assert_eq!(
        searched(&data).dag.n_edges(),
        37,
        "every variable has the two before it"
    );
    let mut group = criterion.benchmark_group("score_search");
    group.sample_size(10);
    group.bench_function("20vars", |b| b.iter(|| searched(black_box(&data))));
    group.finish();
}

criterion_group!(benches, search);
criterion_main!(benches);
