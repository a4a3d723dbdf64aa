//! `fedcdi methods`: what `discover` can run.

use std::fmt::Write as _;

use fedcdi_learn::registry;
use fedcdi_study::Preset;
use fedcdi_study::registry::{METHODS, MethodInfo};

use crate::failure::Failure;
use crate::output::{self, Grid};

/// List the methods, what they need and where they come from
///
/// Settings of each are in docs/enco.md and docs/baselines.md.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// List every choice of the paper’s method instead, beside ours: what `--paper` sets
    #[arg(long)]
    paper: bool,

    /// Print one JSON object
    #[arg(long, conflicts_with = "paper")]
    json: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        if self.paper {
            return output::print(&paper());
        }
        if self.json {
            return output::print_json(&METHODS);
        }
        let described = METHODS.iter().map(entry);
        let entries = described.chain(undescribed());
        output::print(&entries.collect::<Vec<_>>().join("\n"))
    }
}

/// Local methods of which nothing is known but what their registry says.
fn undescribed() -> Vec<String> {
    let methods = registry::standard();
    let is_described = |name: &str| METHODS.iter().any(|method| method.name == name);
    let kinds = methods.kinds().iter();
    let unknown = kinds.filter(|kind| !is_described(&kind.name));
    unknown
        .map(|kind| format!("{}\n  {}\n", kind.name, kind.summary))
        .collect()
}

/// A few lines that fit a narrow terminal.
fn entry(method: &MethodInfo) -> String {
    let among_clients = if method.federated {
        "among clients without pooling"
    } else {
        "on one table; clients vote (simulate --baseline)"
    };
    let mut text = format!("{}\n", method.name);
    for (what, value) in [
        ("does", method.summary),
        ("needs", method.needs),
        ("takes", &format!("{} variables", method.kinds.join(", "))),
        ("runs", among_clients),
        ("from", method.reference),
    ] {
        let _ = writeln!(text, "  {what:<6} {value}");
    }
    text
}

/// The paper's choices beside ours.
fn paper() -> String {
    let mut grid = Grid::new(["choice", "--paper", "default", "paper"]);
    for choice in Preset::Paper.choices() {
        grid.row([
            choice.what.to_owned(),
            choice.paper,
            choice.ours,
            choice.place.to_owned(),
        ]);
    }
    let places = "\nThe last column names the section of the paper; \"ENCO\" is the paper of the local method,\n\"code\" the authors' program where both are silent.\n";
    grid.render() + places
}
