//! Rows per second of the table readers, 20 variables of 10 categories.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fedcdi_core::{Column, Dataset, Regime, Schema, Seed, VarId, Variable};
use fedcdi_data::read::{TableOptions, read_table};
use fedcdi_data::write::{Overwrite, write_table};
use rand::RngExt;

const N_VARS: usize = 20;

/// Half the rows observational, the others divided over all targets.
fn table(n_rows: usize, label: impl Fn(usize) -> String) -> Dataset {
    let labels: Vec<String> = (0..10).map(label).collect();
    let variables = (0..N_VARS).map(|v| Variable::new(format!("X{v}"), labels.clone()));
    let schema = Arc::new(Schema::new(variables.collect()).expect("names are distinct"));
    let column = |v: usize| {
        let mut rng = Seed::new(0).derive("column", v).rng();
        Column::U8((0..n_rows).map(|_| rng.random_range(0..10)).collect())
    };
    let columns = (0..N_VARS).map(column).collect();
    let mut regimes = vec![Regime::Observational];
    regimes.extend((0..N_VARS).map(|v| Regime::intervened([VarId(v)])));
    let half = n_rows / 2;
    let regime_of = (0..n_rows).map(|row| {
        let target = row.saturating_sub(half) * N_VARS / half.max(1);
        if row < half {
            0
        } else {
            1 + target.min(N_VARS - 1) as u32
        }
    });
    let regime_of = regime_of.collect();
    Dataset::new(schema, columns, regimes, regime_of).expect("codes are below 10")
}

fn file(folder: &Path, name: &str, table: &Dataset) -> PathBuf {
    let path = folder.join(name);
    let options = TableOptions::default();
    write_table(&path, table, None, &options, Overwrite::Yes).expect("the folder is ours");
    path
}

fn read(c: &mut Criterion) {
    let n_rows =
        std::env::var("FEDCDI_BENCH_ROWS").map_or(100_000, |n| n.parse().expect("a number"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let codes = table(n_rows, |code| code.to_string());
    let words = table(n_rows, |code| format!("category {code}"));
    let files = [
        ("csv codes", file(folder.path(), "codes.csv", &codes)),
        ("csv words", file(folder.path(), "words.csv", &words)),
        (
            "parquet codes",
            file(folder.path(), "codes.parquet", &codes),
        ),
        (
            "parquet words",
            file(folder.path(), "words.parquet", &words),
        ),
        ("npz codes", file(folder.path(), "codes.npz", &codes)),
    ];
    let mut group = c.benchmark_group("read/20vars");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(n_rows as u64));
    for (name, path) in &files {
        group.bench_function(format!("{name}/{n_rows}rows"), |b| {
            b.iter(|| read_table(black_box(path), &TableOptions::default()).expect("just written"));
        });
    }
}

criterion_group!(benches, read);
criterion_main!(benches);
