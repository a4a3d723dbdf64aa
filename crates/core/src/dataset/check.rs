//! Whether columns and regimes make a table.

use super::Column;
use crate::regime::Regime;
use crate::schema::{Schema, SchemaError};
use crate::variable::Variable;

/// Why columns and regimes do not make a table. Samples count from 0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DatasetError {
    /// Numbers of columns and of variables.
    #[error("found {0} columns, the schema has {1} variables")]
    Columns(usize, usize),
    /// A column whose number of samples is not that of the regimes.
    #[error("column {0:?} has {1} samples, expected {2}")]
    Length(String, usize, usize),
    /// A sample of a variable, its code, and the number of categories.
    #[error("sample {0}, variable {1:?}: code {2} is not below the number of categories, {3}")]
    Code(usize, String, u16, usize),
    /// A column, what it holds, and what its variable is.
    #[error("column {0:?} holds {1}, its variable is {2}; compare the table with its schema")]
    Kind(String, &'static str, &'static str),
    /// A sample of a real variable, and its value, which is no number.
    #[error(
        "sample {0}, real variable {1:?}: {2} is not a finite number; remove the row or fill in the value"
    )]
    NotFinite(usize, String, String),
    /// An intervened variable, and the number of variables.
    #[error("an intervention names variable number {0}, the schema has {1} variables")]
    Target(usize, usize),
    /// The regime of a sample, and the number of regimes.
    #[error("a sample refers to regime number {0}, only {1} are listed")]
    RegimeNumber(u32, usize),
    /// The schemas cannot be united.
    #[error(transparent)]
    Schema(#[from] SchemaError),
}

/// Whether there is one column per variable, of its length and kind.
pub(super) fn check_columns(
    schema: &Schema,
    columns: &[Column],
    n_samples: usize,
) -> Result<(), DatasetError> {
    if columns.len() != schema.n_vars() {
        return Err(DatasetError::Columns(columns.len(), schema.n_vars()));
    }
    for (variable, column) in schema.variables().iter().zip(columns) {
        if column.len() != n_samples {
            let name = variable.name.clone();
            return Err(DatasetError::Length(name, column.len(), n_samples));
        }
        check_values(variable, column)?;
    }
    Ok(())
}

/// Whether the values are of the variable's kind: finite numbers, or codes with a category.
fn check_values(variable: &Variable, column: &Column) -> Result<(), DatasetError> {
    let name = || variable.name.clone();
    match (variable.is_real(), column.reals()) {
        (true, Some(values)) => match values.iter().position(|value| !value.is_finite()) {
            Some(at) => Err(DatasetError::NotFinite(at, name(), values[at].to_string())),
            None => Ok(()),
        },
        (false, None) => {
            let mut codes = column.codes().enumerate();
            codes.try_for_each(|(sample, code)| check_code(variable, sample, code))
        }
        (true, None) => Err(DatasetError::Kind(name(), "codes", "real")),
        (false, Some(_)) => Err(DatasetError::Kind(name(), "real numbers", "categorical")),
    }
}

/// Whether the code has a category of a variable that has any.
pub(super) fn check_code(
    variable: &Variable,
    sample: usize,
    code: u16,
) -> Result<(), DatasetError> {
    let (name, n_categories) = (|| variable.name.clone(), variable.n_categories());
    if variable.is_real() {
        Err(DatasetError::Kind(name(), "codes", "real"))
    } else if usize::from(code) < n_categories {
        Ok(())
    } else {
        Err(DatasetError::Code(sample, name(), code, n_categories))
    }
}

/// Whether every regime is about variables of the schema, and every sample under one of them.
pub(super) fn check_regimes(
    schema: &Schema,
    regimes: &[Regime],
    regime_of: &[u32],
) -> Result<(), DatasetError> {
    let (n_vars, n_regimes) = (schema.n_vars(), regimes.len());
    let mut targets = regimes.iter().flat_map(Regime::targets);
    if let Some(target) = targets.find(|t| t.index() >= n_vars) {
        return Err(DatasetError::Target(target.index(), n_vars));
    }
    match regime_of.iter().find(|r| **r as usize >= n_regimes) {
        Some(number) => Err(DatasetError::RegimeNumber(*number, n_regimes)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::dataset::Dataset;

    fn real(column: Column) -> Result<Dataset, DatasetError> {
        let schema = Arc::new(Schema::new(vec![Variable::real("r")]).unwrap());
        let regime_of = vec![0; column.len()];
        Dataset::new(schema, vec![column], vec![Regime::Observational], regime_of)
    }

    #[test]
    fn numbers_that_are_not_finite_are_refused_by_row() {
        for value in [f64::NAN, f64::INFINITY] {
            let error = real(Column::Real(vec![0.0, value])).unwrap_err();
            let text = error.to_string();
            assert!(
                text.starts_with("sample 1, real variable \"r\": "),
                "{text}"
            );
        }
    }

    #[test]
    fn columns_of_the_wrong_kind_are_refused() {
        let text = real(Column::U8(vec![0])).unwrap_err().to_string();
        assert!(text.contains("holds codes, its variable is real"), "{text}");
    }
}
