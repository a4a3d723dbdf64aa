//! `fedcdi discover`: a causal graph from one table.

use std::path::PathBuf;

use super::run_args::RunArgs;
use crate::failure::Failure;
use crate::running::Running;

/// Find the causal graph behind a table
///
/// Learns from observational and interventional rows and prints every edge, with its probability where
/// the method gives one. If the truth is known (a study folder or .npz that has it), the result is
/// scored. The tables of a study with several sites are pooled.
///
/// Not there yet: missing values that are filled in, effect estimates, pictures as SVG or PNG.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fedcdi discover patients.csv --out run
  fedcdi discover study --seed 1 --json
  fedcdi discover samples.npz --obs 5000 --int 10
  fedcdi discover study --method gies           `fedcdi methods` lists them all
  fedcdi discover patients.csv --knowledge known.toml
  fedcdi discover --spec run/spec.toml          the same run again, byte for byte

known.toml:
  required  = [[\"smoke\", \"lung\"]]
  forbidden = [[\"xray\", \"lung\"]]
  tiers     = [[\"age\", \"sex\"], [\"smoke\"], [\"lung\", \"xray\"]]   # no edge back to an earlier tier")]
pub(crate) struct Args {
    /// Table (.csv, .parquet, .npz) or study folder
    #[arg(value_name = "PATH", required_unless_present = "spec")]
    path: Option<PathBuf>,

    #[command(flatten)]
    run: RunArgs,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let spec = self.run.base()?;
        let mut spec = (self.run).on_top_of(spec, self.path.as_deref(), "name a table")?;
        spec.clients = Some(1);
        spec.compare = false;
        let knowledge = self.run.knowledge_file();
        Running { spec, knowledge }.run_and_show(&self.run)
    }
}
