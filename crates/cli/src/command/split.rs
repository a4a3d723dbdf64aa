//! `fedcdi split`: one study divided over sites.

use std::path::PathBuf;
use std::str::FromStr;

use fedcdi_core::{Schema, Seed};
use fedcdi_data::study::{Study, TableFormat};
use fedcdi_data::{SplitPlan, TargetSplit};

use super::generate::{find, overwrite};
use super::table_args::TableArgs;
use super::words::{FORMATS, words};
use crate::failure::Failure;
use crate::loading::read_study;
use crate::output::{self, sites_grid, targets};

/// Divide a study over sites
///
/// Observational rows are always dealt evenly. Interventional rows are dealt evenly too
/// (horizontal), or whole targets go to one site each (vertical, or shares such as 16/4), or to the
/// sites that list them with --own, which divide what they share.
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

    /// Number of sites
    #[arg(long, value_name = "K")]
    clients: usize,

    /// Who gets which targets: horizontal, vertical, or targets per site such as 16/4
    #[arg(long, value_name = "HOW", default_value = "horizontal")]
    by: By,

    /// Targets of a site, separated by commas; once per site
    #[arg(long, value_name = "NAMES", conflicts_with = "by")]
    own: Vec<String>,

    /// Random seed
    #[arg(long, value_name = "N", default_value_t, allow_negative_numbers = true)]
    seed: u64,

    /// Study folder to write
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,

    /// How the tables are stored
    #[arg(long, value_parser = words(&FORMATS), default_value = "csv")]
    format: TableFormat,

    /// Replace what is there
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    tables: TableArgs,
}

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
                "use horizontal, vertical, or targets per site such as 16/4".to_owned()
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
        let seed = Seed::new(self.seed).derive("split", 0);
        let truth = study.truth().cloned();
        let divided = Study::split(&study.pool(), truth, &plan, seed).map_err(Failure::refused)?;
        divided.write(&self.out, self.format, overwrite(self.force))?;
        let sites = divided.clients().iter().map(|site| {
            let n_observational = site.data.observational().len();
            let (n_samples, targets) = (site.data.n_samples(), targets(&site.data));
            (&*site.name, n_observational, n_samples, targets)
        });
        let (sites, out) = (sites_grid(sites), self.out.display());
        output::print(&format!("{sites}\nwritten  {out}\n"))
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
