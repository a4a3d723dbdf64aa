//! What a run has before it starts: its rows, and knowledge that is about them.

use std::path::{Path, PathBuf};

use fedcdi_core::{KnowledgeFile, Schema, Seed};
use fedcdi_data::Study;
use fedcdi_experiment::{DataSpec, Reading, dropped};

use crate::command::TableArgs;
use crate::failure::Failure;
use crate::output;
use crate::progress::spinner;

/// Reads or draws the rows of a run.
pub(crate) fn load(data: &DataSpec, read: &Reading, seed: u64) -> Result<Study, Failure> {
    let options = read.options()?;
    let what = match data {
        DataSpec::File(path) => format!("reading {}", path.display()),
        DataSpec::Generated(_) | DataSpec::Network(_) => "drawing rows".to_owned(),
    };
    watched(what, || Ok(data.load(&options, Seed::new(seed))?))
}

/// A study folder, or tables as its clients.
pub(crate) fn read_study(paths: &[PathBuf], tables: &TableArgs) -> Result<Study, Failure> {
    let options = tables.options()?;
    let what = format!("reading {}", paths[0].display());
    watched(what, || match paths {
        [one] => Ok(Study::read(one, &options)?),
        several => Ok(Study::read_tables(several, &options)?),
    })
}

/// Shows that something is going on, and tells of rows that were left out.
fn watched(what: String, load: impl FnOnce() -> Result<Study, Failure>) -> Result<Study, Failure> {
    let spinner = spinner(what);
    let study = load();
    spinner.finish_and_clear();
    let study = study?;
    if let Some(warning) = dropped(&study) {
        output::warn(&warning);
    }
    Ok(study)
}

/// Refuses knowledge that contradicts itself or these variables, and names the file it is from.
pub(crate) fn check_knowledge(
    file: Option<&Path>,
    knowledge: &KnowledgeFile,
    schema: &Schema,
) -> Result<(), Failure> {
    let refused = |error| match file {
        Some(path) => Failure::in_file(path, error),
        None => Failure::bad_input(error),
    };
    knowledge.check(schema).map(drop).map_err(refused)
}
