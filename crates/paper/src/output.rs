//! The files that show results: page, tables and pictures.
//!
//! | file | holds |
//! |---|---|
//! | `index.html` | everything on one page |
//! | `NAME.svg` | the figure of an experiment |
//! | `runs.csv` | every run |
//! | `summary.csv` | means, intervals, differences, published numbers |

use std::collections::BTreeMap;
use std::path::Path;

use fedcdi_data::file_error::FileError;
use fedcdi_data::write::{Overwrite, write_text};

use super::experiment::{Plan, View};
use super::result::JobResult;
use super::summary::Summary;
use super::{figure, page, tables};

/// The page to read.
pub const PAGE: &str = "index.html";

/// Writes page, tables and pictures of what is finished into `folder`, over earlier ones.
///
/// # Errors
/// [`FileError`] if a file cannot be written.
pub fn write_output(
    folder: &Path,
    plan: &Plan,
    results: &BTreeMap<String, JobResult>,
) -> Result<(), FileError> {
    let experiments = plan.experiments.iter();
    let summaries: Vec<Summary> = experiments.map(|p| Summary::of(p, results)).collect();
    let write = |name: &str, text: &str| write_text(&folder.join(name), Overwrite::Yes, text);
    for summary in &summaries {
        let has_figure = summary.experiment.view != View::Table && summary.finished.0 > 0;
        if has_figure {
            let name = format!("{}.svg", summary.experiment.name);
            write(&name, &figure::file(summary))?;
        }
    }
    write("runs.csv", &tables::runs(&plan.experiments, results))?;
    write("summary.csv", &tables::summary(&summaries))?;
    write(PAGE, &page::page(&summaries, plan.size, plan.seeds))
}
