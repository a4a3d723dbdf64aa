//! What lies in a study folder: the tables of clients, the study's own files, and others.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::write::{SCHEMA, TRUTH};
use crate::file_error::FileError;
use crate::formats::{Format, extension};

/// The files of a study folder.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Files {
    /// The tables, by name.
    pub(super) tables: Vec<PathBuf>,
    /// Names of what may be meant as a table and is not read, sorted.
    pub(super) ignored: Vec<String>,
}

impl Files {
    pub(super) fn of(folder: &Path, formats: &[Format]) -> Result<Self, FileError> {
        let io = |error| FileError::io(folder, error);
        let mut files = Self::default();
        for entry in fs::read_dir(folder).map_err(io)? {
            let path = entry.map_err(io)?.path();
            match (path.is_file(), Format::of(&path, formats).is_some()) {
                (true, true) => files.tables.push(path),
                // Some programs write a table as a folder of parts.
                (false, true) => files.ignored.push(name(&path)),
                (true, false) if !is_no_table(&name(&path)) => files.ignored.push(name(&path)),
                _ => {}
            }
        }
        files.tables.sort_unstable();
        files.ignored.sort_unstable();
        Ok(files)
    }
}

fn name(path: &Path) -> String {
    let name = path.file_name().map(OsStr::to_string_lossy);
    name.unwrap_or_default().into_owned()
}

/// Hidden files, the study's own, and what people write about a study or to run it.
fn is_no_table(name: &str) -> bool {
    let other = matches!(extension(Path::new(name)).as_str(), "md" | "toml" | "html");
    name.starts_with('.') || [SCHEMA, TRUTH].contains(&name) || other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_taken_and_what_may_be_a_table_is_named() {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "B.csv",
            "A.CSV",
            "C.tsv",
            "D.csv.gz",
            "notes",
            ".hidden.xlsx",
            "schema.json",
            "truth.json",
            "README.md",
        ] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        fs::create_dir(folder.path().join("E.parquet")).unwrap();
        fs::create_dir(folder.path().join("run")).unwrap();
        let files = Files::of(folder.path(), &Format::BUILT_IN).unwrap();
        let tables: Vec<String> = files.tables.iter().map(|path| name(path)).collect();
        assert_eq!(tables, ["A.CSV", "B.csv"]);
        assert_eq!(files.ignored, ["C.tsv", "D.csv.gz", "E.parquet", "notes"]);
    }
}
