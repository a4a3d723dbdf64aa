//! How tables are to be read: flags that several commands share.

use std::path::PathBuf;
use std::sync::Arc;

use clap::ValueEnum;
use fedcdi_data::read::{Missing, RealColumns, TableOptions};
use fedcdi_data::study::read_schema;

use crate::failure::Failure;

#[derive(clap::Args)]
#[command(next_help_heading = "Reading tables")]
pub(crate) struct TableArgs {
    /// Column that names the intervened variables, several joined by ';'
    #[arg(long, value_name = "NAME", default_value = TableOptions::INTERVENTION)]
    intervention_column: String,

    /// What to do with missing values
    #[arg(long, value_enum, default_value = "refuse")]
    missing: MissingArg,

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
        let schema = match &self.schema {
            Some(path) => Some(Arc::new(read_schema(path)?)),
            None => None,
        };
        Ok(TableOptions {
            intervention_column: self.intervention_column.clone(),
            missing: match self.missing {
                MissingArg::Refuse => Missing::Refuse,
                MissingArg::Drop => Missing::DropRow,
                MissingArg::Category => Missing::Category,
            },
            schema,
            real: match &self.real[..] {
                [] => RealColumns::ByType,
                [all] if all == "all" => RealColumns::All,
                names => RealColumns::Named(names.to_vec()),
            },
        })
    }
}
