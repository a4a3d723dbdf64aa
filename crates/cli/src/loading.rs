//! What a run has before it starts: its rows, and knowledge that is about them.

use std::path::Path;

use fedcdi_core::{KnowledgeFile, Schema, Seed};
use fedcdi_data::Study;
use fedcdi_experiment::{DataSpec, Reading, dropped};

use crate::failure::Failure;
use crate::output;
use crate::progress::spinner;

/// Reads or draws the rows, and tells of those that were left out.
pub(crate) fn load(data: &DataSpec, read: &Reading, seed: u64) -> Result<Study, Failure> {
    let options = read.options()?;
    let spinner = spinner(match data {
        DataSpec::File(path) => format!("reading {}", path.display()),
        DataSpec::Generated(_) | DataSpec::Network(_) => "drawing rows".to_owned(),
    });
    let study = data.load(&options, Seed::new(seed));
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
