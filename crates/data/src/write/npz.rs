//! Samples as a NumPy archive, with the arrays that the reader describes.
//!
//! Observational rows come first, then the rows of each target; within these the order is kept.
//! Labels other than `0`, `1`, .. are stored in an array of their own. With a real variable all
//! values are floating-point numbers, codes among them, and an array tells the two apart.

use std::io::{Seek, Write};
use std::path::Path;

use fedcdi_core::{Dataset, Digraph, VarId, Variable};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::atomic::{Overwrite, write_atomically};
use super::npy;
use crate::file_error::{FileError, Place};
use crate::read::TableOptions;

/// Writes samples, and the true graph if it is known, as a NumPy archive. It cannot hold rows under
/// interventions on several variables, nor different numbers of rows per target.
pub(crate) fn write_npz(
    path: &Path,
    table: &Dataset,
    truth: Option<&Digraph>,
    _: &TableOptions,
    overwrite: Overwrite,
) -> Result<(), FileError> {
    let arrays = arrays(path, table, truth)?;
    write_atomically(path, overwrite, |out| {
        format_npz(out, &arrays).map_err(|error| match error {
            zip::result::ZipError::Io(source) => FileError::io(path, source),
            other => FileError::io(path, std::io::Error::other(other)),
        })
    })
}

pub(crate) fn format_npz(
    out: impl Write + Seek,
    arrays: &[(&str, Vec<u8>)],
) -> zip::result::ZipResult<()> {
    let mut archive = ZipWriter::new(out);
    for (key, array) in arrays {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
            .large_file(array.len() >= u32::MAX as usize);
        archive.start_file(format!("{key}.npy"), options)?;
        archive.write_all(array)?;
    }
    archive.finish().map(drop)
}

fn arrays(
    path: &Path,
    table: &Dataset,
    truth: Option<&Digraph>,
) -> Result<Vec<(&'static str, Vec<u8>)>, FileError> {
    let variables = table.schema().variables();
    let n = table.n_vars();
    let blocks = blocks(path, table)?;
    let observed = table.observational();
    let per_target = blocks.first().map_or(0, Vec::len);
    let names: Vec<&str> = variables.iter().map(|v| v.name.as_str()).collect();
    let counts = variables.iter().map(|v| i64::from(v.n_categories() as u16));
    let data_obs = values(table, &[observed.len(), n], observed.iter().copied());
    let data_int = values(table, &[n, per_target, n], blocks.iter().flatten().copied());
    let mut arrays = vec![
        ("data_obs", data_obs),
        ("data_int", data_int),
        ("names", texts(path, "names", &[n], &names)?),
        ("num_categs", npy::integers(&[n], counts)),
    ];
    if variables.iter().any(Variable::is_real) {
        let flags = variables.iter().map(|v| u16::from(v.is_real()));
        arrays.push(("real", npy::codes(&[n], false, flags)));
    }
    if !variables.iter().all(has_code_labels) {
        arrays.push(("labels", labels(path, variables)?));
    }
    if let Some(truth) = truth {
        let edges = truth.adjacency();
        let edges = edges.iter().map(|edge| u16::from(*edge));
        arrays.push(("adj", npy::codes(&[n, n], false, edges)));
    }
    Ok(arrays)
}

fn values(table: &Dataset, shape: &[usize], samples: impl Iterator<Item = usize>) -> Vec<u8> {
    let (ids, variables) = (|| table.schema().ids(), table.schema().variables());
    if variables.iter().any(Variable::is_real) {
        let values = samples.flat_map(|s| ids().map(move |v| number(table, s, v)));
        return npy::reals(shape, values);
    }
    let wide = variables.iter().any(|v| v.n_categories() > 256);
    let values = samples.flat_map(|s| ids().map(move |v| table.value(s, v)));
    npy::codes(shape, wide, values)
}

fn labels(path: &Path, variables: &[Variable]) -> Result<Vec<u8>, FileError> {
    let widest = variables.iter().map(Variable::n_categories).max();
    let widest = widest.unwrap_or(0);
    let labels = variables.iter().map(Variable::categories);
    let labels =
        labels.flat_map(|labels| (0..widest).map(|c| labels.get(c).map_or("", String::as_str)));
    let labels: Vec<&str> = labels.collect();
    texts(path, "labels", &[variables.len(), widest], &labels)
}

fn number(table: &Dataset, sample: usize, var: VarId) -> f64 {
    match table.column(var).reals() {
        Some(values) => values[sample],
        None => f64::from(table.value(sample, var)),
    }
}

fn has_code_labels(variable: &Variable) -> bool {
    let mut labels = variable.categories().iter().enumerate();
    labels.all(|(code, label)| *label == code.to_string())
}

fn texts(path: &Path, key: &str, shape: &[usize], texts: &[&str]) -> Result<Vec<u8>, FileError> {
    if let Some(text) = texts.iter().find(|text| text.ends_with('\0')) {
        let problem = format!("{text:?} ends in a zero character, which NumPy cuts off");
        let place = Place::Array(key.to_owned());
        let remedy = "rename it, or write CSV or Parquet";
        return Err(FileError::content(path, place, problem, remedy));
    }
    Ok(npy::texts(shape, texts))
}

/// Samples of each target, all equally many.
fn blocks(path: &Path, table: &Dataset) -> Result<Vec<Vec<usize>>, FileError> {
    let error = |problem: String| {
        let remedy = "write CSV or Parquet, which have no such limit";
        FileError::content(path, Place::Array("data_int".to_owned()), problem, remedy)
    };
    let schema = table.schema();
    let mut blocks = vec![Vec::new(); table.n_vars()];
    for (regime, samples) in table.regimes().iter().zip(table.samples_by_regime()) {
        match regime.targets() {
            [] => {}
            [target] => blocks[target.index()] = samples,
            several => {
                let names: Vec<&str> = several.iter().map(|t| schema.name(*t)).collect();
                return Err(error(format!(
                    "rows under an intervention on several variables ({}) do not fit",
                    names.join(", ")
                )));
            }
        }
    }
    let n_rows = |v: &VarId| blocks[v.index()].len();
    if let (Some(low), Some(high)) = (
        schema.ids().min_by_key(n_rows),
        schema.ids().max_by_key(n_rows),
    ) && n_rows(&low) != n_rows(&high)
    {
        let has = |v: VarId| format!("{:?} has {}", schema.name(v), n_rows(&v));
        let (low, high) = (has(low), has(high));
        let rule = "every target needs the same number of rows";
        return Err(error(format!("{rule}, but {low} and {high}")));
    }
    Ok(blocks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedcdi_core::{DatasetBuilder, Regime, Schema};
    use std::sync::Arc;

    fn refused(regimes: &[Regime]) -> String {
        let variables = ["a", "b"].map(|name| Variable::with_codes(name, 2));
        let schema = Arc::new(Schema::new(variables.into()).unwrap());
        let mut builder = DatasetBuilder::with_capacity(schema, 4);
        for regime in regimes {
            builder.push(&[0, 1], regime).unwrap();
        }
        let table = builder.finish().unwrap();
        arrays(Path::new("t.npz"), &table, None)
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn tables_that_do_not_fit_are_refused_with_the_way_out() {
        let [a, b] = [0, 1].map(|v| Regime::intervened([VarId(v)]));
        assert_eq!(
            refused(&[a.clone(), a, b]),
            "t.npz, array data_int: every target needs the same number of rows, but \"b\" has 1 \
             and \"a\" has 2; write CSV or Parquet, which have no such limit"
        );
        let both = Regime::intervened([VarId(0), VarId(1)]);
        assert!(refused(&[both]).contains("on several variables (a, b) do not fit"));
    }
}
