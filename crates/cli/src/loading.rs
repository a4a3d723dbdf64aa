//! What a run has before it starts: its rows, and knowledge that is about them.

use std::path::{Path, PathBuf};

use fedcdi_core::{KnowledgeFile, Remedied, Schema, Seed};
use fedcdi_data::inspect::{Warning, by_client};
use fedcdi_data::{Inspection, Study};
use fedcdi_study::{DataSpec, Reading, dropped};

use crate::command::TableArgs;
use crate::failure::{Failure, Flags};
use crate::output;
use crate::progress::spinner;

/// Warnings about a file that are repeated before learning from it; `inspect` has them all.
const SHOWN: usize = 2;

const CLIENTS: usize = 3;

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
    let mut warnings = second_look(&study);
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

/// What `inspect` warns of and other sites do not settle.
fn second_look(study: &Study) -> Vec<String> {
    let clients = study.clients();
    let inspected = clients.iter().map(|c| Inspection::of(&c.data));
    let inspected: Vec<Inspection> = inspected.collect();
    let all = clients.iter().zip(&inspected).flat_map(|(client, found)| {
        let warnings = found.warnings.iter();
        warnings.map(|warning| (client.name.as_str(), warning))
    });
    let grouped = by_client(all.filter(|(_, warning)| !is_settled(warning, &inspected)));
    let said = grouped.iter().map(|(warning, names)| {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        if names.len() < clients.len() {
            format!(
                "{}: {}",
                output::list(&names, CLIENTS),
                warning.told_by(&Flags)
            )
        } else {
            warning.told_by(&Flags)
        }
    });
    said.collect()
}

/// Whether what these sites have together makes up for it, or may do so.
fn is_settled(warning: &Warning, clients: &[Inspection]) -> bool {
    match warning {
        // One table has no others.
        Warning::TinyGroup { .. } => clients.len() > 1,
        Warning::FixedTarget {
            variable, value, ..
        } => clients
            .iter()
            .any(|client| sets_other_than(client, variable, value)),
        other => other.others_may_settle(),
    }
}

fn sets_other_than(client: &Inspection, target: &str, wanted: &str) -> bool {
    let mut variables = client.variables.iter();
    let is_target = variables.any(|v| v.name == target && v.n_intervened > 0);
    let is_same = |warning: &Warning| {
        matches!(warning, Warning::FixedTarget { variable, value, .. }
            if variable == target && value == wanted)
    };
    is_target && !client.warnings.iter().any(is_same)
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
    use fedcdi_core::{DatasetBuilder, Regime, VarId, Variable};
    use std::sync::Arc;

    /// One client per value, which sets it in all rows under an intervention on `a`.
    fn setting(values: &[u16]) -> Vec<String> {
        let variables = ["a", "b"].map(|name| Variable::with_codes(name, 2));
        let schema = Arc::new(Schema::new(variables.to_vec()).unwrap());
        let client = |value: &u16| {
            let mut rows = DatasetBuilder::with_capacity(Arc::clone(&schema), 40);
            for at in 0..20 {
                let codes = [at % 2, at / 2 % 2];
                rows.push(&codes, &Regime::Observational).unwrap();
                let set = Regime::intervened([VarId(0)]);
                rows.push(&[*value, codes[1]], &set).unwrap();
            }
            rows.finish().unwrap()
        };
        second_look(&Study::divided(values.iter().map(client).collect(), None))
    }

    #[test]
    fn a_value_that_nobody_varies_is_said_once() {
        let said = setting(&[1, 1]);
        assert_eq!(said.len(), 1, "{said:?}");
        // Of both clients together.
        assert!(said[0].starts_with("all 40 rows under an intervention on a"));
        assert_eq!(setting(&[1]).len(), 1);
    }

    #[test]
    fn what_other_clients_make_up_for_is_not_said() {
        assert_eq!(setting(&[0, 1]), Vec::<String>::new());
    }

    #[test]
    fn many_files_that_are_no_tables_are_counted() {
        let files: Vec<String> = (0..9).map(|at| format!("{at}.tsv")).collect();
        let said = ignored(&files).unwrap();
        assert!(said.contains("4.tsv, .. 4 more (not tables"), "{said}");
        assert!(ignored(&files[..1]).unwrap().contains("0.tsv (not a table"));
        assert_eq!(ignored(&[]), None);
    }
}
