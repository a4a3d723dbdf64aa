//! A graph as a matrix: one row per cause, one column per effect.

use std::path::Path;

use csv::{Reader, StringRecord};
use fedcdi_core::Digraph;
use ndarray::Array2;

use super::csv::{number, row_place};
use crate::file_error::{FileError, Place};
use crate::named_graph::NamedGraph;
use crate::read::csv::describe;

/// Reads the rows below a header of names.
pub(super) fn read_matrix(
    path: &Path,
    header: &StringRecord,
    mut reader: Reader<impl std::io::Read>,
) -> Result<NamedGraph, FileError> {
    let mut records = Vec::new();
    for record in reader.records() {
        records.push(record.map_err(|e| describe(path, e))?);
    }
    let (rows, columns) = (records.len(), header.len());
    // With a first column of names there is one column more than there are rows.
    let skip = match columns.checked_sub(rows) {
        Some(skip @ 0..=1) if rows > 0 => skip,
        _ => {
            let problem = format!("the matrix has {rows} rows and {columns} columns");
            let remedy = "write one row and one column per variable under a header of names";
            return Err(FileError::whole(path, problem, remedy));
        }
    };
    let names: Vec<String> = header.iter().skip(skip).map(String::from).collect();
    let values = values(path, &names, &records, skip)?;
    let graph = Digraph::from_matrix(&values, |p| *p >= 0.5);
    let mut named = NamedGraph::new(names, graph)
        .map_err(|e| FileError::from_text(path, Place::Line(1), &e))?;
    let certain = values.iter().all(|p| *p == 0.0 || *p == 1.0);
    named.probability = (!certain).then_some(values);
    Ok(named)
}

/// The numbers after the first `skip` columns.
fn values(
    path: &Path,
    names: &[String],
    records: &[StringRecord],
    skip: usize,
) -> Result<Array2<f64>, FileError> {
    let mut values = Array2::zeros((records.len(), records.len()));
    for (i, record) in records.iter().enumerate() {
        if skip == 1 && record.get(0) != Some(names[i].as_str()) {
            let problem = format!("the row is called {:?}", record.get(0).unwrap_or_default());
            let remedy = format!("list rows in the order of the header: here {:?}", names[i]);
            let place = row_place(record, i as u64 + 1, None);
            return Err(FileError::content(path, place, problem, remedy));
        }
        for (j, name) in names.iter().enumerate() {
            let field = record.get(j + skip).unwrap_or_default();
            let value = number(path, record, i as u64 + 1, name, field)?;
            if i == j && value != 0.0 {
                let place = row_place(record, i as u64 + 1, Some(name));
                let problem = format!("{name:?} would be its own cause");
                return Err(FileError::content(path, place, problem, "write 0 here"));
            }
            values[(i, j)] = value;
        }
    }
    Ok(values)
}
