//! Results on standard output: aligned tables for people, JSON for programs.

use std::fmt::{Display, Write as _};
use std::io::{self, Write as _};

use fedcdi_core::Dataset;
use serde::Serialize;
use serde_json::json;
use time::OffsetDateTime;

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

/// A sentence on a line of its own, if there is one.
pub(crate) fn line(sentence: Option<String>) -> String {
    sentence.map_or_else(String::new, |sentence| sentence + "\n")
}

/// Prints a result: one JSON object for programs, or text for people.
pub(crate) fn show(
    json: bool,
    result: &impl Serialize,
    text: impl FnOnce() -> String,
) -> Result<(), Failure> {
    if !json {
        return print(&text());
    }
    let json = serde_json::to_string_pretty(result);
    print(&(json.expect("a result has nothing that JSON lacks") + "\n"))
}

/// Says something on standard error that does not stop the command.
#[expect(clippy::print_stderr, reason = "this is where warnings are shown")]
pub(crate) fn warn(text: &str) {
    eprintln!("warning: {text}");
}

/// Says how something goes on that takes long.
#[expect(clippy::print_stderr, reason = "standard output is for results")]
pub(crate) fn note(text: &str) {
    eprintln!("{text}");
}

/// How a program that runs for days says what happens, on standard error.
#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
pub(crate) enum Log {
    /// Lines for people
    #[default]
    Text,
    /// A JSON object per line: time (UTC), event, message
    Json,
}

impl Log {
    /// Says what happened; `event` is its kind, for programs that read the log.
    pub(crate) fn say(self, event: &'static str, message: &str) {
        match self {
            Self::Text => note(message),
            Self::Json => {
                let now = clock(OffsetDateTime::now_utc());
                let line = json!({"time": now, "event": event, "message": message});
                note(&line.to_string());
            }
        }
    }
}

/// A time as people and programs read it: `2026-11-18 20:13:26`.
pub(crate) fn clock(at: OffsetDateTime) -> String {
    let (year, month, day) = (at.year(), u8::from(at.month()), at.day());
    let (hour, minute, second) = at.to_hms();
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

/// Columns of text, aligned; numbers to the right.
pub(crate) struct Grid {
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// A grid with these headings, separated by `|`.
    pub(crate) fn new(headings: &str) -> Self {
        let headings = headings.split('|').map(str::to_owned);
        Self {
            rows: vec![headings.collect()],
        }
    }

    pub(crate) fn row(&mut self, cells: &[&dyn Display]) {
        self.rows
            .push(cells.iter().map(ToString::to_string).collect());
    }

    /// The grid as text, indented by two. Columns with nothing below their heading are left out.
    pub(crate) fn render(&self) -> String {
        let column = |at: usize| {
            let cells = || self.rows.iter().map(move |row| row[at].as_str());
            let mut body = cells().skip(1);
            let is_number = |cell: &str| cell.parse::<f64>().is_ok() || cell == "-";
            let width = cells().map(|cell| cell.chars().count()).max().unwrap_or(0);
            let used = body.clone().any(|cell| !cell.is_empty());
            used.then(|| (at, width, body.all(is_number)))
        };
        let columns: Vec<_> = (0..self.rows[0].len()).filter_map(column).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::from(" ");
            for &(at, width, is_numeric) in &columns {
                let cell = &row[at];
                let _ = if is_numeric {
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

pub(crate) fn or_dash(value: Option<impl ToString>) -> String {
    value.map_or("-".to_owned(), |value| value.to_string())
}

pub(crate) fn decimal(value: f64) -> String {
    format!("{value:.3}")
}

pub(crate) fn targets(data: &Dataset) -> Vec<String> {
    let (schema, counts) = (data.schema(), data.interventional_counts());
    let targets = schema.ids().filter(|v| counts[v.index()] > 0);
    targets.map(|v| schema.name(v).to_owned()).collect()
}

/// A line per site: name, observational rows, all rows, targets.
pub(crate) fn sites_grid<'a>(
    sites: impl Iterator<Item = (&'a str, usize, usize, Vec<String>)>,
) -> String {
    let mut grid = Grid::new("site|observational|interventional|targets");
    for (name, n_observational, n_samples, targets) in sites {
        let n_interventional = n_samples - n_observational;
        let targets = match targets.len() {
            0 => "no targets".to_owned(),
            n => format!("{n}: {}", list(&targets, 8)),
        };
        grid.row(&[&name, &n_observational, &n_interventional, &targets]);
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
        let mut grid = Grid::new("name|rows|empty");
        grid.row(&[&"a", &5, &""]);
        grid.row(&[&"longer", &100, &""]);
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
