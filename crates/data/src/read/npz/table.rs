//! Samples and graph of an archive.

use std::io::{BufReader, Read, Seek};
use std::path::Path;
use std::sync::Arc;

use fedcdi_core::{Dag, Dataset, Schema};

use super::archive::{Archive, wrong_shape};
use super::codes::Codes;
use super::npy::NpyArray;
use crate::file_error::{FileError, Place};
use crate::named_graph::NamedGraph;
use crate::read::open::open;

/// The number of variables comes from a header; beyond this it is not believed.
const MAX_VARS: usize = 1 << 16;

/// Samples and, if the archive has it, the graph they come from.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The samples.
    pub dataset: Dataset,
    /// The true graph over the variables of the samples.
    pub truth: Option<Dag>,
}

/// Reads samples and graph from a NumPy archive.
///
/// # Errors
/// [`FileError`] naming the array, and the position in it, of the first thing that is wrong.
pub fn read_npz(path: &Path) -> Result<Table, FileError> {
    let file = open(path)?;
    parse_npz(BufReader::new(file), path)
}

pub(crate) fn parse_npz(source: impl Read + Seek, path: &Path) -> Result<Table, FileError> {
    let mut archive = Archive::open(source, path)?;
    let observed = archive.array("data_obs")?;
    let intervened = archive.array("data_int")?;
    let n_vars = n_vars(path, observed.as_ref(), intervened.as_ref())?;
    let names = archive.names(n_vars)?;
    let codes = Codes::collect(path, n_vars, observed.as_ref(), intervened.as_ref())?;
    let limits = archive.category_counts(n_vars)?;
    let n_categories = codes.n_categories(path, limits)?;
    let variables = archive.variables(&names, &n_categories)?;
    let invalid = |text: String| FileError::from_text(path, Place::Whole, &text, "correct it");
    let schema = Arc::new(Schema::new(variables).map_err(|e| invalid(e.to_string()))?);
    let truth = archive.graph(&names)?;
    let dataset = codes
        .into_dataset(schema)
        .map_err(|e| invalid(e.to_string()))?;
    Ok(Table { dataset, truth })
}

/// Reads only the graph of a NumPy archive.
pub(crate) fn read_npz_graph(path: &Path) -> Result<NamedGraph, FileError> {
    let file = open(path)?;
    let mut archive = Archive::open(BufReader::new(file), path)?;
    let n_vars = match archive.adjacency()? {
        Some((_, array)) => array.shape().first().copied().unwrap_or(0),
        None => 0,
    };
    if !(1..=MAX_VARS).contains(&n_vars) {
        return Err(FileError::content(
            path,
            Place::Whole,
            "the archive holds no graph",
            "add an array adj of shape [N, N]",
        ));
    }
    let names = archive.names(n_vars)?;
    let dag = archive
        .graph(&names)?
        .expect("the adjacency was found above");
    NamedGraph::new(names, dag.into_digraph()).map_err(|text| {
        FileError::from_text(path, Place::Array("names".into()), &text, "rename one")
    })
}

fn n_vars(
    path: &Path,
    observed: Option<&NpyArray>,
    intervened: Option<&NpyArray>,
) -> Result<usize, FileError> {
    let from_observed = match observed.map(|array| (array, array.shape())) {
        None => None,
        Some((_, &[_, n])) => Some(n),
        Some((array, _)) => {
            return Err(wrong_shape(path, "data_obs", array, "[samples, variables]"));
        }
    };
    let n_vars = match (
        from_observed,
        intervened.map(|array| (array, array.shape())),
    ) {
        (Some(n), None) => n,
        (None, Some((_, &[blocks, _, n]))) if blocks == n => n,
        (Some(n), Some((_, &[blocks, _, m]))) if blocks == n && m == n => n,
        (None, None) => {
            return Err(FileError::content(
                path,
                Place::Whole,
                "the archive has neither data_obs nor data_int",
                "store samples in data_obs [n, N] and data_int [N, m, N]",
            ));
        }
        (n, Some((array, _))) => {
            let n = n.map_or("variables".to_owned(), |n| n.to_string());
            let expected = format!("[{n}, samples per target, {n}]");
            return Err(wrong_shape(path, "data_int", array, &expected));
        }
    };
    if (1..=MAX_VARS).contains(&n_vars) {
        return Ok(n_vars);
    }
    let problem = format!("{n_vars} variables, but 1 to {MAX_VARS} are possible");
    Err(FileError::content(
        path,
        Place::Whole,
        problem,
        "store one column per variable",
    ))
}
