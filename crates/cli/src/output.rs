//! Results on standard output: aligned tables for people, JSON for programs.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;

use fedcdi_study::run_folder::REPORT;
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

/// Prints one JSON object.
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
    /// A grid with these headings.
    pub(crate) fn new<const N: usize>(headings: [&str; N]) -> Self {
        Self {
            rows: vec![headings.map(str::to_owned).to_vec()],
        }
    }

    /// Appends a row.
    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.to_vec());
    }

    /// Leaves out a column.
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

/// Where the folder of a run is, and its page to read.
pub(crate) fn written(folder: &Path) -> String {
    let report = folder.join(REPORT);
    format!(
        "written  {}\nopen     {}\n",
        folder.display(),
        report.display()
    )
}

/// `1 client`, `2 clients`.
pub(crate) fn count(n: usize, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        _ => format!("{n} {noun}s"),
    }
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
        assert_eq!(
            (count(1, "row"), count(0, "row")),
            ("1 row".into(), "0 rows".into())
        );
    }
}
