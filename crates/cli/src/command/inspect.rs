//! `fedcdi inspect`: what a table or study holds.

use std::fmt::Write as _;
use std::path::PathBuf;

use fedcdi_data::inspect::Inspection;
use fedcdi_data::study::Study;
use fedcdi_data::{FederationSufficiency, Sufficiency};
use serde::Serialize;

use super::enough;
use super::table_args::TableArgs;
use crate::failure::Failure;
use crate::output::{self, Grid, count, list};

/// Show what a table or study folder holds, what deserves a second look, and whether it is enough
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fedcdi inspect study
  fedcdi inspect site-a.csv site-b.csv          (as the clients of one study)
  fedcdi inspect patients.csv --missing drop --intervention-column treated
  fedcdi inspect study --json | jq '.clients[].warnings'
  fedcdi inspect study --json | jq '.clients[].sufficiency.remedies'")]
pub(crate) struct Args {
    /// Study folder, or tables: .csv, .parquet, .npz
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    tables: TableArgs,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    schema_hash: String,
    n_vars: usize,
    n_samples: usize,
    n_observational: usize,
    truth_edges: Option<usize>,
    clients: Vec<ClientReport>,
    /// What several clients can tell together.
    federation: Option<FederationSufficiency>,
}

#[derive(Serialize)]
struct ClientReport {
    name: String,
    #[serde(flatten)]
    inspection: Inspection,
    sufficiency: Sufficiency,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let study = read_study(&self.paths, &self.tables)?;
        let clients = study.clients().iter().map(|client| ClientReport {
            name: client.name.clone(),
            inspection: Inspection::of(&client.data),
            sufficiency: Sufficiency::of(&client.data),
        });
        let clients: Vec<ClientReport> = clients.collect();
        let total = |of: fn(&Inspection) -> usize| clients.iter().map(|c| of(&c.inspection)).sum();
        let report = Report {
            schema_hash: study.schema().hash().to_string(),
            n_vars: study.schema().n_vars(),
            n_samples: total(|i| i.n_samples),
            n_observational: total(|i| i.n_observational),
            truth_edges: study.truth().map(|t| t.n_edges()),
            federation: together(&clients),
            clients,
        };
        if self.json {
            output::print_json(&report)
        } else {
            output::print(&report.text())
        }
    }
}

fn together(clients: &[ClientReport]) -> Option<FederationSufficiency> {
    let each: Vec<&Sufficiency> = clients.iter().map(|c| &c.sufficiency).collect();
    let several = each.len() > 1;
    several.then(|| FederationSufficiency::of(&each)).flatten()
}

/// A study folder, or tables as its clients.
pub(crate) fn read_study(paths: &[PathBuf], tables: &TableArgs) -> Result<Study, Failure> {
    let spinner = crate::progress::spinner(format!("reading {}", paths[0].display()));
    let study = match paths {
        [one] => Study::read(one, &tables.options()?),
        several => Study::read_tables(several, &tables.options()?),
    };
    spinner.finish_and_clear();
    Ok(study?)
}

impl Report {
    fn text(&self) -> String {
        let mut text = format!(
            "{}, {}, {}: {} observational, {} interventional\nschema hash {}\n",
            count(self.clients.len(), "client"),
            count(self.n_vars, "variable"),
            count(self.n_samples, "row"),
            self.n_observational,
            self.n_samples - self.n_observational,
            &self.schema_hash[..16],
        );
        if let Some(edges) = self.truth_edges {
            let _ = writeln!(text, "the true graph is known: {}", count(edges, "edge"));
        }
        if self.clients.len() > 1 {
            text += &self.clients_grid();
        }
        text += &self.variables_grid();
        text += &self.warnings();
        text += &self.enough();
        text
    }

    fn clients_grid(&self) -> String {
        let mut grid = Grid::new(["client", "observational", "interventional", "targets"]);
        for client in &self.clients {
            let found = &client.inspection;
            let groups = found.interventions.iter();
            let targets: Vec<String> = groups.map(|g| g.targets.join(";")).collect();
            grid.row([
                client.name.clone(),
                found.n_observational.to_string(),
                (found.n_samples - found.n_observational).to_string(),
                format!("{}: {}", targets.len(), list(&targets, 8)),
            ]);
        }
        format!("\n{}", grid.render())
    }

    /// One line per variable, counts summed over clients.
    fn variables_grid(&self) -> String {
        let mut grid = Grid::new(["variable", "intervened rows", "categories", "labels"]);
        for (at, variable) in self.clients[0].inspection.variables.iter().enumerate() {
            let intervened = |c: &ClientReport| c.inspection.variables[at].n_intervened;
            let intervened: usize = self.clients.iter().map(intervened).sum();
            grid.row([
                variable.name.clone(),
                intervened.to_string(),
                variable.categories.len().to_string(),
                list(&variable.categories, 10),
            ]);
        }
        let mut text = format!("\n{}", grid.render());
        let joint = self.joint_interventions();
        if !joint.is_empty() {
            let _ = writeln!(
                text,
                "\ninterventions on several variables at once:\n{joint}"
            );
        }
        text
    }

    fn joint_interventions(&self) -> String {
        let mut grid = Grid::new(["client", "targets", "rows"]);
        let mut any = false;
        for client in &self.clients {
            let groups = client.inspection.interventions.iter();
            for group in groups.filter(|g| g.targets.len() > 1) {
                any = true;
                grid.row([
                    client.name.clone(),
                    group.targets.join(";"),
                    group.n_samples.to_string(),
                ]);
            }
        }
        if any { grid.render() } else { String::new() }
    }

    fn enough(&self) -> String {
        let clients = self.clients.iter();
        let clients: Vec<(&str, &Sufficiency)> = clients
            .map(|client| (client.name.as_str(), &client.sufficiency))
            .collect();
        match (&self.federation, &clients[..]) {
            (Some(together), several) => enough::federation(several, &together.orientation),
            (None, [(_, one)]) => enough::table(one),
            (None, _) => String::new(),
        }
    }

    fn warnings(&self) -> String {
        let mut text = String::new();
        for client in &self.clients {
            for warning in &client.inspection.warnings {
                let _ = writeln!(text, "  {}: {warning}", client.name);
            }
        }
        if text.is_empty() {
            "\nno warnings\n".to_owned()
        } else {
            format!("\nworth a second look\n{text}")
        }
    }
}
