//! How the tables of a run are read, as part of its spec.

use std::path::PathBuf;
use std::sync::Arc;

use fedcdi_data::FileError;
use fedcdi_data::read::{Missing, RealColumns, TableOptions};
use fedcdi_data::study::read_schema;
use serde::{Deserialize, Serialize};

/// How tables are read; has no effect on data that is generated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reading {
    /// The column that names the intervened variables.
    pub intervention_column: String,
    /// What to do with missing values.
    pub missing: Missing,
    /// A file with the variables and categories to expect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<PathBuf>,
    /// The columns of real numbers.
    pub real: RealColumns,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            intervention_column: TableOptions::INTERVENTION.to_owned(),
            missing: Missing::default(),
            schema: None,
            real: RealColumns::default(),
        }
    }
}

impl Reading {
    /// The same with the schema in memory.
    ///
    /// # Errors
    /// [`FileError`] if there is a schema and it cannot be read.
    pub fn options(&self) -> Result<TableOptions, FileError> {
        let (schema, other) = match &self.schema {
            None => (None, None),
            Some(path) => {
                let file = read_schema(path)?;
                (Some(Arc::new(file.schema)), file.other)
            }
        };
        Ok(TableOptions {
            intervention_column: self.intervention_column.clone(),
            missing: self.missing,
            schema,
            other,
            real: self.real.clone(),
            ..TableOptions::default()
        })
    }

    /// Whether nothing was asked for: such specs are written without it, as they were before it
    /// could be asked for.
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let reading = Reading {
            intervention_column: "treatment".to_owned(),
            missing: Missing::DropRow,
            schema: Some(PathBuf::from("schema.json")),
            real: RealColumns::Named(vec!["age".to_owned()]),
        };
        let text = toml::to_string(&reading).unwrap();
        assert_eq!(toml::from_str::<Reading>(&text).unwrap(), reading);
        assert!(Reading::default().is_default());
        // As it is called on the command line.
        let drop: Reading = toml::from_str("missing = \"drop\"").unwrap();
        assert_eq!(drop.missing, Missing::DropRow);
    }
}
