//! Everything that is wrong with a table, collected while it is read to its end.
//!
//! A value that is wrong in many rows is one finding: its first row, and in how many rows it is.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use fedcdi_core::{Remedy, first_few};

use super::column_reader::{ColumnReader, Refused};
use crate::file_error::{FileError, Place};

/// Different values of one column that are remembered; others are counted.
const MOST_VALUES: usize = 1000;
/// Those that are shown.
const SHOWN: usize = 5;
/// More different numbers than this are a measurement.
const MOST_LEVELS: usize = 20;

#[derive(Default)]
pub(super) struct Findings {
    header: Vec<FileError>,
    values: BTreeMap<(usize, Refused), Values>,
    targets: BTreeMap<String, Target>,
}

/// Values of one column that are wrong in one way.
struct Values {
    row: u64,
    line: Option<u64>,
    n_rows: u64,
    /// In order of appearance, with their rows.
    different: Vec<(Box<[u8]>, u64)>,
    places: HashMap<Box<[u8]>, usize>,
    is_cut: bool,
}

struct Target {
    error: FileError,
    n_rows: u64,
}

impl Findings {
    pub(super) fn of_header(header: Vec<FileError>) -> Self {
        Self {
            header,
            ..Self::default()
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.header.is_empty() && self.values.is_empty() && self.targets.is_empty()
    }

    /// A value that was refused, in a row that starts on this line of a text file.
    pub(super) fn value(
        &mut self,
        (column, refused): (usize, Refused),
        field: Option<&[u8]>,
        (row, line): (u64, Option<u64>),
    ) {
        let values = self.values.entry((column, refused));
        let values = values.or_insert_with(|| Values::new(row, line));
        values.add(field.unwrap_or_default());
    }

    /// A content of the intervention column that names no variable.
    pub(super) fn target(&mut self, field: &[u8], error: FileError) {
        let field = String::from_utf8_lossy(field).into_owned();
        if self.targets.len() < MOST_VALUES || self.targets.contains_key(&field) {
            let target = self.targets.entry(field);
            target.or_insert(Target { error, n_rows: 0 }).n_rows += 1;
        }
    }

    /// In the order of the columns, the intervention column last; `n_rows` were read.
    pub(super) fn into_errors(
        self,
        path: &Path,
        columns: &[ColumnReader],
        n_rows: u64,
    ) -> Vec<FileError> {
        let values = self.values.into_iter();
        let values = values.map(|((column, refused), values)| {
            values.into_error(path, (&columns[column], refused), n_rows)
        });
        let mut found = self.header;
        found.extend(values);
        found.extend(self.targets.into_values().map(Target::into_error));
        found
    }
}

impl Target {
    fn into_error(self) -> FileError {
        match self.error {
            FileError::Content {
                path,
                place,
                problem,
                remedy,
            } if self.n_rows > 1 => {
                let problem = format!("{problem} ({} rows)", self.n_rows);
                FileError::content(&path, place, problem, remedy)
            }
            error => error,
        }
    }
}

impl Values {
    fn new(row: u64, line: Option<u64>) -> Self {
        Self {
            row,
            line,
            n_rows: 0,
            different: Vec::new(),
            places: HashMap::new(),
            is_cut: false,
        }
    }

    fn add(&mut self, field: &[u8]) {
        self.n_rows += 1;
        if let Some(&at) = self.places.get(field) {
            self.different[at].1 += 1;
        } else if self.different.len() < MOST_VALUES {
            self.places.insert(field.into(), self.different.len());
            self.different.push((field.into(), 1));
        } else {
            self.is_cut = true;
        }
    }

    fn into_error(
        self,
        path: &Path,
        (column, refused): (&ColumnReader, Refused),
        n_read: u64,
    ) -> FileError {
        let (problem, remedy) = match refused {
            Refused::NotInSchema => self.not_in_schema(column),
            Refused::NotANumber if self.n_rows == n_read => (
                format!(
                    "the schema says real numbers, and no row has one: {}",
                    self.shown()
                ),
                "remove the column's text, or agree on a schema that lists categories".into(),
            ),
            Refused::NotANumber | Refused::NotFinite => (
                format!(
                    "the schema says real numbers, and these are none: {}",
                    self.shown()
                ),
                refused.remedy(&column.name),
            ),
            _ => {
                let first = self.different.first().map(|(field, _)| &**field);
                let problem = refused.problem(first);
                let rows = rows(self.n_rows);
                (format!("{problem} ({rows})"), refused.remedy(&column.name))
            }
        };
        let place = Place::Row {
            row: self.row,
            line: self.line,
            column: Some(column.name.clone()),
        };
        FileError::content(path, place, problem, remedy)
    }

    fn not_in_schema(&self, column: &ColumnReader) -> (String, Remedy) {
        if self.looks_real() {
            let problem = format!(
                "it holds many different numbers, and the schema lists categories: {}",
                self.shown()
            );
            let remedy = "bin the numbers as the schema does, or agree on a schema that says real";
            return (problem, remedy.into());
        }
        let alike: Vec<String> = self.alike(column);
        let all_alike = alike.len() == self.different.len();
        let categories = match self.different.len() {
            1 => "category",
            _ => "categories",
        };
        let problem = format!("the schema has no {categories} {}", self.shown());
        let mut remedy = Remedy::default();
        if !alike.is_empty() {
            remedy = remedy.text(format!("write {}", first_few(alike, SHOWN)));
        }
        if !all_alike {
            let others = if remedy == Remedy::default() {
                "correct the values, agree on a schema that has them, or on one with a category for \
                 all others, by merging dictionaries with "
            } else {
                "; correct the other values, agree on a schema that has them, or on one with a \
                 category for all others, by merging dictionaries with "
            };
            remedy = remedy.text(others).set("other", "other");
        }
        (problem, remedy)
    }

    fn alike(&self, column: &ColumnReader) -> Vec<String> {
        let known = self.different.iter().filter_map(|(field, _)| {
            let label = column.alike(field)?;
            let field = String::from_utf8_lossy(field);
            Some(format!("{label:?} in place of {field:?}"))
        });
        known.collect()
    }

    fn looks_real(&self) -> bool {
        let number = |(field, _): &(Box<[u8]>, u64)| {
            let text = std::str::from_utf8(field).ok();
            text.is_some_and(|text| text.trim().parse::<f64>().is_ok())
        };
        self.different.len() > MOST_LEVELS && self.different.iter().all(number)
    }

    fn shown(&self) -> String {
        let each = self.different.iter().map(|(field, n)| {
            let field = String::from_utf8_lossy(field);
            format!("{field:?} ({})", rows(*n))
        });
        let more = if self.is_cut { " and others" } else { "" };
        first_few(each, SHOWN) + more
    }
}

fn rows(n: u64) -> String {
    match n {
        1 => "1 row".to_owned(),
        n => format!("{n} rows"),
    }
}
