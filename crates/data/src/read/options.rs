//! How a table is to be read.

use std::sync::Arc;

use fedcdi_core::Schema;
use serde::{Deserialize, Serialize};

use crate::formats::Format;

/// What to do with a missing value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// Refuse the file and name the first missing value.
    #[default]
    Refuse,
    /// Leave out every row that has one.
    #[serde(alias = "drop")]
    DropRow,
    /// Treat it as one more category, called [`Missing::LABEL`].
    Category,
}

impl Missing {
    /// The category that missing values become. It is itself a missing token, so no real category
    /// of an inferred schema can have this name.
    pub const LABEL: &'static str = "NA";

    /// Whether a field stands for a missing value: empty, `NA`, `N/A`, `NaN`, `null`, `?` (any
    /// case, spaces around it ignored).
    pub(super) fn is_token(field: &[u8]) -> bool {
        const TOKENS: [&[u8]; 6] = [b"", b"NA", b"N/A", b"NAN", b"NULL", b"?"];
        let field = field.trim_ascii();
        field.len() <= 4 && TOKENS.iter().any(|token| field.eq_ignore_ascii_case(token))
    }
}

/// Which columns hold real numbers, where no schema says so.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RealColumns {
    /// Those whose type in the file is floating-point (Parquet, npz); in CSV none.
    #[default]
    ByType,
    /// These, and those whose type says so.
    Named(Vec<String>),
    /// All.
    All,
}

impl RealColumns {
    /// Whether this column was declared to be real.
    pub fn contains(&self, name: &str) -> bool {
        match self {
            Self::ByType => false,
            Self::Named(names) => names.iter().any(|known| known == name),
            Self::All => true,
        }
    }
}

/// How many of the things that are wrong with a table are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Naming {
    /// The first; reading ends there.
    #[default]
    First,
    /// Every one, where a schema says what to expect: each label and each column once.
    All,
}

/// How to read or write a table of samples.
#[derive(Clone, Debug)]
pub struct TableOptions {
    /// The column that names the intervened variables. If it is absent, all rows are
    /// observational; a name other than [`TableOptions::INTERVENTION`] must be present.
    pub intervention_column: String,
    /// What to do with missing values.
    pub missing: Missing,
    /// The variables and categories to expect; inferred from the file if absent.
    pub schema: Option<Arc<Schema>>,
    /// The columns of real numbers; a schema, if there is one, must agree.
    pub real: RealColumns,
    /// A category for all labels that the schema lacks, in variables of the schema that have it. A label
    /// that differs from a category only in case or blanks is refused all the same.
    pub other: Option<String>,
    /// How many of the things that are wrong are named.
    pub naming: Naming,
    /// The formats that are known; more can be added.
    pub formats: Vec<Format>,
}

impl TableOptions {
    /// The usual name of the intervention column.
    pub const INTERVENTION: &'static str = "intervention";

    /// Whether the schema or, without one, the caller says that this column is real.
    pub fn is_real(&self, name: &str) -> bool {
        match &self.schema {
            Some(schema) => schema
                .find(name)
                .is_some_and(|var| schema.variable(var).is_real()),
            None => self.real.contains(name),
        }
    }

    /// Usual names, no missing values, and the categories of this schema.
    pub fn with_schema(schema: Arc<Schema>) -> Self {
        Self {
            schema: Some(schema),
            ..Self::default()
        }
    }
}

impl Default for TableOptions {
    fn default() -> Self {
        Self {
            intervention_column: Self::INTERVENTION.to_owned(),
            missing: Missing::Refuse,
            schema: None,
            real: RealColumns::ByType,
            other: None,
            naming: Naming::First,
            formats: Format::BUILT_IN.to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_tokens_are_recognised_in_any_case() {
        for token in [
            "", "NA", "n/a", "NaN", "nan", "null", "NULL", "?", "  ", " NA ",
        ] {
            assert!(Missing::is_token(token.as_bytes()), "{token:?}");
        }
        for label in ["0", "none", "no", "nano", "-", "N.A.", "missing"] {
            assert!(!Missing::is_token(label.as_bytes()), "{label:?}");
        }
        assert!(Missing::is_token(Missing::LABEL.as_bytes()));
    }
}
