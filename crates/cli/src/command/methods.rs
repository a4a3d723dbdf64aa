//! `fedcdi methods`: what `discover` can run.

use std::fmt::Write as _;

use fedcdi_experiment::registry::{METHODS, MethodInfo};

use crate::failure::Failure;
use crate::output;

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
        let entries = METHODS.iter().map(entry);
        output::print(&entries.collect::<Vec<_>>().join("\n"))
    }
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
