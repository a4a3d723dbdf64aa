//! Either kind of column while it is being read.

use fedcdi_core::{Column, Remedy, Schema, Variable};

use super::label_column::LabelColumn;
use super::options::Missing;
use super::real_column::RealColumn;

/// What became of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Taken {
    /// Its value was appended.
    Value,
    /// It is missing and its row must go; a placeholder was appended.
    DropRow,
}

/// Why a field was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
    /// What is wrong with this field of this column, and what to do.
    pub(super) fn explain(self, field: Option<&[u8]>, column: &str) -> (String, Remedy) {
        let shown = String::from_utf8_lossy(field.unwrap_or_default());
        (self.problem(&shown), self.remedy(column))
    }

    fn problem(self, shown: &str) -> String {
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

    fn remedy(self, column: &str) -> Remedy {
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

/// Labels or numbers.
pub(super) enum ColumnReader {
    Labels(Box<LabelColumn>),
    Real(RealColumn),
}

impl ColumnReader {
    /// A column whose categories are found as they appear.
    pub(super) fn inferred(name: &str, missing: Missing) -> Self {
        Self::Labels(Box::new(LabelColumn::inferred(name, missing)))
    }

    /// A column of real numbers.
    pub(super) fn real(name: &str, missing: Missing) -> Self {
        Self::Real(RealColumn::new(name, missing))
    }

    /// A column of this variable and nothing else.
    pub(super) fn fixed(variable: &Variable, missing: Missing) -> Self {
        if variable.is_real() {
            Self::real(&variable.name, missing)
        } else {
            Self::Labels(Box::new(LabelColumn::fixed(variable, missing)))
        }
    }

    pub(super) fn name(&self) -> &str {
        match self {
            Self::Labels(column) => column.name(),
            Self::Real(column) => &column.name,
        }
    }

    /// Appends a field; `None` is a null.
    #[inline]
    pub(super) fn push(&mut self, field: Option<&[u8]>) -> Result<Taken, Refused> {
        match self {
            Self::Labels(column) => column.push(field),
            Self::Real(column) => column.push(field),
        }
    }

    /// Whether it was read as labels and is a measurement by its looks.
    pub(super) fn looks_real(&self) -> bool {
        match self {
            Self::Labels(column) => column.looks_real(),
            Self::Real(_) => false,
        }
    }

    /// Forgets all but the first `n_rows` values.
    pub(super) fn truncate(&mut self, n_rows: usize) {
        match self {
            Self::Labels(column) => column.truncate(n_rows),
            Self::Real(column) => column.values.truncate(n_rows),
        }
    }

    /// The variable and its values.
    pub(super) fn finish(self) -> (Variable, Column) {
        match self {
            Self::Labels(column) => column.finish(),
            Self::Real(column) => (Variable::real(column.name), Column::Real(column.values)),
        }
    }
}
