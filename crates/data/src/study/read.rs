//! Reading a study: a folder, or a single table.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fedcdi_core::{Dag, Schema, SchemaError, Variable};
use serde::{Deserialize, Serialize};

use super::columns::refuse_other_columns;
use super::write::{SCHEMA, TRUTH};
use super::{Client, Study};
use crate::file_error::{FileError, Place};
use crate::formats::{Format, extension, shown};
use crate::read::{Table, TableOptions, read_dag, read_table};
use fedcdi_core::first_few;

const FEW: usize = 4;

/// With more labels than this a column without common ones may be an identifier.
const LIKE_AN_IDENTIFIER: usize = 20;

impl Study {
    /// Reads a study folder, or one table as a study of one client.
    ///
    /// In a folder every file of a known format is a client. Without `schema.json`, and
    /// without a schema in `options`, the categories of all files are merged.
    ///
    /// # Errors
    /// [`FileError`] naming the file, row and field that is wrong, or the variable in which two
    /// clients differ.
    pub fn read(path: &Path, options: &TableOptions) -> Result<Self, FileError> {
        if path.is_dir() {
            read_folder(path, options)
        } else if !path.exists() {
            Err(FileError::io(path, ErrorKind::NotFound.into()))
        } else {
            Self::read_tables(&[path.to_path_buf()], options)
        }
    }

    /// Reads tables as the clients of one study, under their merged schema.
    ///
    /// # Errors
    /// As for [`Study::read`]; also if tables disagree on the true graph, or none is given.
    pub fn read_tables(paths: &[PathBuf], options: &TableOptions) -> Result<Self, FileError> {
        refuse_equal_names(paths)?;
        refuse_other_columns(paths, options)?;
        let mut tables: Vec<(&Path, Table)> = Vec::with_capacity(paths.len());
        for path in paths {
            tables.push((path, read_table(path, options)?));
        }
        let names = paths.iter().map(|path| client_name(path)).collect();
        Self::of_tables(names, &tables)
    }

    /// Tables as the clients of one study, under their merged schema: one name per table, and what messages
    /// call the table.
    ///
    /// # Errors
    /// [`FileError`] naming the table that does not fit the others. Panics if there are no tables.
    pub fn of_tables(names: Vec<String>, tables: &[(&Path, Table)]) -> Result<Self, FileError> {
        let schema = merge_schemas(tables)?;
        let mut study = Self::of(Vec::with_capacity(tables.len()), None);
        study.n_dropped = tables.iter().map(|(_, table)| table.n_dropped).sum();
        for (name, (path, table)) in names.into_iter().zip(tables) {
            if let Some(truth) = &table.truth {
                study.add_truth(path, &schema, truth, table.dataset.schema())?;
            }
            let data = table.dataset.recode(&schema);
            study.clients.push(Client {
                name,
                data: data.expect("the merged schema has every label"),
            });
        }
        Ok(study)
    }

    fn add_truth(
        &mut self,
        path: &Path,
        schema: &Schema,
        truth: &Dag,
        own: &Schema,
    ) -> Result<(), FileError> {
        let own = own.variables().iter();
        let new_ids: Vec<_> = own.filter_map(|v| schema.find(&v.name)).collect();
        let truth = Dag::try_from(truth.relabel(&new_ids)).expect("renaming makes no cycle");
        if self.truth.as_ref().is_some_and(|other| *other != truth) {
            let problem = "its true graph differs from that of another table";
            let remedy = "put tables with different truths into different studies";
            return Err(FileError::whole(path, problem, remedy));
        }
        self.truth = Some(truth);
        Ok(())
    }
}

fn client_name(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

/// Two clients of one name could not be told apart, nor written to one folder.
fn refuse_equal_names(paths: &[PathBuf]) -> Result<(), FileError> {
    let mut known = HashMap::new();
    for path in paths {
        let name = client_name(path);
        if let Some(other) = known.insert(name.clone(), path) {
            let other = other.display();
            let problem = format!("a client is called {name:?} already, by {other}");
            let remedy = "rename one of the files, or leave one out if they are the same table";
            return Err(FileError::whole(path, problem, remedy));
        }
    }
    Ok(())
}

fn read_folder(folder: &Path, options: &TableOptions) -> Result<Study, FileError> {
    let mut options = options.clone();
    let schema_file = folder.join(SCHEMA);
    if options.schema.is_none() && schema_file.exists() {
        let file = read_schema(&schema_file)?;
        (options.schema, options.other) = (Some(Arc::new(file.schema)), file.other);
    }
    let Files { tables, ignored } = Files::of(folder, &options.formats)?;
    if tables.is_empty() {
        let problem = match &ignored[..] {
            [] => "the folder holds no tables".to_owned(),
            others => {
                let few = first_few(others, FEW);
                format!("the folder holds no tables that can be read, but {few}")
            }
        };
        let known = shown(options.formats.iter().map(|format| format.extension));
        let remedy = format!("put one table per client into it: {known}");
        return Err(FileError::whole(folder, problem, remedy));
    }
    let mut study = Study::read_tables(&tables, &options)?;
    study.ignored = ignored;
    let truth_file = folder.join(TRUTH);
    if truth_file.exists() {
        study.truth = Some(read_dag(&truth_file, &study.schema().names())?);
    }
    Ok(study)
}

/// A schema as a file has it, with what it says about reading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Keys")]
pub struct SchemaFile {
    /// The variables.
    #[serde(flatten)]
    pub schema: Schema,
    /// The category that stands for all labels that the schema lacks, in variables that have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    variables: Vec<Variable>,
    other: Option<String>,
}

impl TryFrom<Keys> for SchemaFile {
    type Error = String;

    fn try_from(Keys { variables, other }: Keys) -> Result<Self, String> {
        let schema = Schema::new(variables).map_err(|error| error.to_string())?;
        let has = |label: &String| {
            let mut variables = schema.variables().iter();
            variables.any(|variable| variable.categories().contains(label))
        };
        match &other {
            Some(label) if !has(label) => Err(format!(
                "other is {label:?}, and no variable has that category"
            )),
            _ => Ok(Self { schema, other }),
        }
    }
}

/// Reads a schema from JSON.
///
/// # Errors
/// [`FileError`] if the file is missing, is not JSON, or is no schema.
pub fn read_schema(path: &Path) -> Result<SchemaFile, FileError> {
    let text = fs::read_to_string(path).map_err(|error| FileError::text(path, error))?;
    serde_json::from_str(&text).map_err(|error| {
        let line = Place::Line(error.line() as u64);
        let shape = r#"{"variables": [{"name": "smoke", "categories": ["no", "yes"]}, ..]}"#;
        let remedy = format!("a schema looks like {shape}");
        FileError::content(path, line, error.to_string(), remedy)
    })
}

/// One schema for all tables; an error names the table that does not fit the first.
fn merge_schemas(tables: &[(&Path, Table)]) -> Result<Arc<Schema>, FileError> {
    let mut merged = Arc::clone(tables[0].1.dataset.schema());
    for (path, table) in &tables[1..] {
        if *table.dataset.schema() != merged {
            check_labels(path, table.dataset.schema(), &merged)?;
            let both = Schema::merge([merged.as_ref(), table.dataset.schema().as_ref()]);
            merged = Arc::new(both.map_err(|error| differs(path, tables[0].0, &error))?);
        }
    }
    Ok(merged)
}

/// Refuses a variable whose labels none of the tables before has, such as yes and no after Y and N:
/// they would be learned as different categories.
fn check_labels(path: &Path, own: &Schema, before: &Schema) -> Result<(), FileError> {
    for variable in own.variables() {
        let Some(other) = before.find(&variable.name) else {
            continue;
        };
        let (labels, known) = (variable.categories(), before.variable(other).categories());
        let shared = labels.iter().any(|label| known.contains(label));
        if !shared && labels.len() > 1 && known.len() > 1 {
            return Err(no_label_in_common(path, &variable.name, labels, known));
        }
    }
    Ok(())
}

fn no_label_in_common(path: &Path, name: &str, labels: &[String], known: &[String]) -> FileError {
    let few = |labels: &[String]| first_few(labels.iter().map(|l| format!("{l:?}")), FEW);
    let (own, others) = (few(labels), few(known));
    let problem = format!("it has {own}, and other clients {others}: no label in common");
    let mut remedy = "use the same labels everywhere, or list all of them in a schema".to_owned();
    if labels.len().min(known.len()) > LIKE_AN_IDENTIFIER {
        let identifier = "is it an identifier, such as a patient's number?";
        remedy = format!("{identifier} then remove the column everywhere; if not, {remedy}");
    }
    FileError::content(path, Place::Column(name.to_owned()), problem, remedy)
}

fn differs(path: &Path, first: &Path, error: &SchemaError) -> FileError {
    let SchemaError::Differs(variable) = error else {
        return FileError::schema(path, Place::Whole, error);
    };
    let first = first.display();
    let problem =
        format!("its columns are not those of {first}: only one of them has {variable:?}");
    FileError::whole(path, problem, "give all clients the same columns")
}

/// What lies in a study folder beside its own files.
#[derive(Debug, Default, PartialEq, Eq)]
struct Files {
    tables: Vec<PathBuf>,
    /// Names of what may be meant as a table and is not read, sorted.
    ignored: Vec<String>,
}

impl Files {
    fn of(folder: &Path, formats: &[Format]) -> Result<Self, FileError> {
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
