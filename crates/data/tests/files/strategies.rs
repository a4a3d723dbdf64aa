//! Random tables and networks with names and labels that are hard on file formats.

use std::sync::Arc;

use fedcdi_core::{Column, Dataset, Regime, Schema, VarId, Variable};
use fedcdi_data::{Cpt, Mechanism, Network};
use proptest::collection::vec;
use proptest::prelude::*;

/// A text that needs quoting somewhere, or looks like something else.
fn nasty() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z]{1,6}",
        2 => "-?[0-9]{1,3}",
        1 => "[ ,\"'\n\r\t;\\\\|{}()<>&/*é漢🦀=]{1,4}",
        1 => prop::sample::select(vec![
            "NA", "nan", "null", "?", " ", "007", "-0", "+1", "1.0", "yes, no", "// x", "table",
            "default", "a\\", "\"", "\u{feff}", "#", "0x1f", "9223372036854775808",
        ])
        .prop_map(String::from),
    ]
}

fn distinct(texts: Vec<String>, fallback: &str) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for text in texts {
        if !kept.contains(&text) {
            kept.push(text);
        }
    }
    if kept.is_empty() {
        kept.push(fallback.to_owned());
    }
    kept
}

/// Labels of one variable: nasty texts, perhaps the empty one, or plain codes.
fn labels() -> impl Strategy<Value = Vec<String>> {
    prop_oneof![
        vec(nasty(), 1..5).prop_map(|texts| distinct(texts, "x")),
        vec(nasty(), 0..3).prop_map(|mut texts| {
            texts.push(String::new());
            distinct(texts, "")
        }),
        (1..6usize).prop_map(|n| (0..n).map(|code| code.to_string()).collect()),
    ]
}

/// Names without the separator of targets and without the name of the intervention column.
pub(crate) fn names(n_vars: usize) -> impl Strategy<Value = Vec<String>> {
    vec(nasty(), n_vars).prop_map(|names| {
        let named = names.into_iter().enumerate();
        let unique = named.map(|(at, name)| format!("{}{at}", name.replace(';', ":")));
        unique.collect()
    })
}

/// A schema of one to five variables; those without labels are real.
fn schema_of<S>(kind: impl Fn() -> S) -> impl Strategy<Value = Arc<Schema>>
where
    S: Strategy<Value = Option<Vec<String>>>,
{
    (1..6usize).prop_flat_map(move |n_vars| {
        (names(n_vars), vec(kind(), n_vars)).prop_map(|(names, labels)| {
            let variables = names.into_iter().zip(labels);
            let variables = variables.map(|(name, labels)| match labels {
                Some(labels) => Variable::new(name, labels),
                None => Variable::real(name),
            });
            Arc::new(Schema::new(variables.collect()).unwrap())
        })
    })
}

/// Categorical variables alone.
pub(crate) fn schema() -> impl Strategy<Value = Arc<Schema>> {
    schema_of(|| labels().prop_map(Some))
}

/// Categorical and real variables.
fn mixed_schema() -> impl Strategy<Value = Arc<Schema>> {
    schema_of(|| prop_oneof![labels().prop_map(Some), Just(None)])
}

/// A finite number that is hard to write: any bits, so also subnormal and negative zero.
fn number(pick: u64) -> f64 {
    let value = f64::from_bits(pick.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    if value.is_finite() && !pick.is_multiple_of(3) {
        value
    } else {
        (pick as f64 - 30.0) / 10.0
    }
}

fn columns(schema: &Arc<Schema>, picks: &[Vec<usize>]) -> Vec<Column> {
    let variables = schema.variables().iter().enumerate();
    let column = |(v, variable): (usize, &Variable)| {
        if variable.is_real() {
            return Column::Real(picks.iter().map(|pick| number(pick[v] as u64)).collect());
        }
        let mut column = Column::of(variable, picks.len());
        for pick in picks {
            column.push((pick[v] % variable.n_categories()) as u16);
        }
        column
    };
    variables.map(column).collect()
}

/// A table of any regimes.
pub(crate) fn table() -> impl Strategy<Value = Dataset> {
    mixed_schema().prop_flat_map(|schema| {
        let n_vars = schema.n_vars();
        let row = (vec(0..60usize, n_vars), vec(0..n_vars, 0..3));
        vec(row, 1..30).prop_map(move |rows| {
            let (picks, targets): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
            let regimes: Vec<Regime> = targets
                .into_iter()
                .map(|targets| Regime::intervened(targets.into_iter().map(VarId)))
                .collect();
            let regime_of = (0..regimes.len() as u32).collect();
            Dataset::new(
                Arc::clone(&schema),
                columns(&schema, &picks),
                regimes,
                regime_of,
            )
            .unwrap()
        })
    })
}

/// A table that a NumPy archive can hold: rows sorted, equally many per single target.
pub(crate) fn archive_table() -> impl Strategy<Value = Dataset> {
    (mixed_schema(), 1..5usize, 0..4usize).prop_flat_map(|(schema, n_observed, per_target)| {
        let n_vars = schema.n_vars();
        let n_rows = n_observed + n_vars * per_target;
        vec(vec(0..60usize, n_vars), n_rows).prop_map(move |picks| {
            let mut regimes = vec![Regime::Observational];
            regimes.extend(schema.ids().map(|v| Regime::intervened([v])));
            let mut regime_of = vec![0; n_observed];
            (1..=n_vars as u32).for_each(|r| regime_of.extend(vec![r; per_target]));
            Dataset::new(
                Arc::clone(&schema),
                columns(&schema, &picks),
                regimes,
                regime_of,
            )
            .unwrap()
        })
    })
}

/// A network of tables; variable `v` may have parents among those before it.
pub(crate) fn network() -> impl Strategy<Value = Network> {
    schema().prop_flat_map(|schema| {
        let n_vars = schema.n_vars();
        let parents = vec(vec(any::<bool>(), n_vars), n_vars);
        (parents, vec(1e-9..1.0f64, 600)).prop_map(move |(has_parent, weights)| {
            let mut weights = weights.into_iter().cycle();
            let size = |v: usize| schema.variable(VarId(v)).n_categories();
            let law = |v: usize| {
                let parents: Vec<usize> =
                    (0..v).rev().filter(|p| has_parent[v][*p]).take(2).collect();
                let n_rows: usize = parents.iter().map(|p| size(*p)).product();
                let mut numbers = Vec::new();
                for _ in 0..n_rows {
                    let row: Vec<f64> = weights.by_ref().take(size(v)).collect();
                    let sum: f64 = row.iter().sum();
                    numbers.extend(row.into_iter().map(|weight| weight / sum));
                }
                let parents = parents.into_iter().map(|p| (VarId(p), size(p))).collect();
                Mechanism::Table(Cpt::new(parents, size(v), numbers).unwrap())
            };
            let laws = (0..n_vars).map(law).collect();
            Network::new(Arc::clone(&schema), laws).unwrap()
        })
    })
}
