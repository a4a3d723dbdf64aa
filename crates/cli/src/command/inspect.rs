//! `fedcdi inspect`: what a table or study holds.

use std::fmt::Write as _;
use std::path::PathBuf;

use fedcdi_core::Remedied;
use fedcdi_data::inspect::{by_client, shown};
use fedcdi_learn::sufficiency::Sufficiency;
use fedcdi_study::report::count;
use fedcdi_study::{Inspected, InspectedSite};

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

/// What is shown.
struct Report(Inspected);

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let study = read_to_inspect(&self.paths, &self.tables)?;
        let report = Report(Inspected::of(&study));
        output::show(self.json, &report.0, || report.text())
    }
}

impl Report {
    fn text(&self) -> String {
        let mut text = format!(
            "{}, {}, {}: {} observational, {} interventional\nschema hash {}\n",
            count(self.0.clients.len(), "site"),
            count(self.0.n_vars, "variable"),
            count(self.0.n_samples, "row"),
            self.0.n_observational,
            self.0.n_samples - self.0.n_observational,
            &self.0.schema_hash[..16],
        );
        if let Some(edges) = self.0.truth_edges {
            let _ = writeln!(text, "the true graph is known: {}", count(edges, "edge"));
        }
        if self.0.clients.len() > 1 {
            text += &self.clients_grid();
        }
        text += &self.variables_grid();
        text += &self.warnings();
        text += &self.enough();
        text
    }

    fn clients_grid(&self) -> String {
        let sites = self.0.clients.iter().map(|client| {
            let found = &client.inspection;
            let targets = found.interventions.iter().map(|g| g.targets.join(";"));
            let (name, targets) = (client.name.as_str(), targets.collect());
            (name, found.n_observational, found.n_samples, targets)
        });
        format!("\n{}", sites_grid(sites))
    }

    fn variables_grid(&self) -> String {
        let mut grid = Grid::new("variable|intervened rows|categories|labels or range");
        for (at, variable) in self.0.clients[0].inspection.variables.iter().enumerate() {
            let intervened = |c: &InspectedSite| c.inspection.variables[at].n_intervened;
            let intervened: usize = self.0.clients.iter().map(intervened).sum();
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
        let of = |client: &InspectedSite| {
            let real = client.inspection.variables[at].real?;
            let [mean, sd, min, max] = [real.mean, real.deviation, real.min, real.max];
            Some(format!("mean {mean:.4}, sd {sd:.4}, {min:.4} to {max:.4}"))
        };
        let each: Vec<String> = self.0.clients.iter().filter_map(of).collect();
        each.join(" | ")
    }

    fn joint_interventions(&self) -> String {
        let mut grid = Grid::new("site|targets|rows");
        let groups = self.0.clients.iter().flat_map(|client| {
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
        if self.0.n_vars == 1 {
            return "\nis it enough? not judged: there is one variable\n".to_owned();
        }
        let clients = self.0.clients.iter();
        let clients: Option<Vec<(&str, &Sufficiency)>> = clients
            .map(|client| Some((client.name.as_str(), client.sufficiency.as_ref()?)))
            .collect();
        let Some(clients) = clients else {
            return "\nis it enough? not judged: the verdict counts categories, and some variables are real\n"
                .to_owned();
        };
        match (&self.0.federation, &clients[..]) {
            (Some(together), several) => enough::federation(several, &together.orientation),
            (None, [(_, one)]) => enough::table(one),
            (None, _) => String::new(),
        }
    }

    fn warnings(&self) -> String {
        let mut text = String::new();
        let all = self.0.clients.iter().flat_map(|client| {
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
        if let Some(warning) = ignored(&self.0.ignored) {
            let _ = writeln!(text, "  {warning}");
        }
        if text.is_empty() {
            "\nno warnings\n".to_owned()
        } else {
            format!("\nworth a second look\n{text}")
        }
    }

    fn names(&self, clients: &[&str]) -> String {
        if clients.len() > 1 && clients.len() == self.0.clients.len() {
            return "all sites".to_owned();
        }
        let names: Vec<String> = clients.iter().map(ToString::to_string).collect();
        list(&names, 4)
    }
}
