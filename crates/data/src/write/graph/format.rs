//! Which format a graph is written in.

use std::path::Path;

use ndarray::Array2;

use super::{csv, dagitty, dot, graphml, json};
use crate::file_error::FileError;
use crate::formats::extension;
use crate::named_graph::NamedGraph;
use crate::write::atomic::{Overwrite, write_text};

/// A graph format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphFormat {
    /// Variables and edges, with probabilities: `.json`.
    Json,
    /// A matrix of 0 and 1 with a row and a column of names: `.csv`.
    Adjacency,
    /// One row per edge, with probabilities.
    EdgeList,
    /// For network tools: `.graphml`.
    GraphMl,
    /// For Graphviz: `.dot` or `.gv`.
    Dot,
    /// For DAGitty: `.dagitty`.
    Dagitty,
}

/// A graph as text; the error is a name that the format cannot express.
type Writer = fn(&NamedGraph) -> Result<String, String>;

/// Every format with its extensions and its writer, one line each.
const WRITERS: [(GraphFormat, &[&str], Writer); 6] = [
    (GraphFormat::Json, &["json"], |g| Ok(json::format(g))),
    (GraphFormat::Adjacency, &["csv"], |g| {
        Ok(csv::format_adjacency(g))
    }),
    (GraphFormat::EdgeList, &[], |g| Ok(csv::format_edge_list(g))),
    (GraphFormat::GraphMl, &["graphml"], graphml::format),
    (GraphFormat::Dot, &["dot", "gv"], |g| Ok(dot::format(g))),
    (GraphFormat::Dagitty, &["dagitty"], dagitty::format),
];

impl GraphFormat {
    /// The format that the extension of a file asks for; `.csv` is a matrix.
    ///
    /// # Errors
    /// [`FileError`] listing the known ones.
    pub fn from_path(path: &Path) -> Result<Self, FileError> {
        let wanted = extension(path);
        let mut writers = WRITERS.iter();
        let found = writers.find(|(_, known, _)| known.contains(&wanted.as_str()));
        found.map(|(format, ..)| *format).ok_or_else(|| {
            let known = WRITERS.iter().flat_map(|(_, known, _)| *known);
            FileError::extension(path, "graph to write", known.copied())
        })
    }
}

/// A probability for every ordered pair as a matrix, causes in rows.
pub fn format_probabilities(names: &[String], probability: &Array2<f64>) -> String {
    csv::format_matrix(names, probability, |p| format!("{p:?}"))
}

/// A graph as text.
///
/// # Errors
/// The first name that the format cannot express.
pub fn format_graph(graph: &NamedGraph, format: GraphFormat) -> Result<String, String> {
    let writer = WRITERS.iter().find(|(known, ..)| *known == format);
    let (_, _, write) = writer.expect("every format has a writer");
    write(graph)
}

/// Writes a graph.
///
/// # Errors
/// [`FileError`] if the format cannot express a name, or the file cannot be written.
pub fn write_graph(
    path: &Path,
    graph: &NamedGraph,
    format: GraphFormat,
    overwrite: Overwrite,
) -> Result<(), FileError> {
    let text = format_graph(graph, format).map_err(|name| {
        let problem = format!("the name {name:?} has characters that the format cannot express");
        FileError::whole(path, problem, "rename the variable, or write JSON")
    })?;
    write_text(path, overwrite, &text)
}
