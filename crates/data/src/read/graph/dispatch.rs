//! Which reader a graph needs, by the extension of its file: one line each.

use std::path::Path;

use fedcdi_core::Dag;

use super::csv::read_graph_csv;
use super::json::read_graph_json;
use crate::file_error::{FileError, Place};
use crate::formats::{extension, open};
use crate::named_graph::NamedGraph;
use crate::read::bif::read_bif;
use crate::read::npz::read_npz_graph;

type Reader = fn(&Path) -> Result<NamedGraph, FileError>;

const READERS: [(&str, Reader); 4] = [
    ("json", read_graph_json),
    ("csv", read_graph_csv),
    ("npz", read_npz_graph),
    ("bif", |path| {
        let network = read_bif(path)?;
        Ok(NamedGraph::of(network.schema(), network.dag()))
    }),
];

/// Reads a graph from a `.json`, `.csv`, `.npz` or `.bif` file.
///
/// # Errors
/// [`FileError`] naming the place of the first thing that is wrong, or the known extensions.
pub fn read_graph(path: &Path) -> Result<NamedGraph, FileError> {
    let wanted = extension(path);
    match READERS.iter().find(|(known, _)| *known == wanted) {
        Some((_, read)) => read(path),
        None => Err(open(path).err().unwrap_or_else(|| {
            FileError::extension(path, "graph", READERS.iter().map(|(known, _)| *known))
        })),
    }
}

/// Reads an acyclic graph over these variables, in this order.
pub(crate) fn read_dag(path: &Path, names: &[String]) -> Result<Dag, FileError> {
    let graph = read_graph(path)?.aligned_to(names);
    let graph = graph.map_err(|error| FileError::from_text(path, Place::Whole, &error))?;
    Dag::try_from(graph.graph).map_err(|error| {
        let problem = format!("the graph has a cycle: {}", error.describe(names));
        FileError::whole(path, problem, "remove one of these edges")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_extensions_and_missing_files_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "").unwrap();
        let text = read_graph(&path).unwrap_err().to_string();
        let told = "no extension; known for a graph are .json, .csv, .npz, .bif";
        assert!(text.ends_with(told), "{text}");
        for name in ["a.csv", "a.json", "a.npz", "a.bif", "a.txt", "a"] {
            let error = read_graph(&Path::new("/none").join(name));
            let text = error.unwrap_err().to_string();
            assert!(text.contains(": no such file or folder"), "{text}");
        }
    }
}
