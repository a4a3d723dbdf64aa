//! From the entries of a probability block to a table of laws.

use std::collections::HashMap;

use super::parser::{Entry, ProbabilityBlock, Selects};
use super::tokens::Problem;
use crate::synth::mechanism::Cpt;

/// Rows must sum to 1 within this; see the module documentation.
const ROUNDING: f64 = 1e-4;
/// Numbers in one table; a short file can ask for more with `default` and many parents.
const MAX_NUMBERS: usize = 1 << 26;

/// What is known of the variable of a block and of its parents.
pub(super) struct Shape<'a> {
    pub(super) labels: &'a [String],
    pub(super) parents: Vec<(&'a str, &'a [String])>,
}

/// All numbers of the table, row by row, the first parent varying slowest.
pub(super) fn laws(block: &ProbabilityBlock, shape: &Shape<'_>) -> Result<Vec<f64>, Problem> {
    let (n_rows, rows) = (n_rows(block, shape)?, rows(block, shape)?);
    let find = |wanted: fn(&Selects) -> bool| block.entries.iter().find(|e| wanted(&e.selects));
    if let Some(entry) = find(|selects| matches!(selects, Selects::Table)) {
        if block.entries.len() > 1 {
            let problem = format!("{:?} has a table and other entries", block.name);
            return Err(Problem::new(entry.line, problem, "keep one of them"));
        }
        return whole_table(block, entry, shape.labels.len(), n_rows);
    }
    let default = find(|selects| matches!(selects, Selects::Default));
    let default = default.map(|entry| law(block, entry, shape)).transpose()?;
    let mut numbers = Vec::new();
    for row in 0..n_rows {
        match (rows.get(&row), &default) {
            (Some(entry), _) => numbers.extend(law(block, entry, shape)?),
            (None, Some(default)) => numbers.extend(default),
            (None, None) => {
                let row = describe_row(row, shape);
                let problem = format!("{:?} has no row for {row}", block.name);
                let remedy = "add the row, or a default";
                return Err(Problem::new(block.line, problem, remedy));
            }
        }
    }
    Ok(numbers)
}

fn n_rows(block: &ProbabilityBlock, shape: &Shape<'_>) -> Result<usize, Problem> {
    let mut parents = shape.parents.iter();
    let rows = parents.try_fold(1usize, |n, (_, labels)| n.checked_mul(labels.len()));
    let fits = |rows: &usize| {
        let numbers = rows.checked_mul(shape.labels.len());
        numbers.is_some_and(|numbers| numbers <= MAX_NUMBERS)
    };
    rows.filter(fits).ok_or_else(|| {
        let problem = format!("the table of {:?} is too large to hold", block.name);
        Problem::new(block.line, problem, "remove parents")
    })
}

/// The entries that are about one row, by the number of the row.
fn rows<'b>(
    block: &'b ProbabilityBlock,
    shape: &Shape<'_>,
) -> Result<HashMap<usize, &'b Entry>, Problem> {
    let mut rows = HashMap::new();
    for entry in &block.entries {
        let Selects::Row(values) = &entry.selects else {
            continue;
        };
        let row = row_number(block, entry, values, shape)?;
        if rows.insert(row, entry).is_some() {
            let row = describe_row(row, shape);
            let problem = format!("{:?} has two rows for {row}", block.name);
            return Err(Problem::new(entry.line, problem, "keep one of them"));
        }
    }
    Ok(rows)
}

fn row_number(
    block: &ProbabilityBlock,
    entry: &Entry,
    values: &[String],
    shape: &Shape<'_>,
) -> Result<usize, Problem> {
    if values.len() != shape.parents.len() {
        let (name, found, expected) = (&block.name, values.len(), shape.parents.len());
        let problem =
            format!("the row names {found} parent values, but {name:?} has {expected} parents");
        let remedy = "name one value per parent, in order";
        return Err(Problem::new(entry.line, problem, remedy));
    }
    let mut row = 0;
    for (value, (parent, labels)) in values.iter().zip(&shape.parents) {
        let code = labels.iter().position(|label| label == value);
        let code = code.ok_or_else(|| {
            let problem = format!("{parent:?} has no category {value:?}");
            let remedy = "use a category that the variable lists";
            Problem::new(entry.line, problem, remedy)
        })?;
        row = row * labels.len() + code;
    }
    Ok(row)
}

fn describe_row(row: usize, shape: &Shape<'_>) -> String {
    let mut rest = row;
    let mut values: Vec<String> = Vec::new();
    for (parent, labels) in shape.parents.iter().rev() {
        let label = labels.get(rest % labels.len().max(1));
        values.push(format!("{parent} = {}", label.map_or("?", String::as_str)));
        rest /= labels.len().max(1);
    }
    values.reverse();
    if values.is_empty() {
        return "the variable".to_owned();
    }
    values.join(", ")
}

fn law(block: &ProbabilityBlock, entry: &Entry, shape: &Shape<'_>) -> Result<Vec<f64>, Problem> {
    let (found, expected) = (entry.values.len(), shape.labels.len());
    if found != expected {
        let name = &block.name;
        let problem = format!("{found} probabilities for the {expected} categories of {name:?}");
        let remedy = "write one probability per category";
        return Err(Problem::new(entry.line, problem, remedy));
    }
    checked(block, entry.line, entry.values.clone())
}

/// Transposes a table in which the variable itself varies slowest.
fn whole_table(
    block: &ProbabilityBlock,
    entry: &Entry,
    n_categories: usize,
    n_rows: usize,
) -> Result<Vec<f64>, Problem> {
    let (found, expected) = (entry.values.len(), n_rows * n_categories);
    if found != expected {
        let name = &block.name;
        let problem =
            format!("the table of {name:?} has {found} probabilities, expected {expected}");
        let remedy = "write one probability per category and combination of parent values";
        return Err(Problem::new(entry.line, problem, remedy));
    }
    let mut numbers = Vec::with_capacity(expected);
    for row in 0..n_rows {
        let law = (0..n_categories).map(|category| entry.values[category * n_rows + row]);
        numbers.extend(checked(block, entry.line, law.collect())?);
    }
    Ok(numbers)
}

/// The law itself if it is one, divided by its sum if it was rounded coarsely.
fn checked(block: &ProbabilityBlock, line: u64, mut law: Vec<f64>) -> Result<Vec<f64>, Problem> {
    let name = &block.name;
    if let Some(value) = law.iter().find(|p| !(0.0..=1.0 + ROUNDING).contains(*p)) {
        let problem = format!("{value} in the law of {name:?} is not a probability");
        return Err(Problem::new(line, problem, "write numbers between 0 and 1"));
    }
    let sum: f64 = law.iter().sum();
    let error = (sum - 1.0).abs();
    if error > ROUNDING {
        let problem = format!("the probabilities of {name:?} sum to {sum}, not to 1");
        return Err(Problem::new(line, problem, "correct the row"));
    }
    if error > Cpt::TOLERANCE || law.iter().any(|p| *p > 1.0) {
        law.iter_mut().for_each(|p| *p /= sum);
    }
    Ok(law)
}
