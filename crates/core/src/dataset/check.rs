//! Whether columns and regimes make a table.

use super::Column;
use crate::regime::Regime;
use crate::schema::{Schema, SchemaError};
use crate::variable::Variable;

/// Why columns and regimes do not make a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DatasetError {
    /// Columns, values or regimes that do not fit the schema or each other.
    #[error("{0}")]
    Unfit(String),
    /// The schemas cannot be united.
    #[error(transparent)]
    Schema(#[from] SchemaError),
}

fn require(holds: bool, problem: impl FnOnce() -> String) -> Result<(), DatasetError> {
    if holds {
        Ok(())
    } else {
        Err(DatasetError::Unfit(problem()))
    }
}

pub(super) fn check_width(schema: &Schema, found: usize) -> Result<(), DatasetError> {
    let expected = schema.n_vars();
    require(found == expected, || {
        format!("found {found} columns, the schema has {expected} variables")
    })
}

/// Whether there is one column per variable, of its length and kind.
pub(super) fn check_columns(
    schema: &Schema,
    columns: &[Column],
    n_samples: usize,
) -> Result<(), DatasetError> {
    check_width(schema, columns.len())?;
    for (variable, column) in schema.variables().iter().zip(columns) {
        let (name, found) = (&variable.name, column.len());
        require(found == n_samples, || {
            format!("column {name:?} has {found} samples, expected {n_samples}")
        })?;
        check_values(variable, column)?;
    }
    Ok(())
}

/// Whether the values are of the variable's kind: finite numbers, or codes with a category.
fn check_values(variable: &Variable, column: &Column) -> Result<(), DatasetError> {
    let name = &variable.name;
    let finite = |(sample, value): (usize, &f64)| {
        require(value.is_finite(), || {
            let remedy = "remove the row or fill in the value";
            let place = format!("sample {sample}, real variable {name:?}");
            format!("{place}: {value} is not a finite number; {remedy}")
        })
    };
    match (variable.is_real(), column.reals()) {
        (true, Some(values)) => values.iter().enumerate().try_for_each(finite),
        (false, None) => {
            let mut codes = column.codes().enumerate();
            codes.try_for_each(|(sample, code)| check_code(variable, sample, code))
        }
        (true, None) => Err(wrong_kind(variable, "codes", "real")),
        (false, Some(_)) => Err(wrong_kind(variable, "real numbers", "categorical")),
    }
}

/// Whether the code has a category of a variable that has any.
pub(super) fn check_code(
    variable: &Variable,
    sample: usize,
    code: u16,
) -> Result<(), DatasetError> {
    if variable.is_real() {
        return Err(wrong_kind(variable, "codes", "real"));
    }
    let n_categories = variable.n_categories();
    require(usize::from(code) < n_categories, || {
        let place = format!("sample {sample}, variable {:?}", variable.name);
        format!("{place}: code {code} is not below the number of categories, {n_categories}")
    })
}

fn wrong_kind(variable: &Variable, found: &str, expected: &str) -> DatasetError {
    let problem = format!("column {:?} holds {found}, its variable is", variable.name);
    DatasetError::Unfit(format!(
        "{problem} {expected}; compare the table with its schema"
    ))
}

/// Whether every regime is about variables of the schema, and every sample under one of them.
pub(super) fn check_regimes(
    schema: &Schema,
    regimes: &[Regime],
    regime_of: &[u32],
) -> Result<(), DatasetError> {
    let (n_vars, n) = (schema.n_vars(), regimes.len());
    for target in regimes.iter().flat_map(Regime::targets) {
        require(target.0 < n_vars, || {
            let number = target.0;
            format!(
                "an intervention names variable number {number}, the schema has {n_vars} variables"
            )
        })?;
    }
    regime_of.iter().try_for_each(|number| {
        require((*number as usize) < n, || {
            format!("a sample refers to regime number {number}, only {n} are listed")
        })
    })
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
