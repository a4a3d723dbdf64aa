//! `fedcdi simulate`: a federation on one machine.

use std::path::PathBuf;

use fedcdi_core::Choice;
use fedcdi_protocol::rules;
use fedcdi_study::{Catalogue, DataSpec, GeneratedData, Method, Spec};

use super::graph_args::{GRAPH_FLAGS, GraphArgs};
use super::run_args::{RunArgs, names_of, refuse_for};
use super::split::By;
use crate::failure::Failure;
use crate::running::Running;

/// Run a federation of several sites on this machine
///
/// Every site learns from its own rows. In each round it sends its belief with weights by its
/// rows, and its own graph. The sums over sites go back to the sites for the next round. After the
/// rounds, each sends sums over its rows, such as counts, and scores of these refine the graph (--refine
/// never leaves that out). No row leaves a site. docs/what-leaves.md lists everything that leaves.
///
/// Without --data or --spec, rows are generated and divided over --clients. A study folder with several
/// tables is used as it is; --clients divides the data anew.
///
/// Sites on other machines: fedcdi provision, and docs/engines.md.
#[derive(clap::Args)]
#[command(mut_arg("spec", |spec| spec.conflicts_with_all(GRAPH_FLAGS)))]
#[command(after_help = "\
Examples:
  fedcdi simulate --graph er --degree 2 --clients 4 --split vertical --compare
  fedcdi simulate --data study4 --aggregate proximity --beta 10 --out run
  fedcdi simulate --data samples.npz --clients 2 --split 16/4 --obs 10000 --int 100 --json
  fedcdi simulate --data study4 --method gies --compare       (a rival at the same sites)
  fedcdi simulate --spec run/spec.toml                        (the same run again)")]
pub(crate) struct Args {
    /// Table or study folder
    #[arg(long, value_name = "PATH", conflicts_with_all = GRAPH_FLAGS)]
    data: Option<PathBuf>,

    /// Divide the data over this many sites
    #[arg(long, value_name = "K")]
    clients: Option<usize>,

    /// Who gets which targets: horizontal, vertical, or targets per site such as 16/4
    #[arg(long, value_name = "HOW")]
    split: Option<By>,

    /// How beliefs are combined [default: evidence]
    #[arg(long, value_name = "RULE", value_parser = names_of(&rules::standard()))]
    aggregate: Option<String>,

    /// Sharpness of proximity: how much a nearer site counts more; at most 16
    #[arg(long, value_name = "BETA", allow_negative_numbers = true)]
    beta: Option<f64>,

    /// Also learn from all rows in one place, and at every site alone
    #[arg(long)]
    compare: bool,

    #[command(flatten)]
    run: RunArgs,

    #[command(flatten)]
    graph: GraphArgs,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let (spec, knowledge) = (self.asked()?, self.run.knowledge_file());
        Running { spec, knowledge }.run_and_show(&self.run)
    }

    fn asked(&self) -> Result<Spec, Failure> {
        let mut spec = self.run.base()?;
        if self.run.spec.is_none() {
            spec.data = Some(DataSpec::Generated(GeneratedData {
                vars: self.graph.vars,
                categories: self.graph.categories,
                graph: self.graph.kind()?,
                real: self.graph.real()?,
                ..GeneratedData::default()
            }));
        }
        spec.data.get_or_insert_default();
        let mut spec = (self.run).on_top_of(spec, self.data.as_deref(), "add --data")?;
        self.refuse_for_rival(&spec)?;
        self.override_aggregate(&mut spec.aggregate)?;
        spec.compare |= self.compare;
        self.override_division(&mut spec)?;
        spec.complete(&Catalogue::default())
            .map_err(Failure::bad_input)
    }

    fn refuse_for_rival(&self, spec: &Spec) -> Result<(), Failure> {
        let flags = [
            ("--aggregate", self.aggregate.is_some()),
            ("--beta", self.beta.is_some()),
        ];
        let method = Catalogue::default().methods.build(&spec.method);
        match method.map_err(Failure::bad_input)? {
            Method::Rival(_) | Method::Score(_) => refuse_for(&spec.method.name, &flags),
            Method::Local(_) => Ok(()),
        }
    }

    fn override_division(&self, spec: &mut Spec) -> Result<(), Failure> {
        spec.clients = self.clients.or(spec.clients);
        if let Some(By(asked)) = &self.split {
            spec.split = asked.clone();
            spec.clients = spec.clients.or(asked.n_clients());
            Failure::refuse_if(
                spec.clients.is_none(),
                "--split sets how the data is divided, but not over how many sites; add --clients K",
            )?;
        }
        match spec.clients {
            Some(n @ (0 | 1)) => Err(too_few(n)),
            _ => Ok(()),
        }
    }

    fn override_aggregate(&self, rule: &mut Choice) -> Result<(), Failure> {
        // Settings of the same rule in a spec stay.
        if let Some(name) = self.aggregate.as_ref().filter(|name| **name != rule.name) {
            let space = rule.settings.get("space").cloned();
            let named = rules::standard().complete(&Choice::named(name));
            *rule = named.map_err(Failure::bad_input)?;
            // The paper pools psi, by whichever rule.
            let pooled = rule.settings.get_mut("space");
            if let Some((pooled, space)) = pooled.zip(space.filter(|_| self.run.paper)) {
                *pooled = space;
            }
        }
        let Some(beta) = self.beta else {
            return Ok(());
        };
        Failure::refuse_if(
            !rule.settings.contains_key("beta"),
            "--beta is for --aggregate proximity; leave one of them out",
        )?;
        rule.settings.insert("beta".to_owned(), beta.into());
        Ok(())
    }
}

pub(crate) fn too_few(n: usize) -> Failure {
    Failure::BadInput(format!(
        "a federation needs at least 2 sites, this one has {n}; pass --clients with 2 or more, or use fedcdi discover"
    ))
}
