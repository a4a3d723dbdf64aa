//! Whether columns and regimes make a table.

use super::Column;
use crate::regime::Regime;
use crate::schema::{Schema, SchemaError};
use crate::variable::Variable;

/// Why columns and regimes do not make a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DatasetError {
    /// Another number of columns than the schema has variables.
    #[error("found {0} columns, the schema has {1} variables")]
    Columns(usize, usize),
    /// A column shorter or longer than the list of regimes.
    #[error("column {variable:?} has {found} samples, expected {expected}")]
    Length {
        /// The variable.
        variable: String,
        /// Its samples.
        found: usize,
        /// Samples with a regime.
        expected: usize,
    },
    /// A code without a category.
    #[error(
        "sample {sample}, variable {variable:?}: code {code} is not below the number of categories, {n_categories}"
    )]
    Code {
        /// The variable.
        variable: String,
        /// Which sample, from 0.
        sample: usize,
        /// The code.
        code: u16,
        /// The variable's categories.
        n_categories: usize,
    },
    /// Codes for a real variable, or numbers for a categorical one.
    #[error(
        "column {variable:?} holds {found}, its variable is {expected}; compare the table with its schema"
    )]
    Kind {
        /// The variable.
        variable: String,
        /// `codes` or `real numbers`.
        found: &'static str,
        /// `categorical` or `real`.
        expected: &'static str,
    },
    /// A value that is no number.
    #[error(
        "sample {sample}, real variable {variable:?}: {value} is not a finite number; remove the row or fill in the value"
    )]
    NotFinite {
        /// The variable.
        variable: String,
        /// Which sample, from 0.
        sample: usize,
        /// The value as text.
        value: String,
    },
    /// A regime about a variable that is not in the schema.
    #[error("an intervention names variable number {0}, the schema has {1} variables")]
    Target(usize, usize),
    /// A sample refers to a regime that is not listed.
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
            return Err(DatasetError::Length {
                variable: variable.name.clone(),
                found: column.len(),
                expected: n_samples,
            });
        }
        check_values(variable, column)?;
    }
    Ok(())
}

/// Whether the values are of the variable's kind: finite numbers, or codes with a category.
fn check_values(variable: &Variable, column: &Column) -> Result<(), DatasetError> {
    match (variable.is_real(), column.reals()) {
        (true, Some(values)) => {
            let mut values = values.iter().enumerate();
            let wrong = values.find(|(_, value)| !value.is_finite());
            wrong.map_or(Ok(()), |(sample, value)| {
                Err(DatasetError::NotFinite {
                    variable: variable.name.clone(),
                    sample,
                    value: value.to_string(),
                })
            })
        }
        (false, None) => {
            let mut codes = column.codes().enumerate();
            codes.try_for_each(|(sample, code)| check_code(variable, sample, code))
        }
        (true, None) => Err(kind(variable, "codes", "real")),
        (false, Some(_)) => Err(kind(variable, "real numbers", "categorical")),
    }
}

/// Whether the code has a category of a variable that has any.
pub(super) fn check_code(
    variable: &Variable,
    sample: usize,
    code: u16,
) -> Result<(), DatasetError> {
    let n_categories = variable.n_categories();
    if variable.is_real() {
        Err(kind(variable, "codes", "real"))
    } else if usize::from(code) < n_categories {
        Ok(())
    } else {
        Err(DatasetError::Code {
            variable: variable.name.clone(),
            sample,
            code,
            n_categories,
        })
    }
}

fn kind(variable: &Variable, found: &'static str, expected: &'static str) -> DatasetError {
    DatasetError::Kind {
        variable: variable.name.clone(),
        found,
        expected,
    }
}

/// Whether every regime is about variables of the schema, and every sample under one of them.
pub(super) fn check_regimes(
    schema: &Schema,
    regimes: &[Regime],
    regime_of: &[u32],
) -> Result<(), DatasetError> {
    let n_vars = schema.n_vars();
    let mut targets = regimes.iter().flat_map(Regime::targets);
    if let Some(target) = targets.find(|t| t.index() >= n_vars) {
        return Err(DatasetError::Target(target.index(), n_vars));
    }
    match regime_of.iter().find(|r| **r as usize >= regimes.len()) {
        Some(&number) => Err(DatasetError::RegimeNumber(number, regimes.len())),
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
            assert!(
                matches!(&error, DatasetError::NotFinite { variable, sample: 1, .. } if variable == "r")
            );
        }
    }

    #[test]
    fn columns_of_the_wrong_kind_are_refused() {
        let error = real(Column::U8(vec![0]));
        assert!(matches!(
            error,
            Err(DatasetError::Kind {
                expected: "real",
                ..
            })
        ));
    }
}
