//! The samples of an archive: which variables are real, category codes and real numbers.

use std::io::{Read, Seek};
use std::path::Path;

use fedcdi_core::{Regime, Remedy, VarId};

use super::archive::{Archive, MAX_VARS, bad_element, wrong_shape};
use super::npy::NpyArray;
use crate::file_error::FileError;
use crate::read::TableOptions;
use crate::read::header::real_problem;
use crate::read::options::RealColumns;

/// Observational samples, and a block of samples per target; one of the two may be absent.
pub(super) struct Samples<'a> {
    path: &'a Path,
    observed: Option<NpyArray>,
    intervened: Option<NpyArray>,
    pub(super) n_vars: usize,
    n_observed: usize,
    n_per_target: usize,
}

impl<'a> Samples<'a> {
    pub(super) fn read<R: Read + Seek>(archive: &mut Archive<'a, R>) -> Result<Self, FileError> {
        let path = archive.path;
        let (observed, intervened) = (archive.array("data_obs")?, archive.array("data_int")?);
        let n_vars = n_vars(path, observed.as_ref(), intervened.as_ref())?;
        let n_observed = observed.as_ref().map_or(0, |array| array.shape()[0]);
        let n_per_target = intervened.as_ref().map_or(0, |array| array.shape()[1]);
        if n_observed + n_per_target == 0 {
            let remedy = "store samples in data_obs or data_int";
            return Err(FileError::whole(path, "there are no samples", remedy));
        }
        Ok(Self {
            path,
            observed,
            intervened,
            n_vars,
            n_observed,
            n_per_target,
        })
    }

    pub(super) fn arrays(&self) -> impl Iterator<Item = &NpyArray> {
        self.observed.iter().chain(&self.intervened)
    }

    /// The values of one variable: observational samples first, then block by block.
    fn values<T>(
        &self,
        var: usize,
        value: impl Fn(&NpyArray, &[usize]) -> Result<T, (String, Remedy)>,
    ) -> Result<Vec<T>, FileError> {
        let at = |key: &str, array: &NpyArray, at: &[usize]| {
            value(array, at)
                .map_err(|(problem, remedy)| bad_element(self.path, key, at, problem, remedy))
        };
        let mut values = Vec::with_capacity(self.n_observed + self.n_vars * self.n_per_target);
        if let Some(array) = &self.observed {
            for row in 0..self.n_observed {
                values.push(at("data_obs", array, &[row, var])?);
            }
        }
        if let Some(array) = &self.intervened {
            for sample in 0..self.n_vars * self.n_per_target {
                let (block, row) = (sample / self.n_per_target, sample % self.n_per_target);
                values.push(at("data_int", array, &[block, row, var])?);
            }
        }
        Ok(values)
    }

    pub(super) fn reals(&self, var: usize) -> Result<Vec<f64>, FileError> {
        self.values(var, |array, at| {
            array.number(at).map_err(|value| {
                let problem = format!("{value} is not a finite number");
                (problem, "remove the row or fill in the value".into())
            })
        })
    }

    /// The codes of a categorical variable, below `limit` if there is one.
    pub(super) fn codes(&self, var: usize, limit: Option<usize>) -> Result<Vec<u16>, FileError> {
        self.values(var, |array, at| {
            let code = code(array, at)?;
            match limit.filter(|limit| usize::from(code) >= *limit) {
                None => Ok(code),
                Some(limit) => {
                    let problem = format!("code {code} is not below num_categs[{var}], {limit}");
                    Err((
                        problem,
                        "correct the code or the number of categories".into(),
                    ))
                }
            }
        })
    }

    pub(super) fn regimes(&self) -> (Vec<Regime>, Vec<u32>) {
        let targets = (0..self.n_vars).map(|target| Regime::intervened([VarId(target)]));
        let regimes = std::iter::once(Regime::Observational).chain(targets);
        let mut regime_of = vec![0; self.n_observed];
        for target in 1..=self.n_vars {
            regime_of.resize(regime_of.len() + self.n_per_target, target as u32);
        }
        (regimes.collect(), regime_of)
    }
}

fn code(array: &NpyArray, at: &[usize]) -> Result<u16, (String, Remedy)> {
    let remedy = || Remedy::from("number the categories of every variable from 0");
    Err(match array.integer(at) {
        Ok(value @ 0..65535) => return Ok(value as u16),
        Ok(value) if value < 0 => (format!("the code {value} is negative"), remedy()),
        Ok(value) => {
            let remedy = remedy().text(", or pass ").setting("real");
            let problem = format!("the code {value} is too large");
            (problem, remedy.text(" for real numbers"))
        }
        Err(value) => {
            let problem = format!("{value} is not a whole number, so not a category code");
            (problem, remedy())
        }
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
    let intervened = intervened.map(|array| (array, array.shape()));
    let n_vars = match (from_observed, intervened) {
        (Some(n), None) => n,
        (n, Some((_, &[blocks, _, m]))) if blocks == m && n.is_none_or(|n| n == m) => m,
        (None, None) => {
            let problem = "the archive has neither data_obs nor data_int";
            let remedy = "store samples in data_obs [n, N] and data_int [N, m, N]";
            return Err(FileError::whole(path, problem, remedy));
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
    let remedy = "store one column per variable";
    Err(FileError::whole(path, problem, remedy))
}

/// Whether each variable is real: a schema decides, else the archive's own `real`, else the type of
/// the arrays; what the caller declares comes on top.
pub(super) fn real_variables<R: Read + Seek>(
    archive: &mut Archive<'_, R>,
    names: &[String],
    samples: &Samples<'_>,
    options: &TableOptions,
) -> Result<Vec<bool>, FileError> {
    let path = archive.path;
    if let Some(error) = real_problem(path, names, options) {
        return Err(error);
    }
    if options.schema.is_some() {
        return Ok(names.iter().map(|name| options.is_real(name)).collect());
    }
    let mut real = if let Some(real) = archive.real(names.len())? {
        real
    } else {
        let categories = archive.has("num_categs") || archive.has("labels");
        let declared = options.real == RealColumns::All;
        let by_type = !categories && !declared && by_type(path, samples)?;
        vec![by_type; names.len()]
    };
    for (real, name) in real.iter_mut().zip(names) {
        *real |= options.real.contains(name);
    }
    Ok(real)
}

/// Whether the arrays are floating-point, all or none of them.
fn by_type(path: &Path, samples: &Samples<'_>) -> Result<bool, FileError> {
    let n_floats = samples.arrays().filter(|array| array.is_float()).count();
    if n_floats == 0 || n_floats == samples.arrays().count() {
        return Ok(n_floats > 0);
    }
    let problem =
        "of data_obs and data_int one holds floating-point numbers and the other integers";
    let remedy =
        "store real numbers as floats in both, category codes as integers in both, or pass ";
    let remedy = Remedy::from(remedy).set("real", "all");
    Err(FileError::whole(path, problem, remedy))
}
