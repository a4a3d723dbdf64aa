//! Small tables for tests.

use std::sync::Arc;

use fedcdi_core::{
    Column, Dataset, DatasetBuilder, Digraph, Regime, Schema, Seed, VarId, VarSet, Variable,
};
use ndarray::Array2;
use rand::RngExt;

/// Variables of these sizes with these rows.
pub(crate) fn table(sizes: &[usize], rows: &[(&[u16], Regime)]) -> Dataset {
    let variable = |(v, size): (usize, &usize)| Variable::with_codes(format!("x{v}"), *size);
    let schema = Schema::new(sizes.iter().enumerate().map(variable).collect()).unwrap();
    let mut builder = DatasetBuilder::with_capacity(Arc::new(schema), rows.len());
    for (codes, regime) in rows {
        builder.push(codes, regime).unwrap();
    }
    builder.finish().unwrap()
}

/// Observational rows of a graph whose variables copy one of their parents (modulo their size) in
/// seven rows of ten, and a regime per target with a uniform draw of it.
pub(crate) fn copies(
    sizes: &[usize],
    graph: &Digraph,
    counts: (usize, usize),
    targets: &[usize],
    seed: u64,
) -> Dataset {
    let mut rng = Seed::new(seed).rng();
    let dag = fedcdi_core::Dag::try_from(graph.clone()).unwrap();
    let mut rows: Vec<(Vec<u16>, Regime)> = Vec::new();
    let mut add = |regime: Regime, n: usize, rng: &mut dyn FnMut(usize) -> usize| {
        for _ in 0..n {
            let mut row = vec![0u16; sizes.len()];
            for &var in dag.topological_order() {
                let size = sizes[var.index()];
                let parents: Vec<VarId> = dag.parents(var).iter().collect();
                let kept = rng(10) < 7 && !parents.is_empty() && !regime.intervenes_on(var);
                row[var.index()] = if kept {
                    let copied = parents[rng(parents.len())];
                    (usize::from(row[copied.index()]) % size) as u16
                } else {
                    rng(size) as u16
                };
            }
            rows.push((row, regime.clone()));
        }
    };
    let mut draw = |n: usize| rng.random_range(0..n);
    add(Regime::Observational, counts.0, &mut draw);
    for &target in targets {
        add(Regime::intervened([VarId(target)]), counts.1, &mut draw);
    }
    let rows: Vec<(&[u16], Regime)> = rows.iter().map(|(r, g)| (&r[..], g.clone())).collect();
    table(sizes, &rows)
}

/// A chain 0 -> 1 -> 2 .. of copies, observed.
pub(crate) fn chain(sizes: &[usize], n_rows: usize, seed: u64) -> Dataset {
    let edges = (1..sizes.len()).map(|v| (VarId(v - 1), VarId(v)));
    let graph = Digraph::from_edges(sizes.len(), edges);
    copies(sizes, &graph, (n_rows, 0), &[], seed)
}

/// A table of real numbers, `[sample, variable]`; sample `s` has the targets `sets[regime_of[s]]`.
pub(crate) fn real_table(
    values: &Array2<f64>,
    names: &[String],
    sets: &[VarSet],
    regime_of: Vec<u32>,
) -> Dataset {
    let schema = Schema::new(names.iter().map(Variable::real).collect()).unwrap();
    let columns = values.columns().into_iter();
    let columns = columns
        .map(|column| Column::Real(column.to_vec()))
        .collect();
    let regimes = sets.iter().map(|set| Regime::intervened(set.iter()));
    Dataset::new(Arc::new(schema), columns, regimes.collect(), regime_of).unwrap()
}
