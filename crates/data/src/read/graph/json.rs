//! A graph as JSON.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::edge_list::{NamedEdge, assemble};
use crate::file_error::{FileError, Place};
use crate::named_graph::NamedGraph;

#[derive(Serialize, Deserialize)]
pub(crate) struct GraphJson {
    pub(crate) variables: Vec<String>,
    pub(crate) edges: Vec<NamedEdge>,
}

pub(crate) fn read_graph_json(path: &Path) -> Result<NamedGraph, FileError> {
    let bytes = std::fs::read(path).map_err(|e| FileError::io(path, e))?;
    let file: GraphJson = serde_json::from_slice(&bytes).map_err(|error| {
        let place = match error.line() {
            0 => Place::Whole,
            line => Place::Line(line as u64),
        };
        let problem = format!("this is not a graph in JSON ({error})");
        let remedy = r#"write {"variables": [..], "edges": [{"cause": .., "effect": ..}]}"#;
        FileError::content(path, place, problem, remedy)
    })?;
    let edges = file.edges.into_iter().enumerate();
    let edges = edges.map(|(at, edge)| (edge, Place::Array(format!("edges[{at}]"))));
    assemble(path, file.variables, edges.collect())
}
