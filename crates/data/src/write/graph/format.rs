//! Which format a graph is written in.

use std::path::Path;

use ndarray::Array2;

use super::{csv, dagitty, dot, graphml, json};
use crate::file_error::{FileError, Place};
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

impl GraphFormat {
    /// What [`Self::from_path`] understands.
    pub(crate) const KNOWN: &'static str = ".json, .csv, .graphml, .dot, .gv, .dagitty";

    /// The format that the extension of a file asks for; `.csv` is a matrix.
    ///
    /// # Errors
    /// [`FileError::Extension`] listing the known ones.
    pub fn from_path(path: &Path) -> Result<Self, FileError> {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        match extension.to_ascii_lowercase().as_str() {
            "json" => Ok(Self::Json),
            "csv" => Ok(Self::Adjacency),
            "graphml" => Ok(Self::GraphMl),
            "dot" | "gv" => Ok(Self::Dot),
            "dagitty" => Ok(Self::Dagitty),
            _ => Err(FileError::Extension {
                path: path.to_path_buf(),
                kind: "graph to write",
                known: Self::KNOWN,
            }),
        }
    }
}

/// Writes a probability for every ordered pair as a matrix, causes in rows.
///
/// # Errors
/// [`FileError`] if the file cannot be written.
pub fn write_probabilities(
    path: &Path,
    names: &[String],
    probability: &Array2<f64>,
    overwrite: Overwrite,
) -> Result<(), FileError> {
    let text = csv::format_matrix(names, probability, |p| format!("{p:?}"));
    write_text(path, overwrite, &text)
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
    let text = match format {
        GraphFormat::Json => Ok(json::format(graph)),
        GraphFormat::Adjacency => Ok(csv::format_adjacency(graph)),
        GraphFormat::EdgeList => Ok(csv::format_edge_list(graph)),
        GraphFormat::GraphMl => graphml::format(graph),
        GraphFormat::Dot => Ok(dot::format(graph)),
        GraphFormat::Dagitty => dagitty::format(graph),
    };
    let text = text.map_err(|name| {
        let problem = format!("the name {name:?} has characters that the format cannot express");
        FileError::content(
            path,
            Place::Whole,
            problem,
            "rename the variable, or write JSON",
        )
    })?;
    write_text(path, overwrite, &text)
}
