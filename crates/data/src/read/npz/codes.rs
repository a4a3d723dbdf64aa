//! Category codes and real numbers out of arrays, into columns.

use std::path::Path;
use std::sync::Arc;

use fedcdi_core::{Column, Dataset, DatasetError, Regime, Remedy, Schema};

use super::archive::bad_element;
use super::npy::NpyArray;
use crate::file_error::FileError;

/// The values of one variable.
enum Values {
    Codes(Vec<u16>),
    Reals(Vec<f64>),
}

/// Values of all samples, observational first, then block by block.
pub(super) struct Codes {
    columns: Vec<Values>,
    n_observed: usize,
    n_per_target: usize,
}

impl Codes {
    pub(super) fn collect(
        path: &Path,
        is_real: &[bool],
        observed: Option<&NpyArray>,
        intervened: Option<&NpyArray>,
    ) -> Result<Self, FileError> {
        let n_vars = is_real.len();
        let n_observed = observed.map_or(0, |array| array.shape()[0]);
        let n_per_target = intervened.map_or(0, |array| array.shape()[1]);
        if n_observed + n_per_target == 0 {
            let remedy = "store samples in data_obs or data_int";
            return Err(FileError::whole(path, "there are no samples", remedy));
        }
        let observed = observed.into_iter().flat_map(|array| {
            let rows = 0..n_observed;
            rows.map(move |row| ("data_obs", array, vec![row]))
        });
        let intervened = intervened.into_iter().flat_map(|array| {
            let rows = (0..n_vars).flat_map(|b| (0..n_per_target).map(move |r| vec![b, r]));
            rows.map(move |at| ("data_int", array, at))
        });
        let rows = observed.chain(intervened);
        let mut columns = Vec::with_capacity(n_vars);
        for (v, real) in is_real.iter().enumerate() {
            let cells = rows.clone().map(|(key, array, mut at)| {
                at.push(v);
                (key, array, at)
            });
            columns.push(if *real {
                let values = cells.map(|(key, array, at)| number(path, key, array, &at));
                Values::Reals(values.collect::<Result<_, _>>()?)
            } else {
                let codes = cells.map(|(key, array, at)| code(path, key, array, &at));
                Values::Codes(codes.collect::<Result<_, _>>()?)
            });
        }
        Ok(Self {
            columns,
            n_observed,
            n_per_target,
        })
    }

    /// Categories per variable: as given and large enough, or the largest code plus one; none of a
    /// real variable.
    pub(super) fn n_categories(
        &self,
        path: &Path,
        limits: Option<Vec<usize>>,
    ) -> Result<Vec<usize>, FileError> {
        let needed = |values: &Values| match values {
            Values::Codes(codes) => usize::from(codes.iter().copied().max().unwrap_or(0)) + 1,
            Values::Reals(_) => 0,
        };
        let Some(limits) = limits else {
            return Ok(self.columns.iter().map(needed).collect());
        };
        for (v, (values, &limit)) in self.columns.iter().zip(&limits).enumerate() {
            let Values::Codes(codes) = values else {
                continue;
            };
            if let Some(sample) = codes.iter().position(|&c| usize::from(c) >= limit) {
                let (key, at) = self.position(sample, v);
                let code = codes[sample];
                let problem = format!("code {code} is not below num_categs[{v}], {limit}");
                let remedy = "correct the code or the number of categories";
                return Err(bad_element(path, key, &at, problem, remedy));
            }
        }
        Ok(limits)
    }

    /// Array and position from which a code came.
    fn position(&self, sample: usize, var: usize) -> (&'static str, Vec<usize>) {
        match sample.checked_sub(self.n_observed) {
            None => ("data_obs", vec![sample, var]),
            Some(at) => {
                let (block, row) = (at / self.n_per_target, at % self.n_per_target);
                ("data_int", vec![block, row, var])
            }
        }
    }

    pub(super) fn into_dataset(self, schema: Arc<Schema>) -> Result<Dataset, DatasetError> {
        let mut regimes = vec![Regime::Observational];
        regimes.extend(schema.ids().map(|target| Regime::intervened([target])));
        let mut regime_of = vec![0; self.n_observed];
        for target in 1..regimes.len() {
            regime_of.resize(regime_of.len() + self.n_per_target, target as u32);
        }
        let variables = schema.variables().iter();
        let columns = variables
            .zip(self.columns)
            .map(|(variable, values)| match values {
                Values::Reals(values) => Column::Real(values),
                Values::Codes(codes) if variable.n_categories() <= 256 => {
                    Column::U8(codes.into_iter().map(|code| code as u8).collect())
                }
                Values::Codes(codes) => Column::U16(codes),
            });
        let columns = columns.collect();
        Dataset::new(schema, columns, regimes, regime_of)
    }
}

fn number(path: &Path, key: &str, array: &NpyArray, at: &[usize]) -> Result<f64, FileError> {
    array.number(at).map_err(|value| {
        let problem = format!("{value} is not a finite number");
        bad_element(
            path,
            key,
            at,
            problem,
            "remove the row or fill in the value",
        )
    })
}

fn code(path: &Path, key: &str, array: &NpyArray, at: &[usize]) -> Result<u16, FileError> {
    let from_0 = || Remedy::from("number the categories of every variable from 0");
    let (problem, remedy) = match array.integer(at) {
        Ok(value @ 0..65535) => return Ok(value as u16),
        Ok(value) if value < 0 => (format!("the code {value} is negative"), from_0()),
        Ok(value) => (
            format!("the code {value} is too large"),
            from_0()
                .text(", or pass ")
                .setting("real")
                .text(" for real numbers"),
        ),
        Err(value) => (
            format!("{value} is not a whole number, so not a category code"),
            from_0(),
        ),
    };
    Err(bad_element(path, key, at, problem, remedy))
}
