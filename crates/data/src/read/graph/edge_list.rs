//! Edges between names, gathered into a graph.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

use csv::Reader;
use fedcdi_core::{Digraph, VarId};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::csv::{number, row_place};
use crate::file_error::{FileError, Place};
use crate::named_graph::NamedGraph;
use crate::read::csv::describe;

/// An edge between names, as it stands in JSON.
#[derive(Serialize, Deserialize)]
pub(crate) struct NamedEdge {
    pub(crate) cause: String,
    pub(crate) effect: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) probability: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) gain: Option<f64>,
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    pub(crate) directed: bool,
}

fn yes() -> bool {
    true
}

/// The graph of these edges, each with its place in the file.
pub(super) fn assemble(
    path: &Path,
    names: Vec<String>,
    edges: Vec<(NamedEdge, Place)>,
) -> Result<NamedGraph, FileError> {
    let known = names.iter().map(String::as_str).zip((0..).map(VarId));
    let ids: HashMap<&str, VarId> = known.collect();
    let mut graph = Digraph::empty(names.len());
    let mut open = BTreeSet::new();
    let mut gains = BTreeMap::new();
    let has_probability = edges.iter().any(|(e, _)| e.probability.is_some());
    let mut probability = Array2::zeros((names.len(), names.len()));
    for (edge, place) in &edges {
        let error = |problem: String, remedy: &str| {
            FileError::content(path, place.clone(), problem, remedy)
        };
        let (cause, effect) = check_edge(&ids, edge, error)?;
        if edge.probability.is_none() && has_probability {
            let problem = "other edges have a probability, this one has none";
            let remedy = "give all edges a probability, or none";
            return Err(error(problem.to_owned(), remedy));
        }
        if !graph.add_edge(cause, effect) {
            let problem = format!("edge {:?} -> {:?} is listed twice", edge.cause, edge.effect);
            return Err(error(problem, "remove one of them"));
        }
        probability[(cause.index(), effect.index())] = edge.probability.unwrap_or(0.0);
        gains.extend(edge.gain.map(|gain| ((cause, effect), gain)));
        if !edge.directed {
            open.insert((cause, effect));
        }
    }
    let mut named =
        NamedGraph::new(names, graph).map_err(|e| FileError::from_text(path, Place::Whole, &e))?;
    named.probability = has_probability.then_some(probability);
    named.open = open;
    named.gains = gains;
    Ok(named)
}

fn check_edge(
    ids: &HashMap<&str, VarId>,
    edge: &NamedEdge,
    error: impl Fn(String, &str) -> FileError,
) -> Result<(VarId, VarId), FileError> {
    let find = |name: &String| {
        let id = ids.get(name.as_str()).copied();
        let remedy = "list it among the variables, or correct the name";
        id.ok_or_else(|| error(format!("unknown variable {name:?}"), remedy))
    };
    let (cause, effect) = (find(&edge.cause)?, find(&edge.effect)?);
    if cause == effect {
        let problem = format!("{:?} would be its own cause", edge.cause);
        return Err(error(problem, "remove the edge"));
    }
    match edge.probability {
        Some(p) if !(0.0..=1.0).contains(&p) => {
            let problem = format!("{p} is not a probability");
            Err(error(problem, "write a number between 0 and 1"))
        }
        _ => Ok((cause, effect)),
    }
}

/// A finite number.
fn gain(text: &str) -> Option<f64> {
    let gain = text.trim().parse::<f64>().ok();
    gain.filter(|gain| gain.is_finite())
}

#[derive(Clone, Copy, Default)]
pub(super) struct Columns {
    pub(super) probability: Option<usize>,
    pub(super) directed: Option<usize>,
    pub(super) gain: Option<usize>,
}

/// Reads the rows of an edge list; its columns are cause, effect, and perhaps more.
pub(super) fn read_edge_list(
    path: &Path,
    mut reader: Reader<impl std::io::Read>,
    columns: Columns,
) -> Result<NamedGraph, FileError> {
    let mut names = Vec::new();
    let mut known = HashSet::new();
    let mut edges = Vec::new();
    for (record, row) in reader.records().zip(1..) {
        let record = record.map_err(|e| describe(path, e))?;
        let field = |at: usize| record.get(at).unwrap_or_default();
        for name in [field(0), field(1)] {
            if !name.is_empty() && known.insert(name.to_owned()) {
                names.push(name.to_owned());
            }
        }
        if field(1).is_empty() {
            continue;
        }
        let of = |at: Option<usize>, name: &str| match at.map(field) {
            None | Some("") => Ok(None),
            Some(text) => number(path, &record, row, name, text).map(Some),
        };
        let edge = NamedEdge {
            cause: field(0).to_owned(),
            effect: field(1).to_owned(),
            probability: of(columns.probability, "probability")?,
            gain: match columns.gain.map(field) {
                None | Some("") => None,
                Some(text) => Some(gain(text).ok_or_else(|| {
                    let place = row_place(&record, row, Some("gain"));
                    let problem = format!("{text:?} is not a number");
                    FileError::content(path, place, problem, "write nats, or nothing")
                })?),
            },
            directed: of(columns.directed, "directed")? != Some(0.0),
        };
        edges.push((edge, row_place(&record, row, None)));
    }
    assemble(path, names, edges)
}
