//! A belief as CSV: one row per ordered pair of variables.
//!
//! Existence and orientation are the belief; the probability beside them follows from both and is
//! checked, so that a file edited in one column only is not misread.

use std::collections::HashMap;
use std::path::Path;

use csv::{ReaderBuilder, StringRecord};
use fedcdi_core::Belief;
use ndarray::Array2;

use super::csv::describe;
use super::graph::row_place;
use crate::file_error::FileError;
use crate::formats::open;

pub(crate) const BELIEF_HEADER: [&str; 5] =
    ["cause", "effect", "probability", "existence", "orientation"];

/// Reads a belief and the names of its variables, in the order in which they occur as causes.
///
/// # Errors
/// [`FileError`] naming the row of a number that is wrong, or a pair that is missing.
pub fn read_belief(path: &Path) -> Result<(Vec<String>, Belief), FileError> {
    let file = open(path)?;
    let mut reader = ReaderBuilder::new().from_reader(file);
    let header = reader.headers().map_err(|e| describe(path, e))?;
    if header.iter().ne(BELIEF_HEADER) {
        let remedy = format!("write {}", BELIEF_HEADER.join(","));
        let problem = "these are not the columns of a belief";
        return Err(FileError::whole(path, problem, remedy));
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        rows.push(record.map_err(|e| describe(path, e))?);
    }
    let mut names: Vec<String> = Vec::new();
    let mut ids: HashMap<&str, usize> = HashMap::new();
    for record in &rows {
        ids.entry(&record[0]).or_insert_with(|| {
            names.push(record[0].to_owned());
            names.len() - 1
        });
    }
    if names.is_empty() {
        let remedy = "write one row per ordered pair of variables";
        return Err(FileError::whole(path, "the belief has no rows", remedy));
    }
    let belief = fill(path, &rows, &names, &ids)?;
    Ok((names, belief))
}

fn fill(
    path: &Path,
    rows: &[StringRecord],
    names: &[String],
    ids: &HashMap<&str, usize>,
) -> Result<Belief, FileError> {
    let n = names.len();
    let (mut existence, mut orientation) = (Array2::zeros((n, n)), Array2::zeros((n, n)));
    let mut row_of: HashMap<(usize, usize), usize> = HashMap::new();
    for (row, record) in rows.iter().enumerate() {
        let error = |column: Option<&str>, problem: String, remedy: &str| {
            let place = row_place(record, row as u64 + 1, column);
            FileError::content(path, place, problem, remedy)
        };
        let (cause, effect) = (ids[&record[0]], ids.get(&record[1]).copied());
        let Some(effect) = effect.filter(|effect| *effect != cause) else {
            let problem = format!("{:?} is not the effect of any pair with it", &record[1]);
            let remedy = "list every ordered pair of two different variables";
            return Err(error(Some("effect"), problem, remedy));
        };
        if row_of.insert((cause, effect), row).is_some() {
            let problem = "the pair is listed twice".to_owned();
            return Err(error(None, problem, "remove one of the rows"));
        }
        for (at, matrix) in [(3, &mut existence), (4, &mut orientation)] {
            let value = record[at].trim().parse::<f64>().ok();
            let value = value.filter(|v| v.is_finite()).ok_or_else(|| {
                let problem = format!("{:?} is not a number", &record[at]);
                error(Some(BELIEF_HEADER[at]), problem, "write a finite number")
            })?;
            matrix[(cause, effect)] = value;
        }
    }
    let belief = Belief::new(existence, orientation)
        .map_err(|e| FileError::whole(path, e.to_string(), "correct the orientations"))?;
    check_rows(path, &belief, names, |pair| {
        row_of.get(&pair).map(|row| (*row, &rows[*row]))
    })?;
    Ok(belief)
}

/// Whether every pair has a row, with the probability that follows from the rest of it.
fn check_rows<'r>(
    path: &Path,
    belief: &Belief,
    names: &[String],
    row_of: impl Fn((usize, usize)) -> Option<(usize, &'r StringRecord)>,
) -> Result<(), FileError> {
    for (cause, effect) in belief.pairs() {
        let expected = belief.probability(cause, effect);
        let Some((row, record)) = row_of((cause.index(), effect.index())) else {
            let (cause, effect) = (&names[cause.index()], &names[effect.index()]);
            let problem = format!("the pair {cause:?}, {effect:?} is not listed");
            return Err(FileError::whole(path, problem, "add its row"));
        };
        let found = record[2].trim().parse::<f64>().unwrap_or(f64::NAN);
        let wrong = (found - expected).abs();
        if wrong.is_nan() || wrong > 1e-9 {
            let place = row_place(record, row as u64 + 1, Some("probability"));
            let rule = "does not follow from existence and orientation, which give";
            let problem = format!("{:?} {rule} {expected}", &record[2]);
            return Err(FileError::content(path, place, problem, "correct the row"));
        }
    }
    Ok(())
}
