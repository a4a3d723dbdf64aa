//! `fedcdi` without a command: the main job on a built-in study.

use std::path::Path;

use fedcdi_data::TargetSplit;
use fedcdi_data::write::Overwrite;
use fedcdi_study::{DataSpec, Spec, Stop};

use crate::failure::Failure;
use crate::output;
use crate::running::Running;
use crate::shown::text;

/// Where the demo leaves its report; an earlier one of its own is replaced by one that is whole.
const FOLDER: &str = "fedcdi-demo";

/// An ER-2 study of 20 variables, four sites with different interventions, and the comparison.
pub(crate) fn run() -> Result<(), Failure> {
    output::print(
        "A random causal graph of 20 variables with about 40 edges, 10000 observational and 2000\n\
         interventional rows. Four sites share the observational rows; each intervened on five\n\
         variables of its own. They exchange beliefs, then sums over rows such as counts, never rows.\n\n",
    )?;
    let spec = Spec {
        data: Some(DataSpec::default()),
        clients: Some(4),
        compare: true,
        split: TargetSplit::Vertical,
        ..Spec::default()
    };
    let knowledge = None;
    let running = Running { spec, knowledge };
    let study = running.study()?;
    let finished = running.run(&study)?;
    // The numbers are worth showing even where nothing can be written.
    let folder = Path::new(FOLDER);
    let was_stopped = finished.comparison_was_stopped || finished.run.stop == Stop::Cancelled;
    if was_stopped && folder.exists() {
        output::print(&text(&finished, None))?;
        output::warn(&format!(
            "no report of a stopped run: {FOLDER} is left as it was"
        ));
        return Ok(());
    }
    let written = finished.write(folder, Overwrite::Yes);
    output::print(&text(&finished, written.is_ok().then_some(folder)))?;
    if let Err(error) = written {
        output::warn(&format!("no report: {error}"));
    }
    output::print("\nYour own data: fedcdi discover --help. All commands: fedcdi --help\n")
}
