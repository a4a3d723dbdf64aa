//! One column of a table while it is being read: fields become labels or finite numbers.

use fedcdi_core::{Column, Remedy, Schema, Variable};

use super::label_column::LabelColumn;
use super::options::{Missing, TableOptions};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Refused {
    Missing,
    MissingNotInSchema,
    NotInSchema,
    NotUtf8,
    TooManyCategories,
    MissingNumber,
    NoCategoryForMissing,
    NotANumber,
    NotFinite,
}

impl Refused {
    /// What is wrong with this field.
    pub(super) fn problem(self, field: Option<&[u8]>) -> String {
        let shown = String::from_utf8_lossy(field.unwrap_or_default());
        match self {
            Self::NotInSchema => format!("the schema has no category {shown:?} here"),
            Self::NotUtf8 => "the text is not UTF-8".to_owned(),
            Self::TooManyCategories => {
                format!("more than {} different values", Schema::MAX_CATEGORIES)
            }
            Self::NotANumber => format!("{shown:?} is not a number, and the column is real"),
            Self::NotFinite => format!("{shown:?} is not a finite number"),
            _ => "the value is missing".to_owned(),
        }
    }

    pub(super) fn remedy(self, column: &str) -> Remedy {
        let or_drop = |text: String| Remedy::from(text + ", or pass ").set("missing", "drop");
        match self {
            Self::Missing => or_drop("fill it in".to_owned())
                .text(" or ")
                .set("missing", "category"),
            Self::MissingNotInSchema => or_drop(format!(
                "add the category {:?} to the schema",
                Missing::LABEL
            )),
            Self::MissingNumber => or_drop("fill in a number".to_owned()),
            Self::NoCategoryForMissing => {
                or_drop("a real column has no category for that: fill in a number".to_owned())
            }
            Self::NotInSchema => {
                "correct the value, or add the category to the schema of all sites".into()
            }
            Self::NotUtf8 => "save the file as UTF-8".into(),
            Self::TooManyCategories => Remedy::from("the column is probably continuous: pass ")
                .set("real", column)
                .text(", bin its values, or remove it"),
            Self::NotANumber => {
                "write a number with a decimal point, or do not declare the column real".into()
            }
            Self::NotFinite => "correct the value, or remove the row".into(),
        }
    }
}

pub(super) struct ColumnReader {
    pub(super) name: String,
    missing: Missing,
    values: Values,
}

enum Values {
    Labels(Box<LabelColumn>),
    Real(Vec<f64>),
}

impl ColumnReader {
    /// A column of real numbers if it was declared so, else one whose categories are found as they
    /// appear.
    pub(super) fn declared(name: &str, options: &TableOptions) -> Self {
        let values = if options.real.contains(name) {
            Values::Real(Vec::new())
        } else {
            Values::Labels(Box::default())
        };
        Self::new(name, options.missing, values)
    }

    /// A column of this variable and nothing else.
    pub(super) fn fixed(variable: &Variable, options: &TableOptions) -> Self {
        let values = if variable.is_real() {
            Values::Real(Vec::new())
        } else {
            Values::Labels(Box::new(LabelColumn::fixed(
                variable.categories(),
                options.other.as_ref(),
            )))
        };
        Self::new(&variable.name, options.missing, values)
    }

    fn new(name: &str, missing: Missing, values: Values) -> Self {
        Self {
            name: name.to_owned(),
            missing,
            values,
        }
    }

    /// Appends a field, `None` being a null; false if it is missing and its row must go.
    #[inline]
    pub(super) fn push(&mut self, field: Option<&[u8]>) -> Result<bool, Refused> {
        let values = match &mut self.values {
            Values::Labels(column) => return column.push(field, self.missing),
            Values::Real(values) => values,
        };
        let (value, kept) = match field.filter(|field| !Missing::is_token(field)) {
            Some(field) => (number(field)?, true),
            None => match self.missing {
                Missing::Refuse => return Err(Refused::MissingNumber),
                Missing::Category => return Err(Refused::NoCategoryForMissing),
                Missing::DropRow => (0.0, false),
            },
        };
        values.push(value);
        Ok(kept)
    }

    /// The category that a person would read as the same as this field.
    pub(super) fn alike(&self, field: &[u8]) -> Option<&str> {
        match &self.values {
            Values::Labels(column) => column.alike(field),
            Values::Real(_) => None,
        }
    }

    /// How many labels were read as the category for all others.
    pub(super) fn n_others(&self) -> usize {
        match &self.values {
            Values::Labels(column) => column.n_others,
            Values::Real(_) => 0,
        }
    }

    /// Whether it was read as labels and is a measurement by its looks.
    pub(super) fn looks_real(&self) -> bool {
        matches!(&self.values, Values::Labels(column) if column.looks_real())
    }

    pub(super) fn truncate(&mut self, n_rows: usize) {
        match &mut self.values {
            Values::Labels(column) => column.codes.truncate(n_rows),
            Values::Real(values) => values.truncate(n_rows),
        }
    }

    pub(super) fn finish(self) -> (Variable, Column) {
        match self.values {
            Values::Labels(column) => {
                let (categories, column) = column.finish();
                (Variable::new(self.name, categories), column)
            }
            Values::Real(values) => (Variable::real(self.name), Column::Real(values)),
        }
    }
}

/// A finite number; spaces around it do not count.
#[inline]
fn number(field: &[u8]) -> Result<f64, Refused> {
    let text = std::str::from_utf8(field.trim_ascii()).map_err(|_| Refused::NotUtf8)?;
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err(Refused::NotFinite),
        Err(_) => Err(Refused::NotANumber),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(missing: Missing, field: &str) -> Result<bool, Refused> {
        let options = TableOptions {
            missing,
            ..TableOptions::default()
        };
        ColumnReader::fixed(&Variable::real("v"), &options).push(Some(field.as_bytes()))
    }

    #[test]
    fn only_finite_numbers_are_taken() {
        for field in ["1", "-0.5", " 2e-3 ", "+4."] {
            assert_eq!(push(Missing::Refuse, field), Ok(true), "{field}");
        }
        assert_eq!(push(Missing::Refuse, "inf"), Err(Refused::NotFinite));
        assert_eq!(push(Missing::Refuse, "1e999"), Err(Refused::NotFinite));
        assert_eq!(push(Missing::Refuse, "1,5"), Err(Refused::NotANumber));
    }

    #[test]
    fn missing_numbers_are_refused_or_dropped() {
        for field in ["", "NaN", "NA"] {
            let refused = push(Missing::Refuse, field);
            assert_eq!(refused, Err(Refused::MissingNumber), "{field}");
            assert_eq!(push(Missing::DropRow, field), Ok(false));
            let refused = push(Missing::Category, field);
            assert_eq!(refused, Err(Refused::NoCategoryForMissing));
        }
    }
}
