//! `fedcdi generate`: a causal graph, its mechanisms, and samples from them.

use std::path::{Path, PathBuf};

use fedcdi_core::{Dag, Dataset, Regime, Schema, Seed};
use fedcdi_data::networks::Builtin;
use fedcdi_data::read::{TableOptions, read_bif};
use fedcdi_data::study::{Study, TableFormat};
use fedcdi_data::write::{Overwrite, write_table};
use fedcdi_data::{InterventionKind, Network, SamplePlan, sample, standardise};
use fedcdi_study::RealData;
use fedcdi_study::report::count;

use super::graph_args::{GRAPH_FLAGS, GraphArgs};
use super::words::{FORMATS, words};
use crate::failure::Failure;
use crate::output;
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
    #[arg(long, value_name = "NAME|FILE", conflicts_with_all = GRAPH_FLAGS)]
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

    /// Random seed
    #[arg(long, value_name = "N", default_value_t, allow_negative_numbers = true)]
    seed: u64,

    /// Study folder to write, or one table: .csv, .parquet, .npz
    #[arg(long, value_name = "PATH")]
    out: PathBuf,

    /// How the table in a study folder is stored
    /// [default: csv]
    #[arg(long, value_parser = words(&FORMATS), hide_default_value = true)]
    format: Option<TableFormat>,

    /// Replace what is there
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    graph: GraphArgs,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        Failure::refuse_if(
            self.obs + self.int == 0,
            "a study without rows is none; raise --obs or --int",
        )?;
        Failure::refuse_if(
            self.int == 0 && !self.targets.is_empty(),
            "--targets have no rows with --int 0; leave one of them out",
        )?;
        Failure::refuse_if(
            self.format.is_some() && self.out.extension().is_some(),
            "--format is for study folders, the extension decides for a file; leave it out",
        )?;
        let real = self.graph.real()?;
        Failure::refuse_if(
            self.soft && real.is_some(),
            "--soft is for categorical variables; leave it or --mechanism out",
        )?;
        let seed = Seed::new(self.seed);
        let network = self.network(real, seed)?;
        let mut plan = self.plan(network.schema())?;
        plan.set_to = real.map_or(plan.set_to, |real| real.set_to);
        let bar = progress::bar("generating", plan.n_samples() as u64);
        let rows = |n: usize| bar.inc(n as u64);
        let mut data = sample(&network, &plan, seed.derive("samples", 0), &rows);
        bar.finish_and_clear();
        if real.is_some_and(|real| real.standardise) {
            data = standardise(&data);
        }
        self.write(data, network.dag())?;
        output::print(&self.summary(network.dag(), &plan))
    }

    fn network(&self, real: Option<RealData>, seed: Seed) -> Result<Network, Failure> {
        match &self.network {
            Some(name) if Path::new(name).extension().is_some() => Ok(read_bif(Path::new(name))?),
            Some(name) => {
                let builtin: Builtin = name.parse().map_err(Failure::bad_input)?;
                Ok(builtin.load())
            }
            None => {
                let dag = self.graph.kind()?;
                let dag = dag.draw(self.graph.vars, seed.derive("graph", 0));
                let dag = dag.map_err(Failure::refused)?;
                let seed = seed.derive("network", 0);
                let network = match real {
                    Some(real) => Network::random_real(&dag, real.mechanism, seed),
                    None => Network::random(&dag, self.graph.categories, seed),
                };
                network.map_err(Failure::refused)
            }
        }
    }

    fn plan(&self, schema: &Schema) -> Result<SamplePlan, Failure> {
        let regime = |names: &String| {
            let ids = names.split(';').map(|name| find(schema, name.trim()));
            let ids: Result<Vec<_>, Failure> = ids.collect();
            ids.map(Regime::intervened)
        };
        let regimes = match &self.targets[..] {
            [] => SamplePlan::every_variable(schema.n_vars()),
            targets => targets.iter().map(regime).collect::<Result<_, _>>()?,
        };
        let kind = if self.soft {
            InterventionKind::Soft
        } else {
            InterventionKind::Perfect
        };
        SamplePlan::even(self.obs, self.int, regimes, kind).map_err(Failure::bad_input)
    }

    fn write(&self, data: Dataset, dag: &Dag) -> Result<(), Failure> {
        let overwrite = overwrite(self.force);
        if self.out.extension().is_some() {
            write_table(
                &self.out,
                &data,
                Some(dag),
                &TableOptions::default(),
                overwrite,
            )?;
        } else {
            let study = Study::pooled(data, Some(dag.clone()));
            study.write(&self.out, self.format.unwrap_or_default(), overwrite)?;
        }
        Ok(())
    }

    fn summary(&self, dag: &Dag, plan: &SamplePlan) -> String {
        let targets = match self.int {
            0 => String::new(),
            _ => format!(" over {}", count(plan.regimes.len() - 1, "target")),
        };
        format!(
            "graph    {}, {}\nsamples  {} observational, {} interventional{targets}\nwritten  {}\n",
            count(dag.n_vars(), "variable"),
            count(dag.n_edges(), "edge"),
            plan.regimes[0].1,
            self.int,
            self.out.display(),
        )
    }
}

pub(crate) fn overwrite(force: bool) -> Overwrite {
    if force { Overwrite::Yes } else { Overwrite::No }
}

pub(crate) fn find(schema: &Schema, name: &str) -> Result<fedcdi_core::VarId, Failure> {
    schema.find(name).ok_or_else(|| {
        let known = output::list(&schema.names(), 8);
        Failure::BadInput(format!(
            "there is no variable {name:?}; the variables are {known}"
        ))
    })
}
