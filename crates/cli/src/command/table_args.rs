//! How tables are to be read: flags that several commands share.

use std::path::{Path, PathBuf};

use fedcdi_data::read::{Missing, RealColumns, TableOptions};
use fedcdi_study::{DataSpec, Reading};

use super::words::{Word, words};
use crate::failure::Failure;

const MISSING: [Word<Missing>; 3] = [
    ("refuse", "Stop at the first missing value", Missing::Refuse),
    ("drop", "Leave out rows that have one", Missing::DropRow),
    ("category", "Count missing as a category", Missing::Category),
];

#[derive(clap::Args)]
#[command(next_help_heading = "Reading tables")]
pub(crate) struct TableArgs {
    /// Column that names the intervened variables, several joined by ';' [default: intervention]
    #[arg(long, value_name = "NAME")]
    intervention_column: Option<String>,

    /// What to do with missing values [default: refuse]
    #[arg(long, value_parser = words(&MISSING))]
    missing: Option<Missing>,

    /// Expect these variables and categories (a schema.json)
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,

    /// Columns of real numbers, separated by commas, or 'all' (known without this: those of a
    /// schema that says so, and floating-point columns of .parquet and .npz)
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    real: Vec<String>,
}

impl TableArgs {
    pub(crate) fn options(&self) -> Result<TableOptions, Failure> {
        let mut reading = Reading::default();
        self.override_reading(&mut reading);
        Ok(reading.options()?)
    }

    /// How a site reads its table: the study's dictionary says which variables there are.
    pub(crate) fn reading_of_site(&self) -> Result<Reading, Failure> {
        Failure::refuse_if(
            self.schema.is_some() || !self.real.is_empty(),
            "--schema and --real do not apply: the study's dictionary says what every column is; leave them out",
        )?;
        let mut reading = Reading::default();
        self.override_reading(&mut reading);
        Ok(reading)
    }

    /// What was asked for comes on top of what there is, where there are tables to read; `instead`
    /// says how to name one.
    pub(crate) fn override_reading_of(
        &self,
        data: Option<&DataSpec>,
        reading: &mut Reading,
        instead: &str,
    ) -> Result<(), Failure> {
        let asked = self.intervention_column.is_some() || self.missing.is_some();
        let asked = asked || self.schema.is_some() || !self.real.is_empty();
        if asked && !matches!(data, None | Some(DataSpec::File(_))) {
            return Err(Failure::BadInput(format!(
                "--schema, --missing, --real and --intervention-column say how a table is read, and there \
                 is none; {instead}, or leave them out",
            )));
        }
        self.override_reading(reading);
        if let Some(path) = &mut reading.schema {
            *path = absolute(path)?;
        }
        Ok(())
    }

    fn override_reading(&self, reading: &mut Reading) {
        if let Some(name) = &self.intervention_column {
            reading.intervention_column.clone_from(name);
        }
        reading.missing = self.missing.unwrap_or(reading.missing);
        if let Some(path) = &self.schema {
            reading.schema = Some(path.clone());
        }
        match &self.real[..] {
            [] => (),
            [all] if all == "all" => reading.real = RealColumns::All,
            names => reading.real = RealColumns::Named(names.to_vec()),
        }
    }
}

/// A path for a spec: it means the same from any folder, and can be written as text.
pub(crate) fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    // Fails for an empty path only, which no file has; reading it will say so.
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if whole.to_str().is_none() {
        return Err(Failure::in_file(
            &whole,
            "its name is not UTF-8, and the spec of a run could not hold it; rename it",
        ));
    }
    Ok(whole)
}
