//! What a run has before it starts: its rows, and knowledge that is about them.

use std::path::{Path, PathBuf};

use fedcdi_core::{KnowledgeFile, Schema, Seed};
use fedcdi_data::Study;
use fedcdi_study::{DataSpec, Reading, dropped, second_look};

use crate::command::TableArgs;
use crate::failure::{Failure, Flags};
use crate::output;
use crate::progress::spinner;

/// Warnings about a file that are repeated before learning from it; `inspect` has them all.
const SHOWN: usize = 2;

const FILES: usize = 5;

/// Reads or draws the rows of a run, and warns of what deserves a second look before it.
pub(crate) fn load(data: &DataSpec, read: &Reading, seed: u64) -> Result<Study, Failure> {
    let options = read.options()?;
    let load = || Ok(data.load(&options, Seed::new(seed))?);
    let DataSpec::File(path) = data else {
        return watched("drawing rows".to_owned(), load);
    };
    let study = watched(format!("reading {}", path.display()), load)?;
    warn_of_ignored(&study);
    let mut warnings = second_look(&study, &Flags);
    let rest = warnings.len().saturating_sub(SHOWN);
    if rest > 0 {
        warnings.truncate(SHOWN);
        let same = if *read == Reading::default() {
            ""
        } else {
            ", with the flags for reading tables"
        };
        warnings.push(format!("{rest} more: fedcdi inspect {}{same}", typed(path)));
    }
    warnings.iter().for_each(|warning| output::warn(warning));
    Ok(study)
}

/// A study folder, or tables as its sites.
pub(crate) fn read_study(paths: &[PathBuf], tables: &TableArgs) -> Result<Study, Failure> {
    let study = read_to_inspect(paths, tables)?;
    warn_of_ignored(&study);
    Ok(study)
}

/// As [`read_study`], for a command that shows everything that is odd by itself.
pub(crate) fn read_to_inspect(paths: &[PathBuf], tables: &TableArgs) -> Result<Study, Failure> {
    let options = tables.options()?;
    let what = format!("reading {}", paths[0].display());
    watched(what, || match paths {
        [one] => Ok(Study::read(one, &options)?),
        several => Ok(Study::read_tables(several, &options)?),
    })
}

/// Shows that something is going on, and warns of rows that were left out.
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

fn warn_of_ignored(study: &Study) {
    if let Some(warning) = ignored(study.ignored()) {
        output::warn(&warning);
    }
}

/// A warning of files in a study folder that were not read.
pub(crate) fn ignored(files: &[String]) -> Option<String> {
    let what = match files.len() {
        0 => return None,
        1 => "not a table fedcdi reads; if it is the data of a site, convert it",
        _ => "not tables fedcdi reads; if they are the data of sites, convert them",
    };
    let names = output::list(files, FILES);
    Some(format!("ignored: {names} ({what} to .csv or .parquet)"))
}

fn typed(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let near = here.and_then(|here| path.strip_prefix(here).ok());
    let near = near.filter(|near| !near.as_os_str().is_empty());
    let path = near.unwrap_or(path).display().to_string();
    if path.contains(char::is_whitespace) {
        format!("{path:?}")
    } else {
        path
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_files_that_are_no_tables_are_counted() {
        let files: Vec<String> = (0..9).map(|at| format!("{at}.tsv")).collect();
        let said = ignored(&files).unwrap();
        assert!(said.contains("4.tsv, .. 4 more (not tables"), "{said}");
        assert!(ignored(&files[..1]).unwrap().contains("0.tsv (not a table"));
        assert_eq!(ignored(&[]), None);
    }
}
