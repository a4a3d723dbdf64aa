//! Samples and graph of an archive.

use std::fmt;
use std::io::{BufReader, Read, Seek};
use std::path::Path;
use std::sync::Arc;

use fedcdi_core::{Column, Dataset, Schema, first_few};

use super::archive::{Archive, MAX_VARS};
use super::samples::{Samples, real_variables};
use crate::file_error::{FileError, Place};
use crate::formats::{Format, open};
use crate::named_graph::NamedGraph;
use crate::read::header::schema_problems;
use crate::read::{Naming, Table, TableOptions};
use crate::write::write_npz;

/// Labels that are shown.
const FEW: usize = 5;

pub(crate) const NPZ: Format = Format {
    extension: "npz",
    columns: |_| None,
    read: read_npz,
    write: write_npz,
};

/// Samples and graph, under the schema of the options if they have one.
fn read_npz(path: &Path, options: &TableOptions) -> Result<Table, FileError> {
    let mut table = parse_npz(BufReader::new(open(path)?), path, options)?;
    let Some(schema) = &options.schema else {
        return Ok(table);
    };
    let wrong = differences(path, &table.dataset, schema, options);
    if let (Naming::All, Some(error)) = (options.naming, FileError::all(path, wrong)) {
        return Err(error);
    }
    let invalid = |error: &dyn fmt::Display| FileError::from_text(path, Place::Whole, &error);
    let names = table.dataset.schema().names();
    table.dataset = table.dataset.recode(schema).map_err(|e| invalid(&e))?;
    if let Some(truth) = table.truth.take() {
        let graph = NamedGraph::new(names, truth.into_digraph())
            .and_then(|graph| graph.aligned_to(&schema.names()))
            .map_err(|e| invalid(&e))?;
        let dag = graph.graph.try_into();
        table.truth = Some(dag.expect("another order of variables makes no cycle"));
    }
    Ok(table)
}

/// Variables and labels of an archive that the schema does not have, and those that it lacks.
fn differences(
    path: &Path,
    found: &Dataset,
    schema: &Schema,
    options: &TableOptions,
) -> Vec<FileError> {
    let own = found.schema();
    let mut wrong = schema_problems(path, &own.names(), schema, options);
    for (id, variable) in own.ids().zip(own.variables()) {
        let Some(expected) = schema.find(&variable.name) else {
            continue;
        };
        let expected = schema.variable(expected);
        if variable.is_real() || expected.is_real() {
            continue;
        }
        let counts = found.column(id).counts(variable.n_categories());
        let labels = variable.categories().iter().zip(counts);
        let unknown = labels.filter(|(label, n)| *n > 0 && !expected.categories().contains(label));
        let unknown: Vec<String> = unknown.map(|(l, n)| format!("{l:?} ({n} rows)")).collect();
        if !unknown.is_empty() {
            let problem = format!("the schema has no categories {}", first_few(unknown, FEW));
            let remedy = "correct the values, or add the categories to the schema of all sites";
            wrong.push(FileError::column(path, &variable.name, problem, remedy));
        }
    }
    wrong
}

fn parse_npz(
    source: impl Read + Seek,
    path: &Path,
    options: &TableOptions,
) -> Result<Table, FileError> {
    let mut archive = Archive::open(source, path)?;
    let samples = Samples::read(&mut archive)?;
    let names = archive.names(samples.n_vars)?;
    let real = real_variables(&mut archive, &names, &samples, options)?;
    let limits = archive.category_counts(&real)?;
    let (mut columns, mut n_categories) = (Vec::new(), Vec::new());
    for (var, real) in real.iter().enumerate() {
        if *real {
            columns.push(Column::Real(samples.reals(var)?));
            n_categories.push(0);
            continue;
        }
        let limit = limits.as_ref().map(|limits| limits[var]);
        let codes = samples.codes(var, limit)?;
        let largest = codes.iter().copied().max().unwrap_or(0);
        let n = limit.unwrap_or(usize::from(largest) + 1);
        columns.push(Column::of_codes(codes, n));
        n_categories.push(n);
    }
    let variables = archive.variables(&names, &real, &n_categories)?;
    let schema = Schema::new(variables).map_err(|e| FileError::schema(path, Place::Whole, &e))?;
    let truth = archive.graph(&names)?;
    let (regimes, regime_of) = samples.regimes();
    let dataset = Dataset::new(Arc::new(schema), columns, regimes, regime_of);
    Ok(Table {
        dataset: dataset.map_err(|e| FileError::from_text(path, Place::Whole, &e))?,
        truth,
        n_dropped: 0,
        others: Vec::new(),
    })
}

/// Reads only the graph of a NumPy archive.
pub(crate) fn read_npz_graph(path: &Path) -> Result<NamedGraph, FileError> {
    let mut archive = Archive::open(BufReader::new(open(path)?), path)?;
    let n_vars = match archive.adjacency()? {
        Some((_, array)) => array.shape().first().copied().unwrap_or(0),
        None => 0,
    };
    if !(1..=MAX_VARS).contains(&n_vars) {
        let remedy = "add an array adj of shape [N, N]";
        return Err(FileError::whole(path, "the archive holds no graph", remedy));
    }
    let names = archive.names(n_vars)?;
    let dag = archive
        .graph(&names)?
        .expect("the adjacency was found above");
    NamedGraph::new(names, dag.into_digraph())
        .map_err(|e| FileError::from_text(path, Place::Array("names".into()), &e))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::{format_npz, npy};
    use std::io::Cursor;

    fn codes(shape: &[usize], values: &[u16]) -> Vec<u8> {
        npy::codes(shape, false, values.iter().copied())
    }

    fn integers(shape: &[usize], values: &[i64]) -> Vec<u8> {
        npy::integers(shape, values.iter().copied())
    }

    fn archive(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let mut file = Cursor::new(Vec::new());
        format_npz(&mut file, arrays).unwrap();
        file.into_inner()
    }

    fn read(arrays: &[(&str, Vec<u8>)]) -> Result<Table, String> {
        let file = Cursor::new(archive(arrays));
        parse_npz(file, Path::new("s.npz"), &TableOptions::default()).map_err(|e| e.to_string())
    }

    #[test]
    fn codes_names_and_regimes_have_defaults() {
        let table = read(&[
            ("data_obs", integers(&[2, 2], &[0, 4, 1, 0])),
            ("data_int", codes(&[2, 1, 2], &[2, 0, 0, 0])),
            ("adj_matrix", codes(&[2, 2], &[0, 1, 0, 0])),
        ]);
        let Table { dataset, truth, .. } = table.unwrap();
        assert_eq!(dataset.schema().names(), ["X1", "X2"]);
        let sizes = dataset.schema().variables().iter();
        let sizes: Vec<usize> = sizes.map(fedcdi_core::Variable::n_categories).collect();
        assert_eq!(sizes, [3, 5]);
        assert_eq!(dataset.interventional_counts(), [1, 1]);
        assert_eq!(truth.unwrap().n_edges(), 1);
    }

    fn reals(shape: &[usize], values: &[f64]) -> Vec<u8> {
        npy::reals(shape, values.iter().copied())
    }

    #[test]
    fn floats_are_real_and_categories_where_the_archive_says_so() {
        let floats = || ("data_obs", reals(&[2, 2], &[0.0, 1.0, 1.0, 0.0]));
        let kinds = |arrays: &[(&str, Vec<u8>)]| {
            let table = read(arrays).unwrap().dataset;
            let variables = table.schema().variables().iter();
            variables
                .map(fedcdi_core::Variable::is_real)
                .collect::<Vec<_>>()
        };
        assert_eq!(kinds(&[floats()]), [true, true]);
        let counts = ("num_categs", integers(&[2], &[2, 2]));
        assert_eq!(kinds(&[floats(), counts]), [false, false]);
        let real = ("real", codes(&[2], &[0, 1]));
        assert_eq!(kinds(&[floats(), real]), [false, true]);
        let error = read(&[floats(), ("data_int", codes(&[2, 1, 2], &[0; 4]))]).unwrap_err();
        assert!(error.contains("real = \"all\""), "{error}");
        let error = read(&[("data_obs", reals(&[1, 2], &[0.5, f64::NAN]))]).unwrap_err();
        assert!(
            error.contains("data_obs[0, 1]: NaN is not a finite"),
            "{error}"
        );
    }

    #[test]
    fn bad_archives_are_refused_by_array_and_position() {
        let good = || ("data_obs", codes(&[2, 2], &[0, 1, 1, 0]));
        let adj = |values: &[u16]| ("adj", codes(&[2, 2], values));
        let counts = |counts: &[i64]| ("num_categs", integers(&[counts.len()], counts));
        for (arrays, expected) in [
            (vec![], ": the archive has neither data_obs nor data_int"),
            (
                vec![("data_obs", codes(&[0, 2], &[]))],
                ": there are no samples",
            ),
            (
                vec![("data_obs", codes(&[2], &[0, 1]))],
                ", array data_obs: the shape is [2]",
            ),
            (
                vec![good(), ("data_int", codes(&[1, 1, 2], &[0, 0]))],
                ", array data_int: the shape is [1, 1, 2], expected [2, samples per target, 2]",
            ),
            (
                vec![("data_obs", integers(&[1, 2], &[0, -1]))],
                ", array data_obs[0, 1]: the code -1 is negative",
            ),
            (
                vec![("data_obs", integers(&[1, 1], &[70_000]))],
                ", array data_obs[0, 0]: the code 70000 is too large",
            ),
            (
                vec![good(), adj(&[0, 2, 0, 0])],
                ", array adj[0, 1]: 2 is neither 0 nor 1",
            ),
            (
                vec![good(), adj(&[1, 0, 0, 0])],
                ", array adj[0, 0]: \"X1\" would be its own",
            ),
            (
                vec![good(), adj(&[0, 1, 1, 0])],
                ", array adj: the graph has a cycle: X",
            ),
            (
                vec![good(), ("adj", codes(&[1, 2], &[0, 0]))],
                ", array adj: the shape is [1, 2], expected [2, 2]",
            ),
            (
                vec![good(), counts(&[2, 1])],
                ", array data_obs[0, 1]: code 1 is not below num_categs[1], 1",
            ),
            (
                vec![good(), counts(&[2, 0])],
                ", array num_categs[1]: 0 is not a number of",
            ),
            (
                vec![good(), counts(&[2])],
                ", array num_categs: the shape is [1], expected [2]",
            ),
            (
                vec![good(), ("names", codes(&[2], &[0, 1]))],
                ", array names[0]: the name is a num",
            ),
            (
                vec![good(), ("names", npy::texts(&[2], &["a", "a"]))],
                ": two variables are called \"a\"",
            ),
        ] {
            let error = read(&arrays).unwrap_err();
            assert!(error.starts_with(&format!("s.npz{expected}")), "{error}");
        }
    }

    #[test]
    fn a_cut_off_archive_is_refused() {
        let bytes = archive(&[("data_obs", codes(&[2, 2], &[0, 1, 1, 0]))]);
        for length in [0, 10, bytes.len() / 2, bytes.len() - 1] {
            let cut = Cursor::new(bytes[..length].to_vec());
            let error = parse_npz(cut, Path::new("s.npz"), &TableOptions::default()).unwrap_err();
            assert!(error.is_bad_input() && error.to_string().contains("not a whole .npz"));
        }
    }
}
