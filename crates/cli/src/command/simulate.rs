//! `fedcdi simulate`: a federation on one machine.

mod rival;

use std::path::PathBuf;

use fedcdi_core::Choice;
use fedcdi_data::TargetSplit;
use fedcdi_learn::registry;
use fedcdi_protocol::rules;
use fedcdi_study::{
    DataSpec, GeneratedData, Preset, RowLimits, RuleSpec, SimulateSpec, read_knowledge, read_spec,
};

use super::baseline_args::BaselineArg;
use super::generate::overwrite;
use super::graph_args::GraphArgs;
use super::local_args::{method, names_of, read_local, set_epochs};
use super::split::By;
use super::table_args::{TableArgs, absolute};
use crate::failure::Failure;
use crate::out_folder;
use crate::simulation::{Simulation, show};

/// Run a federation of several clients on this machine
///
/// Every site (client) learns from its own rows. In each round it sends its belief with weights by its
/// rows, its own graph, and one number per tested pair of variables; no row. What the sums over sites
/// say goes back to them for the next round. docs/what-leaves.md lists everything that leaves. Without --data or --spec a study is generated, to be divided over
/// --clients. A study folder with several tables is used as it is; --clients divides the data anew.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fedcdi simulate --graph er --degree 2 --clients 4 --split vertical --compare
  fedcdi simulate --data study4 --aggregate proximity --beta 10 --out run
  fedcdi simulate --data samples.npz --clients 2 --split 16/4 --obs 10000 --int 100 --json
  fedcdi simulate --data study4 --baseline gies --compare     (a rival on the same clients)
  fedcdi simulate --spec run/spec.toml                        (the same run again)")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(crate) struct Args {
    /// All settings from a file; the flags below come on top, but those of a random graph
    #[arg(long, value_name = "FILE", conflicts_with_all = ["graph", "degree", "edge_probability", "vars", "categories", "mechanism", "set_to", "standardise"])]
    spec: Option<PathBuf>,

    /// Table or study folder
    #[arg(long, value_name = "PATH", conflicts_with_all = ["graph", "degree", "edge_probability", "vars", "categories", "mechanism", "set_to", "standardise"])]
    data: Option<PathBuf>,

    /// Divide the data over this many clients
    #[arg(long, value_name = "K")]
    clients: Option<usize>,

    /// Who gets which targets: horizontal, vertical, or targets per client such as 16/4
    #[arg(long, value_name = "HOW")]
    split: Option<By>,

    /// What every client runs [default: enco]
    #[arg(long, value_name = "METHOD", value_parser = names_of(&registry::standard()))]
    local: Option<String>,

    /// Run this method in place of FedCDI: in its federated form if it has one, else every client by
    /// itself and a vote on the edges
    #[arg(long, value_enum, value_name = "METHOD")]
    baseline: Option<BaselineArg>,

    /// Settings of the local method or the baseline (a TOML file), in place of those of a spec
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,

    /// How beliefs are combined [default: evidence]
    #[arg(long, value_name = "RULE", value_parser = names_of(&rules::standard()))]
    aggregate: Option<String>,

    /// Sharpness of proximity: how much a nearer client counts more; at most 16
    #[arg(long, value_name = "BETA", allow_negative_numbers = true)]
    beta: Option<f64>,

    /// FedCDI exactly as published: every choice of the paper at once (`fedcdi methods --paper` lists
    /// them); other flags come on top
    #[arg(long, conflicts_with_all = ["spec", "baseline"])]
    paper: bool,

    /// Most rounds [default: 10]
    #[arg(long, value_name = "N")]
    rounds: Option<u32>,

    /// Epochs of learning per client and round (enco and sdi) [default: 2]
    #[arg(long, value_name = "N")]
    epochs: Option<usize>,

    /// Observational rows: the first of a file (of every table, if the tables are the clients), or
    /// how many to generate in all
    #[arg(long, value_name = "ROWS")]
    obs: Option<usize>,

    /// Interventional rows: the first of EVERY intervention in a file (of every table, if the tables
    /// are the clients), or how many to generate IN ALL
    #[arg(long, value_name = "ROWS")]
    int: Option<usize>,

    /// Edges that are known beforehand (a TOML file, as for discover)
    #[arg(long, value_name = "FILE")]
    knowledge: Option<PathBuf>,

    /// Which random numbers to use [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    seed: Option<u64>,

    /// Also learn from all rows in one place, and at every client alone
    #[arg(long)]
    compare: bool,

    /// Folder for report.html, spec.toml, run.json, the graph in six formats and, without
    /// --baseline, belief.csv and probabilities.csv
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Replace what is there
    #[arg(long)]
    force: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    graph: GraphArgs,

    #[command(flatten)]
    tables: TableArgs,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        out_folder::check(self.out.as_deref())?;
        if let Some(spec) = self.rival_spec()? {
            return self.run_rival(spec);
        }
        let simulation = Simulation {
            spec: self.spec()?,
            knowledge: self.knowledge.as_ref().or(self.spec.as_ref()).cloned(),
        };
        out_folder::check_free(self.out.as_deref(), self.force, &simulation.spec)?;
        let finished = simulation.run()?;
        out_folder::write_and_show(
            self.out.as_deref(),
            |folder| finished.write(folder, overwrite(self.force)),
            |folder| show(&finished, self.json, folder),
        )
    }

    /// What the flags come on top of.
    fn base_spec(&self) -> Result<SimulateSpec, Failure> {
        Ok(match &self.spec {
            Some(path) => read_spec(path)?,
            None => SimulateSpec {
                data: self.generated()?,
                ..self.preset()
            },
        })
    }

    /// The paper's settings, or ours.
    fn preset(&self) -> SimulateSpec {
        if self.paper {
            Preset::Paper.simulate()
        } else {
            SimulateSpec::default()
        }
    }

    fn spec(&self) -> Result<SimulateSpec, Failure> {
        let mut spec = self.base_spec()?;
        self.override_data(&mut spec.data, &mut spec.rows)?;
        self.tables
            .override_reading_of(Some(&spec.data), &mut spec.read, "add --data")?;
        spec.compare |= self.compare;
        self.override_division(&mut spec.clients, &mut spec.split)?;
        spec.seed = self.seed.unwrap_or(spec.seed);
        self.override_local(&mut spec.local)?;
        spec.coordinator.rounds = self.rounds.unwrap_or(spec.coordinator.rounds);
        self.override_aggregate(&mut spec.aggregate)?;
        if let Some(path) = &self.knowledge {
            spec.knowledge = read_knowledge(path)?;
        }
        Ok(spec)
    }

    fn generated(&self) -> Result<DataSpec, Failure> {
        Ok(DataSpec::Generated(GeneratedData {
            vars: self.graph.vars,
            categories: self.graph.categories,
            graph: self.graph.kind()?,
            real: self.graph.real()?,
            ..GeneratedData::default()
        }))
    }

    fn override_local(&self, local: &mut Choice) -> Result<(), Failure> {
        // Settings of the same method in a spec stay.
        if let Some(name) = self.local.as_ref().filter(|name| **name != local.name) {
            *local = method(name)?;
        }
        if let Some(path) = &self.settings {
            read_local(local, path, self.paper)?;
        }
        match self.epochs {
            Some(epochs) => set_epochs(local, epochs),
            None => Ok(()),
        }
    }

    fn override_division(
        &self,
        clients: &mut Option<usize>,
        split: &mut TargetSplit,
    ) -> Result<(), Failure> {
        *clients = self.clients.or(*clients);
        let Some(By(asked)) = &self.split else {
            return Ok(());
        };
        *split = asked.clone();
        *clients = clients.or(asked.n_clients());
        if clients.is_none() {
            return Err(Failure::bad_input(
                "--split says how the data is divided, but not over how many clients; add --clients K",
            ));
        }
        Ok(())
    }

    fn override_data(&self, data: &mut DataSpec, rows: &mut RowLimits) -> Result<(), Failure> {
        if let Some(path) = &self.data {
            *data = DataSpec::File(path.clone());
        }
        match data {
            DataSpec::File(path) => {
                // The run folder's own spec must find the data from anywhere.
                *path = absolute(path)?;
                rows.observational = self.obs.or(rows.observational);
                rows.per_intervention = self.int.or(rows.per_intervention);
            }
            DataSpec::Generated(generated) => {
                generated.obs = self.obs.unwrap_or(generated.obs);
                generated.int = self.int.unwrap_or(generated.int);
            }
            DataSpec::Network(known) => {
                known.obs = self.obs.unwrap_or(known.obs);
                known.int = self.int.unwrap_or(known.int);
            }
        }
        Ok(())
    }

    fn override_aggregate(&self, rule: &mut RuleSpec) -> Result<(), Failure> {
        // Settings of the same rule in a spec stay.
        if let Some(name) = self.aggregate.as_ref().filter(|name| **name != rule.kind) {
            let space = rule.settings.get("space").cloned();
            *rule = RuleSpec::named(name).map_err(Failure::bad_input)?;
            // The paper pools psi, by whichever rule.
            let pooled = rule
                .settings
                .get_mut("space")
                .zip(space.filter(|_| self.paper));
            if let Some((pooled, space)) = pooled {
                *pooled = space;
            }
        }
        let Some(beta) = self.beta else {
            return Ok(());
        };
        if !rule.settings.contains_key("beta") {
            return Err(Failure::bad_input(
                "--beta is for --aggregate proximity; leave one of them out",
            ));
        }
        rule.settings.insert("beta".to_owned(), beta.into());
        Ok(())
    }
}
