//! Whether the tables of a study have the same columns: known from their headers, before any row is
//! read that could be misunderstood.

use std::collections::BTreeSet;
use std::path::PathBuf;

use fedcdi_core::nearest::nearest;

use crate::file_error::FileError;
use crate::formats::variable_names;
use crate::read::TableOptions;

/// Refuses the first table whose variables are not those of the first. With a schema every table is
/// compared with that; formats whose names are not in a header are compared after reading.
pub(super) fn refuse_other_columns(
    paths: &[PathBuf],
    options: &TableOptions,
) -> Result<(), FileError> {
    if options.schema.is_some() || paths.len() < 2 {
        return Ok(());
    }
    let mut named = paths
        .iter()
        .filter_map(|path| Some((path, variable_names(path, options)?)));
    let Some((first, expected)) = named.next() else {
        return Ok(());
    };
    for (path, found) in named {
        if let Some((problem, remedy)) = difference(&expected, &found) {
            let problem = format!(
                "its columns are not those of {}: {problem}",
                first.display()
            );
            return Err(FileError::whole(path, problem, remedy));
        }
    }
    Ok(())
}

/// What is wrong with these names and what to do, if not all are as expected.
fn difference(expected: &[String], found: &[String]) -> Option<(String, String)> {
    let set = |names: &[String]| names.iter().cloned().collect::<BTreeSet<String>>();
    let (all, own) = (set(expected), set(found));
    let missing = expected.iter().filter(|name| !own.contains(*name));
    let missing: Vec<&str> = missing.map(String::as_str).collect();
    let extra = found.iter().filter(|name| !all.contains(*name));
    let extra: Vec<&str> = extra.map(String::as_str).collect();
    let renamed = missing
        .iter()
        .find_map(|name| Some((*name, nearest(name, extra.iter().copied())?)));
    let same = "all clients need the same columns";
    match (renamed, missing.first(), extra.first()) {
        (Some((name, other)), _, _) => Some((
            format!("it has {other:?} in place of {name:?}"),
            format!("rename {other:?} to {name:?} if they are the same; {same}"),
        )),
        (None, Some(name), _) => Some((
            format!("it lacks {name:?}"),
            format!("add it, or remove it elsewhere; {same}"),
        )),
        (None, None, Some(name)) => Some((
            format!("only it has {name:?}"),
            format!("remove it, or add it elsewhere; {same}"),
        )),
        (None, None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(expected: &[&str], found: &[&str]) -> Option<String> {
        let owned = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        difference(&owned(expected), &owned(found)).map(|(problem, _)| problem)
    }

    #[test]
    fn a_column_by_a_similar_name_is_named() {
        let found = problem(&["a", "lung"], &["lung", "A"]).unwrap();
        assert_eq!(found, "it has \"A\" in place of \"a\"");
    }

    #[test]
    fn the_order_of_columns_is_free_and_their_names_are_not() {
        assert_eq!(problem(&["a", "b"], &["b", "a"]), None);
        assert_eq!(problem(&["a", "b"], &["a"]).unwrap(), "it lacks \"b\"");
        assert_eq!(problem(&["a"], &["a", "x"]).unwrap(), "only it has \"x\"");
    }
}
