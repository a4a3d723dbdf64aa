//! `fedcdi split`: one study divided over clients.

use std::path::PathBuf;
use std::str::FromStr;

use fedcdi_core::{Schema, Seed};
use fedcdi_data::split::split;
use fedcdi_data::study::Study;
use fedcdi_data::{SplitPlan, TargetSplit};

use super::generate::{FormatArg, find, overwrite};
use super::table_args::TableArgs;
use crate::failure::Failure;
use crate::loading::read_study;
use crate::output::{self, Grid, count, list};

/// Divide a study over clients
///
/// Observational rows are always dealt evenly. Interventional rows are dealt evenly too
/// (horizontal), or whole targets go to one client each (vertical, or shares such as 16/4), or to
/// the clients that list them with --own, which divide what they share.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fedcdi split study --clients 4 --by vertical --out study4
  fedcdi split study --clients 2 --by 16/4 --out uneven
  fedcdi split data.csv --clients 2 --own X01,X02 --own X02,X03 --out shared")]
pub(crate) struct Args {
    /// Study folder or table to divide
    #[arg(value_name = "PATH")]
    path: PathBuf,

    /// Number of clients
    #[arg(long, value_name = "K")]
    clients: usize,

    /// Who gets which targets: horizontal, vertical, or targets per client such as 16/4
    #[arg(long, value_name = "HOW", default_value = "horizontal")]
    by: By,

    /// Targets of a client, separated by commas; once per client
    #[arg(long, value_name = "NAMES", conflicts_with = "by")]
    own: Vec<String>,

    /// Which of all possible divisions
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        allow_negative_numbers = true
    )]
    seed: u64,

    /// Study folder to write
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,

    /// How the tables are stored
    #[arg(long, value_enum, default_value = "csv")]
    format: FormatArg,

    /// Replace what is there
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    tables: TableArgs,
}

/// The value of `--by`.
#[derive(Clone)]
pub(crate) struct By(pub(crate) TargetSplit);

impl FromStr for By {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let shares = || {
            let shares = text.split('/').map(str::parse);
            shares.collect::<Result<Vec<usize>, _>>()
        };
        match text {
            "horizontal" => Ok(Self(TargetSplit::Horizontal)),
            "vertical" => Ok(Self(TargetSplit::Vertical)),
            _ => shares().map(|s| Self(TargetSplit::Shares(s))).map_err(|_| {
                "use horizontal, vertical, or targets per client such as 16/4".to_owned()
            }),
        }
    }
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let study = read_study(std::slice::from_ref(&self.path), &self.tables)?;
        let plan = SplitPlan {
            n_clients: self.clients,
            targets: self.targets(study.schema())?,
        };
        let tables = split(
            &study.pool(),
            &plan,
            Seed::new(self.seed).derive("split", 0),
        );
        let tables = tables.map_err(Failure::refused)?;
        let divided = Study::divided(tables, study.truth().cloned());
        divided.write(&self.out, self.format.into(), overwrite(self.force))?;
        output::print(&format!(
            "{}\nwritten  {}\n",
            summary(&divided),
            self.out.display()
        ))
    }

    fn targets(&self, schema: &Schema) -> Result<TargetSplit, Failure> {
        if self.own.is_empty() {
            return Ok(self.by.0.clone());
        }
        let ids = |names: &String| names.split(',').map(|n| find(schema, n.trim())).collect();
        let lists: Result<_, Failure> = self.own.iter().map(ids).collect();
        Ok(TargetSplit::Explicit(lists?))
    }
}

/// One line per client: rows and targets.
pub(crate) fn summary(study: &Study) -> String {
    let mut grid = Grid::new(["client", "observational", "interventional", "targets"]);
    for client in study.clients() {
        let counts = client.data.interventional_counts();
        let owned = study.schema().ids().filter(|v| counts[v.index()] > 0);
        let owned: Vec<String> = owned.map(|v| study.schema().name(v).to_owned()).collect();
        let n_observational = client.data.observational().len();
        grid.row([
            client.name.clone(),
            n_observational.to_string(),
            (client.data.n_samples() - n_observational).to_string(),
            format!("{}: {}", count(owned.len(), "target"), list(&owned, 8)),
        ]);
    }
    grid.render()
}
