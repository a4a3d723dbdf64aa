//! A graph as CSV: edge list, belief or matrix, told apart by the header.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use csv::{Reader, ReaderBuilder, StringRecord};
use fedcdi_core::Digraph;
use ndarray::Array2;

use super::edge_list::{Columns, read_edge_list};
use crate::file_error::{FileError, Place};
use crate::formats::{extension, open};
use crate::named_graph::NamedGraph;
use crate::read::belief::{BELIEF_HEADER, read_belief};
use crate::read::csv::describe;

pub(crate) fn read_graph_csv(path: &Path) -> Result<NamedGraph, FileError> {
    let file = open(path)?;
    let mut reader = ReaderBuilder::new().from_reader(file);
    let header = reader.headers().map_err(|e| describe(path, e))?.clone();
    let columns: Vec<&str> = header.iter().collect();
    if columns == BELIEF_HEADER {
        let (names, belief) = read_belief(path)?;
        let probability = belief.psi();
        let graph = Digraph::from_matrix(&probability, |p| *p >= 0.5);
        return Ok(NamedGraph {
            names,
            graph,
            probability: Some(probability),
            open: BTreeSet::new(),
            gains: BTreeMap::new(),
        });
    }
    match columns.as_slice() {
        [] => {
            let remedy = "write a header of names, or the columns cause and effect";
            Err(FileError::whole(path, "the file is empty", remedy))
        }
        ["cause", "effect", rest @ ..]
            if rest
                .iter()
                .all(|c| ["probability", "directed", "gain"].contains(c)) =>
        {
            let at = |name| Some(2 + rest.iter().position(|c| *c == name)?);
            let columns = Columns {
                probability: at("probability"),
                directed: at("directed"),
                gain: at("gain"),
            };
            read_edge_list(path, reader, columns)
        }
        _ => read_matrix(path, &header, reader),
    }
}

/// Reads the rows of a matrix, below a header of names.
fn read_matrix(
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

/// Whether a graph in CSV is a matrix: it then says something of every pair, not of its edges alone.
pub fn is_matrix_csv(path: &Path) -> bool {
    if extension(path) != "csv" {
        return false;
    }
    let header = open(path).ok().and_then(|file| {
        let mut reader = ReaderBuilder::new().from_reader(file);
        reader.headers().ok().cloned()
    });
    header.is_some_and(|header| {
        let columns: Vec<&str> = header.iter().collect();
        !columns.starts_with(&["cause", "effect"])
    })
}

pub(super) fn number(
    path: &Path,
    record: &StringRecord,
    row: u64,
    column: &str,
    field: &str,
) -> Result<f64, FileError> {
    let value = field.trim().parse::<f64>().ok();
    value.filter(|p| (0.0..=1.0).contains(p)).ok_or_else(|| {
        let problem = format!("{field:?} is neither 0, 1 nor a probability");
        let place = row_place(record, row, Some(column));
        FileError::content(path, place, problem, "write a number between 0 and 1")
    })
}

pub(crate) fn row_place(record: &StringRecord, row: u64, column: Option<&str>) -> Place {
    Place::Row {
        row,
        line: record.position().map(csv::Position::line),
        column: column.map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedcdi_core::VarId;

    fn read(text: &str) -> Result<NamedGraph, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("g.csv");
        std::fs::write(&path, text).unwrap();
        let strip = |e: FileError| e.to_string().split_once("g.csv").unwrap().1.to_owned();
        read_graph_csv(&path).map_err(strip)
    }

    #[test]
    fn matrices_may_name_their_rows() {
        let plain = read("a,b\n0,1\n0,0\n").unwrap();
        let named = read(",a,b\na,0,1\nb,0,0\n").unwrap();
        assert_eq!(plain, named);
        assert!(plain.graph.has_edge(VarId(0), VarId(1)));
        assert_eq!(plain.probability, None);
        let uncertain = read("a,b\n0,0.3\n0.8,0\n").unwrap();
        assert!(uncertain.graph.has_edge(VarId(1), VarId(0)));
        assert_eq!(uncertain.graph.n_edges(), 1);
        assert_eq!(uncertain.probability.unwrap()[(0, 1)], 0.3);
    }

    #[test]
    fn edge_lists_keep_variables_without_edges() {
        let named = read("cause,effect,probability\nb,a,0.4\nc,,\n").unwrap();
        assert_eq!(named.names, ["b", "a", "c"]);
        assert!(named.graph.has_edge(VarId(0), VarId(1)));
        assert_eq!(named.probability.unwrap()[(0, 1)], 0.4);
    }

    #[test]
    fn edge_lists_may_leave_directions_open() {
        let named = read("cause,effect,directed\na,b,0\nb,c,1\n").unwrap();
        let open: Vec<_> = named.open.into_iter().collect();
        assert_eq!(open, [(VarId(0), VarId(1))]);
        assert_eq!(named.probability, None);
    }

    #[test]
    fn edge_lists_may_have_gains() {
        let named = read("cause,effect,gain\na,b,-3.5\nb,c,1e3\nd,,\n").unwrap();
        let gains: Vec<f64> = named.gains.into_values().collect();
        assert_eq!(gains, [-3.5, 1000.0]);
        let error = read("cause,effect,gain\na,b,much\n").unwrap_err();
        assert!(error.contains("\"much\" is not a number"), "{error}");
    }

    #[test]
    fn bad_graphs_are_refused_by_place() {
        for (text, expected) in [
            ("", ": the file is empty"),
            ("a,b,c\n0,1,0\n", ": the matrix has 1 rows and 3 columns"),
            (
                "a,b\n0,2\n0,0\n",
                ", row 1 (line 2), column \"b\": \"2\" is neither",
            ),
            (
                "a,b\n0,\n0,0\n",
                ", row 1 (line 2), column \"b\": \"\" is neither",
            ),
            (
                "a,b\n1,0\n0,0\n",
                ", row 1 (line 2), column \"a\": \"a\" would be its own",
            ),
            (
                "a,a\n0,0\n0,0\n",
                ", line 1: two variables are called \"a\"",
            ),
            (
                ",a,b\nb,0,1\na,0,0\n",
                ", row 1 (line 2): the row is called \"b\"",
            ),
            (
                "cause,effect\na,b\na,b\n",
                ", row 2 (line 3): edge \"a\" -> \"b\" is listed twice",
            ),
            (
                "cause,effect\na,a\n",
                ", row 1 (line 2): \"a\" would be its own cause",
            ),
            (
                "cause,effect\n,a\n",
                ", row 1 (line 2): unknown variable \"\"",
            ),
        ] {
            let error = read(text).unwrap_err();
            assert!(
                error.starts_with(expected) || error.contains(expected),
                "{text:?}: {error}"
            );
        }
    }
}
