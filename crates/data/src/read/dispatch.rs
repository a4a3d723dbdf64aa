//! Which reader a file needs, by its extension.

use std::path::Path;

use fedcdi_core::Dag;

use super::bif::read_bif;
use super::csv::{csv_columns, read_csv};
use super::graph::{read_graph_csv, read_graph_json};
use super::header::check_header;
use super::npz::{Table, read_npz, read_npz_graph};
use super::open::open;
use super::options::TableOptions;
use crate::file_error::{FileError, Place};
use crate::named_graph::NamedGraph;

/// Extensions of tables.
pub(crate) const TABLES: &str = ".csv, .parquet, .npz";
const GRAPHS: &str = ".json, .csv, .npz, .bif";

/// The extension in lower case, without the dot.
pub(crate) fn extension(path: &Path) -> String {
    let extension = path.extension().and_then(|e| e.to_str());
    extension.unwrap_or_default().to_ascii_lowercase()
}

/// Reads samples from a `.csv`, `.parquet` or `.npz` file; the last may hold their graph, too.
///
/// # Errors
/// [`FileError`] naming the place of the first thing that is wrong, or the known extensions.
pub fn read_table(path: &Path, options: &TableOptions) -> Result<Table, FileError> {
    match extension(path).as_str() {
        "csv" => read_csv(path, options),
        "parquet" => read_parquet_table(path, options),
        "npz" => read_npz_table(path, options),
        _ => Err(unknown_extension(path, "table", TABLES)),
    }
}

/// The names of a table's variables, where its header can be read and is one: those that cannot
/// are refused by [`read_table`], with the reason.
pub(crate) fn variable_names(path: &Path, options: &TableOptions) -> Option<Vec<String>> {
    let mut header = match extension(path).as_str() {
        "csv" => csv_columns(path)?,
        "parquet" => parquet_columns(path)?,
        _ => return None,
    };
    check_header(path, &header, options).ok()?;
    header.retain(|name| *name != options.intervention_column);
    Some(header)
}

/// A file that cannot be is not to blame for its extension.
fn unknown_extension(path: &Path, kind: &'static str, known: &'static str) -> FileError {
    let unreadable = open(path).err();
    let path = path.to_path_buf();
    unreadable.unwrap_or(FileError::Extension { path, kind, known })
}

#[cfg(feature = "parquet")]
use super::parquet::{parquet_columns, read_parquet as read_parquet_table};

#[cfg(not(feature = "parquet"))]
fn parquet_columns(_: &Path) -> Option<Vec<String>> {
    None
}

#[cfg(not(feature = "parquet"))]
fn read_parquet_table(path: &Path, _: &TableOptions) -> Result<Table, FileError> {
    Err(FileError::Unsupported {
        path: path.to_path_buf(),
        format: "Parquet",
        feature: "parquet",
    })
}

/// An archive, under the schema of the options if they have one.
fn read_npz_table(path: &Path, options: &TableOptions) -> Result<Table, FileError> {
    let mut table = read_npz(path, options)?;
    let Some(schema) = &options.schema else {
        return Ok(table);
    };
    let invalid =
        |text: &str| FileError::from_text(path, Place::Whole, text, "compare the schemas");
    let names = table.dataset.schema().names();
    table.dataset = table
        .dataset
        .recode(schema)
        .map_err(|e| invalid(&e.to_string()))?;
    if let Some(truth) = table.truth.take() {
        let graph = NamedGraph::new(names, truth.into_digraph())
            .and_then(|graph| graph.aligned_to(&schema.names()))
            .map_err(|e| invalid(&e.to_string()))?;
        let dag = graph.graph.try_into();
        table.truth = Some(dag.expect("another order of variables makes no cycle"));
    }
    Ok(table)
}

/// Reads a graph from a `.json`, `.csv`, `.npz` or `.bif` file.
///
/// # Errors
/// [`FileError`] naming the place of the first thing that is wrong, or the known extensions.
pub fn read_graph(path: &Path) -> Result<NamedGraph, FileError> {
    match extension(path).as_str() {
        "json" => read_graph_json(path),
        "csv" => read_graph_csv(path),
        "npz" => read_npz_graph(path),
        "bif" => {
            let network = read_bif(path)?;
            let graph = network.dag().clone().into_digraph();
            NamedGraph::new(network.schema().names(), graph)
                .map_err(|e| FileError::from_text(path, Place::Whole, &e.to_string(), "correct it"))
        }
        _ => Err(unknown_extension(path, "graph", GRAPHS)),
    }
}

/// Reads an acyclic graph over these variables, in this order.
///
/// # Errors
/// As [`read_graph`]; also if the variables differ or the graph has a cycle, both named.
pub fn read_dag(path: &Path, names: &[String]) -> Result<Dag, FileError> {
    let invalid = |text: String| FileError::from_text(path, Place::Whole, &text, "correct it");
    let graph = read_graph(path)?.aligned_to(names);
    let graph = graph.map_err(|error| invalid(error.to_string()))?;
    Dag::try_from(graph.graph).map_err(|error| {
        let cycle = error.describe(names);
        invalid(format!(
            "the graph has a cycle: {cycle}; remove one of these edges"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_extensions_get_the_list_of_known_ones() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, "").unwrap();
            path
        };
        let table = read_table(&file("a.xlsx"), &TableOptions::default()).unwrap_err();
        let text = table.to_string();
        let told = "a.xlsx: unknown extension .xlsx; known for a table are .csv, .parquet, .npz";
        assert!(text.ends_with(told), "{text}");
        let graph = read_graph(&file("a")).unwrap_err();
        assert!(
            graph
                .to_string()
                .contains("no extension; known for a graph are .json")
        );
        assert!(graph.is_bad_input());
    }

    #[test]
    fn a_missing_file_is_called_that_in_every_format() {
        for name in ["a.csv", "a.parquet", "a.npz", "a.xlsx", "a"] {
            let error = read_table(&Path::new("/none").join(name), &TableOptions::default());
            assert!(matches!(error.unwrap_err(), FileError::NotFound { .. }));
        }
        for name in ["a.csv", "a.json", "a.npz", "a.bif", "a.txt", "a"] {
            let error = read_graph(&Path::new("/none").join(name));
            assert!(matches!(error.unwrap_err(), FileError::NotFound { .. }));
        }
    }

    #[test]
    fn a_folder_is_called_that_in_every_format() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.csv", "a.parquet", "a.npz", "a"] {
            let path = folder.path().join(name);
            std::fs::create_dir(&path).unwrap();
            let error = read_table(&path, &TableOptions::default()).unwrap_err();
            assert!(matches!(error, FileError::Folder { .. }), "{error}");
        }
    }
}
