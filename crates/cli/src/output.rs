//! Results on standard output: aligned tables for people, JSON for programs.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use fedcdi_core::Dataset;
use serde::Serialize;

use crate::failure::Failure;

/// Prints text. A reader that stopped listening, as `head` does, is no failure.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::Failed(format!("cannot write the result: {error}")))
        }
        _ => Ok(()),
    }
}

pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let mut text = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::Failed(format!("cannot write the result as JSON: {error}")))?;
    text.push('\n');
    print(&text)
}

/// Says something on standard error that does not stop the command.
#[expect(clippy::print_stderr, reason = "this is where warnings are shown")]
pub(crate) fn warn(text: &str) {
    eprintln!("warning: {text}");
}

/// Columns of text, aligned; numbers to the right.
pub(crate) struct Grid {
    rows: Vec<Vec<String>>,
}

impl Grid {
    pub(crate) fn new<const N: usize>(headings: [&str; N]) -> Self {
        Self {
            rows: vec![headings.map(str::to_owned).to_vec()],
        }
    }

    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.to_vec());
    }

    pub(crate) fn remove_column(&mut self, column: usize) {
        for row in &mut self.rows {
            row.remove(column);
        }
    }

    /// The grid as text, indented by two.
    pub(crate) fn render(&self) -> String {
        let n_columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..n_columns).map(width).collect();
        let is_numeric = |column: usize| {
            let mut cells = self.rows.iter().skip(1).filter_map(|row| row.get(column));
            cells.all(|cell| cell.parse::<f64>().is_ok() || cell == "-")
        };
        let numeric: Vec<bool> = (0..n_columns).map(is_numeric).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::from(" ");
            for (column, cell) in row.iter().enumerate() {
                let width = widths[column];
                let _ = if numeric[column] {
                    write!(line, " {cell:>width$} ")
                } else {
                    write!(line, " {cell:<width$} ")
                };
            }
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }
}

/// Names of the variables that were intervened on.
pub(crate) fn targets(data: &Dataset) -> Vec<String> {
    let (schema, counts) = (data.schema(), data.interventional_counts());
    let targets = schema.ids().filter(|v| counts[v.index()] > 0);
    targets.map(|v| schema.name(v).to_owned()).collect()
}

/// A line per site: name, observational rows, all rows, targets.
pub(crate) fn sites_grid<'a>(
    sites: impl Iterator<Item = (&'a str, usize, usize, Vec<String>)>,
) -> String {
    let mut grid = Grid::new(["site", "observational", "interventional", "targets"]);
    for (name, n_observational, n_samples, targets) in sites {
        grid.row([
            name.to_owned(),
            n_observational.to_string(),
            (n_samples - n_observational).to_string(),
            match targets.len() {
                0 => "no targets".to_owned(),
                n => format!("{n}: {}", list(&targets, 8)),
            },
        ]);
    }
    grid.render()
}

/// Items joined by commas, cut after `limit` with the number of the rest.
pub(crate) fn list(items: &[String], limit: usize) -> String {
    let shown = items[..items.len().min(limit)].join(", ");
    match items.len().saturating_sub(limit) {
        0 => shown,
        rest => format!("{shown}, .. {rest} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_goes_left_and_numbers_right() {
        let mut grid = Grid::new(["name", "rows"]);
        grid.row(["a".into(), "5".into()]);
        grid.row(["longer".into(), "100".into()]);
        assert_eq!(
            grid.render(),
            "  name    rows\n  a          5\n  longer   100\n"
        );
    }

    #[test]
    fn long_lists_are_cut_with_their_rest() {
        let items: Vec<String> = (0..5).map(|i| i.to_string()).collect();
        assert_eq!(list(&items, 5), "0, 1, 2, 3, 4");
        assert_eq!(list(&items, 2), "0, 1, .. 3 more");
    }
}
