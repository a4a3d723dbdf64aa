//! `fedcdi inspect`: what a table or study holds.

use std::fmt::Write as _;
use std::path::PathBuf;

use fedcdi_core::Remedied;
use fedcdi_data::inspect::{Inspection, by_client, shown};
use fedcdi_learn::sufficiency::{FederationSufficiency, Sufficiency};
use fedcdi_study::report::count;
use serde::Serialize;

use super::enough;
use super::table_args::TableArgs;
use crate::failure::{Failure, Flags};
use crate::loading::{ignored, read_to_inspect};
use crate::output::{self, Grid, list, sites_grid};

/// Show what a table or study folder holds, what deserves a second look, and whether it is enough
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fedcdi inspect study
  fedcdi inspect site-a.csv site-b.csv          (as the sites of one study)
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

#[derive(Serialize)]
struct Report {
    schema_hash: String,
    n_vars: usize,
    n_samples: usize,
    n_observational: usize,
    truth_edges: Option<usize>,
    /// Files of the folder that are no tables.
    ignored: Vec<String>,
    clients: Vec<ClientReport>,
    /// What several sites can tell together.
    federation: Option<FederationSufficiency>,
}

#[derive(Serialize)]
struct ClientReport {
    name: String,
    #[serde(flatten)]
    inspection: Inspection,
    /// Absent if a variable is real.
    sufficiency: Option<Sufficiency>,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let study = read_to_inspect(&self.paths, &self.tables)?;
        let clients = study.clients().iter().map(|client| ClientReport {
            name: client.name.clone(),
            inspection: Inspection::of(&client.data),
            sufficiency: Sufficiency::if_countable(&client.data),
        });
        let clients: Vec<ClientReport> = clients.collect();
        let total = |of: fn(&Inspection) -> usize| clients.iter().map(|c| of(&c.inspection)).sum();
        let report = Report {
            schema_hash: study.schema().hash().to_string(),
            n_vars: study.schema().n_vars(),
            n_samples: total(|i| i.n_samples),
            n_observational: total(|i| i.n_observational),
            truth_edges: study.truth().map(|t| t.n_edges()),
            ignored: study.ignored().to_vec(),
            federation: together(&clients),
            clients,
        };
        output::show(self.json, &report, || report.text())
    }
}

fn together(clients: &[ClientReport]) -> Option<FederationSufficiency> {
    let each = clients.iter().map(|c| c.sufficiency.as_ref());
    let each: Vec<&Sufficiency> = each.collect::<Option<_>>()?;
    let several = each.len() > 1;
    several.then(|| FederationSufficiency::of(&each)).flatten()
}

impl Report {
    fn text(&self) -> String {
        let mut text = format!(
            "{}, {}, {}: {} observational, {} interventional\nschema hash {}\n",
            count(self.clients.len(), "site"),
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
        let sites = self.clients.iter().map(|client| {
            let found = &client.inspection;
            let targets = found.interventions.iter().map(|g| g.targets.join(";"));
            let (name, targets) = (client.name.as_str(), targets.collect());
            (name, found.n_observational, found.n_samples, targets)
        });
        format!("\n{}", sites_grid(sites))
    }

    fn variables_grid(&self) -> String {
        let mut grid = Grid::new("variable|intervened rows|categories|labels or range");
        for (at, variable) in self.clients[0].inspection.variables.iter().enumerate() {
            let intervened = |c: &ClientReport| c.inspection.variables[at].n_intervened;
            let intervened: usize = self.clients.iter().map(intervened).sum();
            let [kind, values] = if variable.real.is_some() {
                ["real".to_owned(), self.range(at)]
            } else {
                let labels = variable.categories.iter().map(|l| shown(l).into_owned());
                let labels: Vec<String> = labels.collect();
                [labels.len().to_string(), list(&labels, 10)]
            };
            grid.row(&[&variable.name, &intervened, &kind, &values]);
        }
        format!("\n{}{}", grid.render(), self.joint_interventions())
    }

    /// Where the numbers of a real variable lie: per site, because means of means would need the
    /// rows.
    fn range(&self, at: usize) -> String {
        let of = |client: &ClientReport| {
            let real = client.inspection.variables[at].real?;
            let [mean, sd, min, max] = [real.mean, real.deviation, real.min, real.max];
            Some(format!("mean {mean:.4}, sd {sd:.4}, {min:.4} to {max:.4}"))
        };
        let each: Vec<String> = self.clients.iter().filter_map(of).collect();
        each.join(" | ")
    }

    fn joint_interventions(&self) -> String {
        let mut grid = Grid::new("site|targets|rows");
        let groups = self.clients.iter().flat_map(|client| {
            let groups = client.inspection.interventions.iter();
            groups.map(|group| (&client.name, group))
        });
        let mut groups = groups.filter(|(_, g)| g.targets.len() > 1).peekable();
        if groups.peek().is_none() {
            return String::new();
        }
        for (name, group) in groups {
            grid.row(&[name, &group.targets.join(";"), &group.n_samples]);
        }
        format!(
            "\ninterventions on several variables at once:\n{}\n",
            grid.render()
        )
    }

    fn enough(&self) -> String {
        if self.n_vars == 1 {
            return "\nis it enough? not judged: there is one variable\n".to_owned();
        }
        let clients = self.clients.iter();
        let clients: Option<Vec<(&str, &Sufficiency)>> = clients
            .map(|client| Some((client.name.as_str(), client.sufficiency.as_ref()?)))
            .collect();
        let Some(clients) = clients else {
            return "\nis it enough? not judged: the verdict counts categories, and some variables are real\n"
                .to_owned();
        };
        match (&self.federation, &clients[..]) {
            (Some(together), several) => enough::federation(several, &together.orientation),
            (None, [(_, one)]) => enough::table(one),
            (None, _) => String::new(),
        }
    }

    fn warnings(&self) -> String {
        let mut text = String::new();
        let all = self.clients.iter().flat_map(|client| {
            let warnings = client.inspection.warnings.iter();
            warnings.map(|warning| (client.name.as_str(), warning))
        });
        for (warning, clients) in by_client(all) {
            let _ = writeln!(
                text,
                "  {}: {}",
                self.names(&clients),
                warning.told_by(&Flags)
            );
        }
        if let Some(warning) = ignored(&self.ignored) {
            let _ = writeln!(text, "  {warning}");
        }
        if text.is_empty() {
            "\nno warnings\n".to_owned()
        } else {
            format!("\nworth a second look\n{text}")
        }
    }

    fn names(&self, clients: &[&str]) -> String {
        if clients.len() > 1 && clients.len() == self.clients.len() {
            return "all sites".to_owned();
        }
        let names: Vec<String> = clients.iter().map(ToString::to_string).collect();
        list(&names, 4)
    }
}
