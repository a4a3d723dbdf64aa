//! The arrays of an archive, each checked for shape and content.

use std::io::{Read, Seek};
use std::path::Path;

use fedcdi_core::graph::CycleError;
use fedcdi_core::{Dag, Digraph, Remedy, VarId, Variable};
use zip::ZipArchive;
use zip::result::ZipError;

use super::npy::NpyArray;
use crate::file_error::{FileError, Place};
use crate::synth::network::variable_names;

/// The number of variables comes from a header; beyond this it is not believed.
pub(super) const MAX_VARS: usize = 1 << 16;

/// An open archive; errors name its file.
pub(super) struct Archive<'a, R: Read + Seek> {
    pub(super) path: &'a Path,
    zip: ZipArchive<R>,
}

impl<'a, R: Read + Seek> Archive<'a, R> {
    pub(super) fn open(source: R, path: &'a Path) -> Result<Self, FileError> {
        match ZipArchive::new(source) {
            Ok(zip) => Ok(Self { path, zip }),
            Err(error) => Err(describe(path, Place::Whole, error)),
        }
    }

    pub(super) fn array(&mut self, key: &str) -> Result<Option<NpyArray>, FileError> {
        let place = || Place::Array(key.to_owned());
        let entry = match self.zip.by_name(&format!("{key}.npy")) {
            Ok(entry) => entry,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(describe(self.path, place(), error)),
        };
        let array = NpyArray::read(entry).map_err(|problem| {
            FileError::content(self.path, place(), problem, "save the file again")
        })?;
        Ok(Some(array))
    }

    /// The array of this name; if there is one it must have this shape.
    pub(super) fn shaped(
        &mut self,
        key: &str,
        shape: &[usize],
    ) -> Result<Option<NpyArray>, FileError> {
        let array = self.array(key)?;
        match &array {
            Some(array) if array.shape() != shape => {
                Err(wrong_shape(self.path, key, array, &format!("{shape:?}")))
            }
            _ => Ok(array),
        }
    }

    /// The elements of an array of one per variable, if there is one; an error says what is wrong
    /// with an element, and what to do.
    fn elements<T>(
        &mut self,
        key: &str,
        n_vars: usize,
        element: impl Fn(&NpyArray, usize) -> Result<T, (String, &'static str)>,
    ) -> Result<Option<Vec<T>>, FileError> {
        let Some(array) = self.shaped(key, &[n_vars])? else {
            return Ok(None);
        };
        let element = |v| {
            element(&array, v)
                .map_err(|(problem, remedy)| bad_element(self.path, key, &[v], problem, remedy))
        };
        (0..n_vars).map(element).collect::<Result<_, _>>().map(Some)
    }

    pub(super) fn names(&mut self, n_vars: usize) -> Result<Vec<String>, FileError> {
        let names = self.elements("names", n_vars, |names, v| {
            let name = names.text(&[v]);
            name.map_err(|found| (format!("the name is {found}"), "save the names as text"))
        })?;
        Ok(names.unwrap_or_else(|| variable_names(n_vars).collect()))
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.zip.index_for_name(&format!("{key}.npy")).is_some()
    }

    pub(super) fn real(&mut self, n_vars: usize) -> Result<Option<Vec<bool>>, FileError> {
        self.elements("real", n_vars, |real, v| match real.integer(&[v]) {
            Ok(flag @ 0..=1) => Ok(flag == 1),
            other => {
                let problem = format!("{} is neither 0 nor 1", shown(other));
                Err((problem, "store 1 for a real variable, else 0"))
            }
        })
    }

    /// Numbers of categories, if they are stored; those of real variables do not matter.
    pub(super) fn category_counts(
        &mut self,
        real: &[bool],
    ) -> Result<Option<Vec<usize>>, FileError> {
        self.elements("num_categs", real.len(), |counts, v| {
            match counts.integer(&[v]) {
                _ if real[v] => Ok(0),
                Ok(count @ 1..=65535) => Ok(count as usize),
                other => {
                    let problem = format!("{} is not a number of categories", shown(other));
                    Err((problem, "store whole numbers from 1 to 65535"))
                }
            }
        })
    }

    pub(super) fn variables(
        &mut self,
        names: &[String],
        real: &[bool],
        n_categories: &[usize],
    ) -> Result<Vec<Variable>, FileError> {
        let widest = n_categories.iter().copied().max().unwrap_or(0);
        let labels = self.shaped("labels", &[names.len(), widest])?;
        let label = |v: usize, code: usize| match &labels {
            None => Ok(code.to_string()),
            Some(labels) => labels.text(&[v, code]).map_err(|found| {
                let problem = format!("the label is {found}");
                let remedy = "save the labels as text";
                bad_element(self.path, "labels", &[v, code], problem, remedy)
            }),
        };
        let variable = |(v, name): (usize, &String)| {
            if real[v] {
                return Ok(Variable::real(name));
            }
            let labels = (0..n_categories[v]).map(|code| label(v, code));
            let labels: Vec<String> = labels.collect::<Result<_, _>>()?;
            Ok(Variable::new(name, labels))
        };
        names.iter().enumerate().map(variable).collect()
    }

    pub(super) fn adjacency(&mut self) -> Result<Option<(&'static str, NpyArray)>, FileError> {
        for key in ["adj", "adj_matrix"] {
            if let Some(array) = self.array(key)? {
                return Ok(Some((key, array)));
            }
        }
        Ok(None)
    }

    pub(super) fn graph(&mut self, names: &[String]) -> Result<Option<Dag>, FileError> {
        let Some((key, array)) = self.adjacency()? else {
            return Ok(None);
        };
        let n = names.len();
        if array.shape() != [n, n] {
            let expected = format!("[{n}, {n}], one row and one column per variable");
            return Err(wrong_shape(self.path, key, &array, &expected));
        }
        let mut graph = Digraph::empty(n);
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let (problem, remedy) = match array.integer(&[i, j]) {
                Ok(0) => continue,
                Ok(1) if i != j => {
                    graph.add_edge(VarId(i), VarId(j));
                    continue;
                }
                Ok(1) => (
                    format!("{:?} would be its own cause", names[i]),
                    "set the diagonal to 0",
                ),
                other => (
                    format!("{} is neither 0 nor 1", shown(other)),
                    "store 1 where the row's variable causes the column's, else 0",
                ),
            };
            return Err(bad_element(self.path, key, &[i, j], problem, remedy));
        }
        let cycle = |error: CycleError| {
            let problem = format!("the graph has a cycle: {}", error.describe(names));
            let place = Place::Array(key.to_owned());
            FileError::content(self.path, place, problem, "remove one of these edges")
        };
        Dag::try_from(graph).map(Some).map_err(cycle)
    }
}

fn shown(value: Result<i64, String>) -> String {
    value.map_or_else(|text| text, |value| value.to_string())
}

pub(super) fn bad_element(
    path: &Path,
    key: &str,
    at: &[usize],
    problem: String,
    remedy: impl Into<Remedy>,
) -> FileError {
    FileError::content(path, Place::Array(format!("{key}{at:?}")), problem, remedy)
}

pub(super) fn wrong_shape(path: &Path, key: &str, array: &NpyArray, expected: &str) -> FileError {
    let problem = format!("the shape is {:?}, expected {expected}", array.shape());
    let place = Place::Array(key.to_owned());
    FileError::content(path, place, problem, "reshape or transpose the array")
}

fn describe(path: &Path, place: Place, error: ZipError) -> FileError {
    match error {
        ZipError::Io(source) if source.raw_os_error().is_some() => FileError::io(path, source),
        other => {
            let problem = format!("this is not a whole .npz archive ({other})");
            FileError::content(path, place, problem, "save the file again")
        }
    }
}
