//! `fedcdi generate`: a causal graph, its mechanisms, and samples from them.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use fedcdi_core::{Dag, Dataset, Regime, Schema, Seed};
use fedcdi_data::networks::Builtin;
use fedcdi_data::read::{TableOptions, read_bif};
use fedcdi_data::study::{Study, TableFormat};
use fedcdi_data::write::{Overwrite, write_table};
use fedcdi_data::{InterventionKind, Network, SamplePlan, sample};
use fedcdi_study::RealData;

use super::graph_args::GraphArgs;
use crate::failure::Failure;
use crate::output::{self, count};
use crate::progress;

/// Generate a study: a causal graph and samples from it
///
/// Mechanisms of generated graphs are the random neural networks of the paper, and interventions are
/// perfect and uniform over the categories; or --mechanism asks for real variables. The same seed
/// gives the same bytes on any machine, at any number of threads.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fedcdi generate --graph er --degree 2 --vars 20 --obs 10000 --int 2000 --out study
  fedcdi generate --graph jungle --vars 25 --categories 4 --format parquet --out study
  fedcdi generate --mechanism additive --degree 1 --standardise --out real      (real variables)
  fedcdi generate --network alarm --obs 25000 --int 9250 --out alarm.npz
  fedcdi generate --network mine.bif --targets smoke,bronc --int 200 --out clinic
  fedcdi generate --targets 'X01;X02,X03' --int 400 --out pairs      (X01 and X02 together)")]
pub(crate) struct Args {
    /// A known network instead: asia, sachs, alarm, or a .bif file
    #[arg(long, value_name = "NAME|FILE", conflicts_with_all = ["graph", "degree", "edge_probability", "vars", "categories", "mechanism", "set_to", "standardise"])]
    network: Option<String>,

    /// Observational rows
    #[arg(long, default_value_t = 10_000, value_name = "ROWS")]
    obs: usize,

    /// Interventional rows in all, spread evenly over the targets
    #[arg(long, default_value_t = 2_000, value_name = "ROWS")]
    int: usize,

    /// Variables to intervene on, separated by commas, several at once joined by ';'
    /// [default: every variable, one at a time]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    targets: Vec<String>,

    /// Soft interventions: the target follows another random conditional of its parents
    #[arg(long)]
    soft: bool,

    /// Which of all possible studies
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        allow_negative_numbers = true
    )]
    seed: u64,

    /// Study folder to write, or one table: .csv, .parquet, .npz
    #[arg(long, value_name = "PATH")]
    out: PathBuf,

    /// How the table in a study folder is stored
    /// [default: csv]
    #[arg(long, value_enum, hide_default_value = true)]
    format: Option<FormatArg>,

    /// Replace what is there
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    graph: GraphArgs,
}

/// How the tables of a study are stored.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum FormatArg {
    Csv,
    Parquet,
}

impl From<FormatArg> for TableFormat {
    fn from(format: FormatArg) -> Self {
        match format {
            FormatArg::Csv => Self::Csv,
            FormatArg::Parquet => Self::Parquet,
        }
    }
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        if self.obs + self.int == 0 {
            return Err(Failure::bad_input(
                "a study without rows is none; raise --obs or --int",
            ));
        }
        if self.int == 0 && !self.targets.is_empty() {
            return Err(Failure::bad_input(
                "--targets have no rows with --int 0; leave one of them out",
            ));
        }
        if self.format.is_some() && self.out.extension().is_some() {
            return Err(Failure::bad_input(
                "--format is for study folders, the name of a file says its own; leave it out",
            ));
        }
        let seed = Seed::new(self.seed);
        if let Some(real) = self.graph.real()? {
            return self.run_real(real, seed);
        }
        let network = self.network(seed)?;
        let plan = self.plan(network.schema())?;
        let bar = progress::bar("generating", plan.n_samples() as u64);
        let rows = |n: usize| bar.inc(n as u64);
        let data = sample(&network, &plan, seed.derive("samples", 0), &rows);
        bar.finish_and_clear();
        self.finish(data, network.dag(), &plan)
    }

    fn run_real(&self, real: RealData, seed: Seed) -> Result<(), Failure> {
        if self.soft {
            return Err(Failure::bad_input(
                "--soft is for categorical variables; leave it or --mechanism out",
            ));
        }
        let dag = self.dag(seed)?;
        let network = Network::random_real(&dag, real.mechanism, seed);
        let plan = self.plan(network.map_err(Failure::refused)?.schema())?;
        let bar = progress::bar("generating", plan.n_samples() as u64);
        let rows = |n: usize| bar.inc(n as u64);
        let data = real.draw(&dag, &plan, seed, &rows);
        bar.finish_and_clear();
        self.finish(data.map_err(Failure::refused)?, &dag, &plan)
    }

    fn finish(&self, data: Dataset, dag: &Dag, plan: &SamplePlan) -> Result<(), Failure> {
        self.write(&Study::pooled(data, Some(dag.clone())))?;
        output::print(&self.summary(dag, plan))
    }

    fn dag(&self, seed: Seed) -> Result<Dag, Failure> {
        let dag = self.graph.kind()?;
        let dag = dag.draw(self.graph.vars, seed.derive("graph", 0));
        dag.map_err(Failure::refused)
    }

    fn network(&self, seed: Seed) -> Result<Network, Failure> {
        match &self.network {
            Some(name) if Path::new(name).extension().is_some() => Ok(read_bif(Path::new(name))?),
            Some(name) => {
                let builtin: Builtin = name.parse().map_err(Failure::bad_input)?;
                Ok(builtin.load())
            }
            None => {
                let dag = self.dag(seed)?;
                Network::random(&dag, self.graph.categories, seed.derive("network", 0))
                    .map_err(Failure::refused)
            }
        }
    }

    fn plan(&self, schema: &Schema) -> Result<SamplePlan, Failure> {
        let regime = |names: &String| {
            let ids = names.split(';').map(|name| find(schema, name.trim()));
            Ok(Regime::intervened(
                ids.collect::<Result<Vec<_>, Failure>>()?,
            ))
        };
        let regimes = if self.targets.is_empty() {
            SamplePlan::every_variable(schema.n_vars())
        } else {
            self.targets
                .iter()
                .map(regime)
                .collect::<Result<_, Failure>>()?
        };
        let kind = if self.soft {
            InterventionKind::Soft
        } else {
            InterventionKind::Perfect
        };
        SamplePlan::even(self.obs, self.int, regimes, kind).map_err(Failure::bad_input)
    }

    fn write(&self, study: &Study) -> Result<(), Failure> {
        let overwrite = overwrite(self.force);
        if self.out.extension().is_some() {
            let data = &study.clients()[0].data;
            let truth = study.truth().map(|t| &**t);
            write_table(&self.out, data, truth, &TableOptions::default(), overwrite)?;
        } else {
            let format = self.format.unwrap_or(FormatArg::Csv);
            study.write(&self.out, format.into(), overwrite)?;
        }
        Ok(())
    }

    fn summary(&self, dag: &Dag, plan: &SamplePlan) -> String {
        let targets = match self.int {
            0 => String::new(),
            _ => format!(" over {}", count(plan.regimes.len() - 1, "target")),
        };
        let (n_vars, n_edges) = (dag.n_vars(), dag.n_edges());
        format!(
            "graph    {}, {}\nsamples  {} observational, {} interventional{targets}\nwritten  {}\n",
            count(n_vars, "variable"),
            count(n_edges, "edge"),
            plan.regimes[0].1,
            self.int,
            self.out.display(),
        )
    }
}

/// Whether a file or folder that exists may be replaced.
pub(crate) fn overwrite(force: bool) -> Overwrite {
    if force { Overwrite::Yes } else { Overwrite::No }
}

/// The variable of this name.
pub(crate) fn find(schema: &Schema, name: &str) -> Result<fedcdi_core::VarId, Failure> {
    schema.find(name).ok_or_else(|| {
        let known = output::list(&schema.names(), 8);
        Failure::BadInput(format!(
            "there is no variable {name:?}; the variables are {known}"
        ))
    })
}
