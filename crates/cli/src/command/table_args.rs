//! How tables are to be read: flags that several commands share.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use fedcdi_data::read::{Missing, RealColumns, TableOptions};
use fedcdi_study::{DataSpec, Reading};

use crate::failure::Failure;

#[derive(clap::Args)]
#[command(next_help_heading = "Reading tables")]
pub(crate) struct TableArgs {
    /// Column that names the intervened variables, several joined by ';' [default: intervention]
    #[arg(long, value_name = "NAME")]
    intervention_column: Option<String>,

    /// What to do with missing values [default: refuse]
    #[arg(long, value_enum)]
    missing: Option<MissingArg>,

    /// Expect these variables and categories (a schema.json)
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,

    /// Columns of real numbers, separated by commas, or 'all' (known without this: those of a
    /// schema that says so, and floating-point columns of .parquet and .npz)
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    real: Vec<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum MissingArg {
    /// Stop and name the first missing value
    Refuse,
    /// Leave out rows that have one
    Drop,
    /// Treat missing as a category of its own
    Category,
}

impl TableArgs {
    pub(crate) fn options(&self) -> Result<TableOptions, Failure> {
        let mut reading = Reading::default();
        self.override_reading(&mut reading);
        Ok(reading.options()?)
    }

    /// What was asked for comes on top of what there is, where there are tables to read; `instead`
    /// says how to name one.
    pub(crate) fn override_reading_of(
        &self,
        data: Option<&DataSpec>,
        reading: &mut Reading,
        instead: &str,
    ) -> Result<(), Failure> {
        let tables = matches!(data, None | Some(DataSpec::File(_)));
        if self.say_something() && !tables {
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

    /// Whether anything is said of how tables are read.
    fn say_something(&self) -> bool {
        let Self {
            intervention_column,
            missing,
            schema,
            real,
        } = self;
        intervention_column.is_some() || missing.is_some() || schema.is_some() || !real.is_empty()
    }

    fn override_reading(&self, reading: &mut Reading) {
        if let Some(name) = &self.intervention_column {
            reading.intervention_column.clone_from(name);
        }
        if let Some(missing) = self.missing {
            reading.missing = match missing {
                MissingArg::Refuse => Missing::Refuse,
                MissingArg::Drop => Missing::DropRow,
                MissingArg::Category => Missing::Category,
            };
        }
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
