//! `fedcdi methods`: what `discover` can run.

use fedcdi_experiment::registry::METHODS;

use crate::failure::Failure;
use crate::output::{self, Grid};

/// List the methods, what they need and where they come from
///
/// Settings of each are in docs/enco.md and docs/baselines.md.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        if self.json {
            return output::print_json(&METHODS);
        }
        let mut grid = Grid::new([
            "method",
            "what it does",
            "needs",
            "variables",
            "federated",
            "reference",
        ]);
        for method in METHODS {
            let kinds = method.kinds.join(", ");
            let federated = if method.federated { "yes" } else { "no" };
            grid.row(
                [
                    method.name,
                    method.summary,
                    method.needs,
                    &kinds,
                    federated,
                    method.reference,
                ]
                .map(str::to_owned),
            );
        }
        output::print(&grid.render())
    }
}
