//! `fedcdi methods`: what `discover` and `simulate` can run.

use std::fmt::Write as _;

use fedcdi_study::{Catalogue, Method, PaperChoice, Preset};
use serde::Serialize;

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
        let catalogue = Catalogue::default();
        let methods = catalogue.list();
        let entries: Vec<Entry<'_>> = methods.iter().map(Entry::of).collect();
        output::show(self.json, &entries, || {
            let texts: Vec<String> = entries.iter().map(Entry::text).collect();
            texts.join("\n")
        })
    }
}

#[derive(Serialize)]
struct Entry<'a> {
    name: &'a str,
    summary: &'static str,
    needs: &'static str,
    kinds: Vec<&'static str>,
    /// Whether sites can run it without pooling their rows.
    federated: bool,
    reference: &'static str,
}

impl<'a> Entry<'a> {
    fn of((name, method): &'a (&str, Method)) -> Self {
        let about = method.about();
        Self {
            name,
            summary: about.does,
            needs: about.needs,
            kinds: about.kinds.iter().map(|kind| kind.name()).collect(),
            federated: method.is_federated(),
            reference: about.reference,
        }
    }

    /// A few lines that fit a narrow terminal.
    fn text(&self) -> String {
        let among_sites = if self.federated {
            "on one table, and among sites without pooling"
        } else {
            "on one table; sites vote"
        };
        let mut text = format!("{}\n", self.name);
        for (what, value) in [
            ("does", self.summary),
            ("needs", self.needs),
            ("takes", &format!("{} variables", self.kinds.join(", "))),
            ("runs", among_sites),
            ("from", self.reference),
        ] {
            let _ = writeln!(text, "  {what:<6} {value}");
        }
        text
    }
}

fn paper() -> String {
    let mut grid = Grid::new("choice|--paper|default|paper");
    for PaperChoice {
        what,
        paper,
        ours,
        place,
    } in Preset::Paper.choices()
    {
        grid.row(&[&what, &paper, &ours, &place]);
    }
    let places = "\nThe last column names the section of the paper; \"ENCO\" is the paper of the local method,\n\"code\" the authors' program where both are silent.\n";
    grid.render() + places
}
