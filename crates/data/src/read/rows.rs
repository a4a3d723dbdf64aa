//! From rows of fields to a [`Dataset`]: the part that all table formats share.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use fedcdi_core::nearest::nearest;
use fedcdi_core::{Dag, Dataset, Regime, Remedy, Schema, VarId, Variable};

use super::column_reader::{ColumnReader, Refused};
use super::findings::Findings;
use super::header::problems;
use super::label_column::Labels;
use super::options::{Missing, Naming, TableOptions};
use crate::file_error::{FileError, Place};

/// Samples and, if the file has it, the graph they come from.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The samples.
    pub dataset: Dataset,
    /// The true graph over the variables of the samples.
    pub truth: Option<Dag>,
    /// Rows that were left out because a value was missing.
    pub n_dropped: usize,
    /// Variables in which labels were read as the category for all others.
    pub others: Vec<Others>,
}

/// Labels of one variable that were read as its category for all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Others {
    /// The variable.
    pub variable: String,
    /// How many different labels.
    pub n_labels: usize,
}

#[derive(Clone, Copy)]
enum Role {
    /// A column that was refused.
    Ignored,
    Variable(usize),
    Intervention,
}

/// Collects the rows of one file: names, labels, numbers, missing values and interventions are
/// understood alike in every format of rows.
pub struct Rows<'a> {
    path: &'a Path,
    options: &'a TableOptions,
    roles: Vec<Role>,
    columns: Vec<ColumnReader>,
    ids: HashMap<String, VarId>,
    regime_fields: Labels,
    regimes: Vec<Regime>,
    regime_of: Vec<u32>,
    n_seen: u64,
    /// What is wrong, where all of it is to be named.
    findings: Option<Findings>,
}

impl<'a> Rows<'a> {
    /// A table with these column names.
    ///
    /// # Errors
    /// [`FileError`] if names are empty or repeated, or do not fit the schema that was given.
    pub fn new(
        path: &'a Path,
        header: &[String],
        options: &'a TableOptions,
    ) -> Result<Self, FileError> {
        let wrong = problems(path, header, options);
        let findings = match (options.naming, wrong.into_iter()) {
            (Naming::All, wrong) if options.schema.is_some() => {
                Some(Findings::of_header(wrong.collect()))
            }
            (_, mut wrong) => match wrong.next() {
                Some(first) => return Err(first),
                None => None,
            },
        };
        let columns: Vec<ColumnReader> = if let Some(schema) = &options.schema {
            let fixed = |variable| ColumnReader::fixed(variable, options);
            schema.variables().iter().map(fixed).collect()
        } else {
            let is_variable = |name: &&String| **name != options.intervention_column;
            let declared = |name: &String| ColumnReader::declared(name, options);
            header.iter().filter(is_variable).map(declared).collect()
        };
        let names = columns.iter().map(|column| column.name.clone());
        let ids: HashMap<String, VarId> = names.zip((0..).map(VarId)).collect();
        let mut seen = HashSet::new();
        let role = |name: &String| match ids.get(name) {
            _ if !seen.insert(name.clone()) => Role::Ignored,
            _ if *name == options.intervention_column => Role::Intervention,
            Some(id) => Role::Variable(id.index()),
            None => Role::Ignored,
        };
        Ok(Self {
            path,
            options,
            roles: header.iter().map(role).collect(),
            columns,
            ids,
            regime_fields: Labels::default(),
            regimes: vec![Regime::Observational],
            regime_of: Vec::new(),
            n_seen: 0,
            findings,
        })
    }

    /// Appends a row: one field per column of the header, `None` for a null; and the line of a text
    /// file on which it starts.
    ///
    /// # Errors
    /// [`FileError`] if a value is missing (and that is refused), unknown, or not text. Panics if
    /// there are more fields than names in the header.
    #[inline]
    pub fn push<'f>(
        &mut self,
        fields: impl IntoIterator<Item = Option<&'f [u8]>>,
        line: Option<u64>,
    ) -> Result<(), FileError> {
        self.n_seen += 1;
        let mut keep = true;
        let mut regime = 0;
        for (at, field) in fields.into_iter().enumerate() {
            match self.roles[at] {
                Role::Variable(index) => match self.columns[index].push(field) {
                    Ok(kept) => keep &= kept,
                    Err(refused) => self.refuse(index, field, refused, line)?,
                },
                Role::Ignored => {}
                Role::Intervention => {
                    let field = field.unwrap_or_default();
                    regime = match self.regime_fields.find(field) {
                        Some(number) => number + 1,
                        None => match self.add_regime(field, line) {
                            Ok(regime) => regime,
                            Err(error) => self.refuse_target(field, error)?,
                        },
                    };
                }
            }
        }
        if keep {
            self.regime_of.push(regime as u32);
        } else {
            let n_rows = self.regime_of.len();
            self.columns.iter_mut().for_each(|c| c.truncate(n_rows));
        }
        Ok(())
    }

    /// The regime that a new content of the intervention column stands for.
    fn add_regime(&mut self, field: &[u8], line: Option<u64>) -> Result<usize, FileError> {
        let column = &self.options.intervention_column;
        let error =
            |problem: String, remedy: &str| self.at(line, column.clone(), problem, remedy.into());
        let text = std::str::from_utf8(field)
            .map_err(|_| error("the text is not UTF-8".into(), "save the file as UTF-8"))?;
        let mut targets = Vec::new();
        for name in text.split(';') {
            match self.ids.get(name).or_else(|| self.ids.get(name.trim())) {
                Some(&id) => targets.push(id),
                None if name.trim().is_empty() => {}
                None => return Err(self.unknown_target(name.trim(), line)),
            }
        }
        if targets.is_empty() && !text.trim().is_empty() {
            let remedy =
                "name columns of this table, or leave the field empty for an observational row";
            return Err(error(format!("{text:?} names no variable"), remedy));
        }
        self.regimes.push(Regime::intervened(targets));
        Ok(self.regime_fields.add(field) + 1)
    }

    #[cold]
    fn unknown_target(&self, name: &str, line: Option<u64>) -> FileError {
        let empty = "leave the field empty for an observational row";
        let known = self.columns.iter().map(|column| column.name.as_str());
        let remedy = match nearest(name, known) {
            Some(near) => format!("write {near:?} if that is meant, or {empty}"),
            None => format!("name columns of this table, joined by `;`, or {empty}"),
        };
        let column = self.options.intervention_column.clone();
        let problem = format!("unknown variable {name:?}");
        self.at(line, column, problem, remedy.into())
    }

    fn at(&self, line: Option<u64>, column: String, problem: String, remedy: Remedy) -> FileError {
        let place = Place::Row {
            row: self.n_seen,
            line,
            column: Some(column),
        };
        FileError::content(self.path, place, problem, remedy)
    }

    /// The regime of a row whose own is not understood, where reading goes on.
    #[cold]
    fn refuse_target(&mut self, field: &[u8], error: FileError) -> Result<usize, FileError> {
        match &mut self.findings {
            None => Err(error),
            Some(findings) => {
                findings.target(field, error);
                Ok(0)
            }
        }
    }

    #[cold]
    fn refuse(
        &mut self,
        index: usize,
        field: Option<&[u8]>,
        refused: Refused,
        line: Option<u64>,
    ) -> Result<(), FileError> {
        match &mut self.findings {
            None => Err(self.refused(index, field, refused, line)),
            Some(findings) => {
                findings.value((index, refused), field, (self.n_seen, line));
                Ok(())
            }
        }
    }

    /// What is wrong with a table that cannot be read any further: what was found before, and `last`.
    pub(crate) fn end_with(&mut self, last: Vec<FileError>) -> FileError {
        let mut found = self.found();
        found.extend(last);
        if self.options.naming == Naming::First {
            found.truncate(1);
        }
        FileError::all(self.path, found).expect("something is wrong")
    }

    fn found(&mut self) -> Vec<FileError> {
        let findings = self.findings.take().unwrap_or_default();
        findings.into_errors(self.path, &self.columns, self.n_seen)
    }

    fn refused(
        &self,
        index: usize,
        field: Option<&[u8]>,
        refused: Refused,
        line: Option<u64>,
    ) -> FileError {
        let name = &self.columns[index].name;
        let mut remedy = refused.remedy(name);
        let empty = field.is_none_or(|field| field.trim_ascii().is_empty());
        if empty && refused == Refused::Missing && !self.names_regimes() {
            remedy = remedy
                .text("; if it names interventions, pass ")
                .set("intervention_column", name);
        }
        self.at(line, name.to_owned(), refused.problem(field), remedy)
    }

    fn names_regimes(&self) -> bool {
        let mut roles = self.roles.iter();
        roles.any(|role| matches!(role, Role::Intervention))
    }

    /// A column that names interventions, read as a variable, would make all rows observational.
    fn refuse_undeclared_regimes(&self, variables: &[Variable]) -> Result<(), FileError> {
        // Where columns are called 0, 1, .. values are numbers, not names.
        let is_name = |name: &str| name.parse::<f64>().is_err() && self.ids.contains_key(name);
        let names_others = |variable: &&Variable| {
            let labels = variable.categories().iter().map(String::as_str);
            let labels: Vec<&str> = labels.filter(|l| *l != Missing::LABEL).collect();
            let names = || labels.iter().flat_map(|l| l.split(';')).map(str::trim);
            let other = |name: &str| name != variable.name && is_name(name);
            names().any(other) && names().all(|name| other(name) || says_nothing_was_done(name))
        };
        let mut inferred = variables.iter().filter(|_| self.options.schema.is_none());
        match inferred.find(names_others) {
            Some(Variable { name, .. }) if !self.names_regimes() => {
                let problem =
                    "its values are names of columns, so it seems to say what was intervened on";
                let remedy = Remedy::from("pass ").set("intervention_column", name).text(
                    " (its cells are empty where nothing was intervened on), or list its values \
                     as categories in a schema",
                );
                Err(FileError::column(self.path, name, problem, remedy))
            }
            _ => Ok(()),
        }
    }

    /// A measurement read as labels would be learned from as a category per number.
    fn refuse_undeclared_reals(&self) -> Result<(), FileError> {
        let Some(column) = self.columns.iter().find(|column| column.looks_real()) else {
            return Ok(());
        };
        let problem =
            "it holds many different numbers that are not whole, and was not declared real";
        let remedy = Remedy::from("pass ").set("real", &column.name).text(" or ");
        let remedy = remedy.set("real", "all");
        let remedy = remedy.text(", or bin its values, or list them as categories in a schema");
        Err(FileError::column(self.path, &column.name, problem, remedy))
    }

    fn no_rows(&self) -> Option<FileError> {
        if !self.regime_of.is_empty() {
            return None;
        }
        if self.n_seen == 0 {
            let remedy = "add one row per sample";
            return Some(FileError::whole(self.path, "the table has no rows", remedy));
        }
        let problem = "every row has a missing value, so none is left";
        let remedy = Remedy::from("fill the values in, or pass ").set("missing", "category");
        Some(FileError::whole(self.path, problem, remedy))
    }

    /// The finished table.
    ///
    /// # Errors
    /// [`FileError`] if no rows are left, or a column of measurements was not declared real.
    pub fn finish(mut self) -> Result<Table, FileError> {
        if let Some(error) = self.no_rows() {
            return Err(self.end_with(vec![error]));
        }
        if self
            .findings
            .as_ref()
            .is_some_and(|found| !found.is_empty())
        {
            return Err(self.end_with(Vec::new()));
        }
        self.refuse_undeclared_reals()?;
        let path = self.path;
        let others = self.columns.iter().filter(|column| column.n_others() > 0);
        let others = others.map(|column| Others {
            variable: column.name.clone(),
            n_labels: column.n_others(),
        });
        let others = others.collect();
        let columns = std::mem::take(&mut self.columns).into_iter();
        let (variables, columns): (Vec<_>, Vec<_>) = columns.map(ColumnReader::finish).unzip();
        self.refuse_undeclared_regimes(&variables)?;
        let schema = match &self.options.schema {
            Some(schema) => Arc::clone(schema),
            None => Schema::new(variables)
                .map_err(|e| FileError::schema(path, Place::Whole, &e))?
                .into(),
        };
        let n_dropped = self.n_seen as usize - self.regime_of.len();
        let dataset = Dataset::new(schema, columns, self.regimes, self.regime_of);
        Ok(Table {
            dataset: dataset.map_err(|e| FileError::from_text(path, Place::Whole, &e))?,
            truth: None,
            n_dropped,
            others,
        })
    }
}

/// Words that people write where nothing was intervened on.
fn says_nothing_was_done(label: &str) -> bool {
    let words = ["none", "no", "obs", "observed", "observational", "control"];
    words.iter().any(|word| label.eq_ignore_ascii_case(word))
}
