//! A common scale for real variables.

use std::sync::Arc;

use fedcdi_core::{Column, Dataset};

/// The same samples with every real column shifted and scaled to mean 0 and deviation 1 over its
/// observational samples (over all, if there are none). Without this, variables further down the
/// graph vary more, and sorting by variance would find much of it.
#[must_use]
pub fn standardise(data: &Dataset) -> Dataset {
    let mut rows = data.observational();
    if rows.is_empty() {
        rows = (0..data.n_samples()).collect();
    }
    let columns = data.schema().ids().map(|var| {
        let column = data.column(var);
        column.reals().map_or_else(
            || column.clone(),
            |values| Column::Real(standard(values, &rows)),
        )
    });
    Dataset::new(
        Arc::clone(data.schema()),
        columns.collect(),
        data.regimes().to_vec(),
        data.regime_of().to_vec(),
    )
    .expect("a common scale keeps numbers finite")
}

fn standard(values: &[f64], rows: &[usize]) -> Vec<f64> {
    let n = rows.len() as f64;
    let mean = rows.iter().map(|r| values[*r]).sum::<f64>() / n;
    let square = |r: &usize| (values[*r] - mean).powi(2);
    let deviation = (rows.iter().map(square).sum::<f64>() / n).sqrt();
    let scale = if deviation > 0.0 {
        1.0 / deviation
    } else {
        1.0
    };
    values.iter().map(|v| (v - mean) * scale).collect()
}
