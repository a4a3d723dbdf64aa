//! A site's part: variables and labels, without those of few rows.

use std::path::Path;

use fedcdi_core::{Dataset, VarId};
use fedcdi_data::FileError;
use fedcdi_data::file_error::Place;
use fedcdi_data::write::{Overwrite, write_text};
use serde::{Deserialize, Serialize};

use crate::settings::read;

const SEE: &str = "see docs/kits.md";

/// A site's part of the dictionary: all of it may be shared. A schema without anything hidden is one, too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Labels of fewer rows are hidden.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rare: Option<usize>,
    /// In the order of the table's columns.
    pub variables: Vec<PartVariable>,
}

/// A variable as a site describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartVariable {
    /// Its name.
    pub name: String,
    /// Labels that may be shown; none of a real variable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub categories: Option<Vec<String>>,
    /// Written for real variables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kind: Option<KindName>,
    /// How many labels are hidden.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub hidden: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum KindName {
    Categorical,
    Real,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// Labels that a part hides; they stay at the site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// The variable.
    pub variable: String,
    /// The labels, with their rows.
    pub labels: Vec<(String, usize)>,
}

impl Part {
    /// Labels of fewer rows are hidden, unless the site says otherwise.
    pub const RARE: usize = 10;

    /// The part of the table at `path`, and what it hides.
    ///
    /// # Errors
    /// [`FileError`] naming every column of which nothing could be shown.
    pub fn of(
        data: &Dataset,
        rare: usize,
        path: &Path,
    ) -> Result<(Self, Vec<Hidden>), Vec<FileError>> {
        let (mut variables, mut hidden, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
        for id in data.schema().ids() {
            let (variable, own) = PartVariable::of(data, id, rare);
            if variable.categories.as_ref().is_some_and(Vec::is_empty) {
                wrong.push(nothing_to_show(path, &variable, rare));
            }
            if !own.labels.is_empty() {
                hidden.push(own);
            }
            variables.push(variable);
        }
        let rare = Some(rare);
        if wrong.is_empty() {
            Ok((Self { rare, variables }, hidden))
        } else {
            Err(wrong)
        }
    }

    /// Reads a part.
    ///
    /// # Errors
    /// [`FileError`] naming the line that is not understood, or the variable that is none.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let part: Self = read(path, SEE)?;
        let wrong = part.variables.iter().find(|variable| {
            let is_real = variable.kind == Some(KindName::Real);
            is_real == variable.categories.is_some()
        });
        let problem = match wrong {
            Some(variable) => format!(
                "variable {:?} must have either categories or \"kind\": \"real\"",
                variable.name
            ),
            None if part.variables.is_empty() => "it has no variables".to_owned(),
            None => return Ok(part),
        };
        let remedy = "make the file again with the program, from the site's table";
        Err(FileError::content(path, Place::Whole, problem, remedy))
    }

    /// Writes it.
    ///
    /// # Errors
    /// [`FileError`] if something else is there and may not be replaced, or the system fails.
    pub fn write(&self, path: &Path, overwrite: Overwrite) -> Result<(), FileError> {
        let text = serde_json::to_string_pretty(self);
        let text = text.expect("a dictionary has nothing that JSON lacks") + "\n";
        write_text(path, overwrite, &text)
    }
}

impl PartVariable {
    fn of(data: &Dataset, id: VarId, rare: usize) -> (Self, Hidden) {
        let variable = data.schema().variable(id);
        let counts = if variable.is_real() {
            Vec::new()
        } else {
            data.column(id).counts(variable.n_categories())
        };
        let labels = variable.categories().iter().cloned().zip(counts);
        let (shown, hidden): (Vec<_>, Vec<_>) = labels.partition(|(_, n)| *n >= rare);
        let hidden: Vec<(String, usize)> = hidden.into_iter().filter(|(_, n)| *n > 0).collect();
        let categories = shown.into_iter().map(|(label, _)| label).collect();
        let part = Self {
            name: variable.name.clone(),
            categories: (!variable.is_real()).then_some(categories),
            kind: variable.is_real().then_some(KindName::Real),
            hidden: hidden.len(),
        };
        let variable = variable.name.clone();
        let labels = hidden;
        (part, Hidden { variable, labels })
    }

    /// Whether its values are real numbers.
    pub fn is_real(&self) -> bool {
        self.categories.is_none()
    }

    /// Labels that are shown; none of a real variable.
    pub fn labels(&self) -> &[String] {
        self.categories.as_deref().unwrap_or_default()
    }
}

fn nothing_to_show(path: &Path, variable: &PartVariable, rare: usize) -> FileError {
    let problem = format!("none of its {} labels is in {rare} rows", variable.hidden);
    let remedy = "remove the column if it is an identifier; bin it if it is a measurement; a site with few \
                  rows needs no part, the dictionary of the other sites is enough";
    FileError::column(path, &variable.name, problem, remedy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedcdi_data::read::{RealColumns, TableOptions, read_table};

    fn part(text: &str, rare: usize) -> Result<(Part, Vec<Hidden>), Vec<FileError>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        std::fs::write(&path, text).unwrap();
        let options = TableOptions {
            real: RealColumns::Named(vec!["age".to_owned()]),
            ..TableOptions::default()
        };
        let table = read_table(&path, &options).unwrap();
        Part::of(&table.dataset, rare, Path::new("t.csv"))
    }

    const TABLE: &str = "smoke,age\nyes,1\nyes,2\nno,3\nno,4\nmoon dust,5\n";

    #[test]
    fn rare_labels_are_hidden_and_counted() {
        let (part, hidden) = part(TABLE, 2).unwrap();
        let text = serde_json::to_string(&part).unwrap();
        let expected = r#"{"rare":2,"variables":[{"name":"smoke","categories":["no","yes"],"hidden":1},{"name":"age","kind":"real"}]}"#;
        assert_eq!(text, expected);
        let labels = vec![("moon dust".to_owned(), 1)];
        let variable = "smoke".to_owned();
        assert_eq!(hidden, [Hidden { variable, labels }]);
    }

    #[test]
    fn a_column_of_which_nothing_can_be_shown_is_refused() {
        let wrong = part(TABLE, 3).unwrap_err();
        let text = wrong[0].to_string();
        let told =
            "t.csv, column \"smoke\": none of its 3 labels is in 3 rows; remove the column if";
        assert!(text.starts_with(told), "{text}");
        assert!(!text.contains("moon"), "{text}");
    }

    #[test]
    fn what_is_written_is_read_again_and_a_schema_is_a_part() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("basel.json");
        let (part, _) = part(TABLE, 2).unwrap();
        part.write(&path, Overwrite::No).unwrap();
        assert_eq!(Part::read(&path).unwrap(), part);
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            Part::read(&path).map_err(|error| error.to_string())
        };
        let schema = r#"{"variables":[{"name":"a","categories":["x"]}]}"#;
        assert_eq!(read(schema).unwrap().rare, None);
        let text = read(r#"{"variables":[{"name":"a"}]}"#).unwrap_err();
        assert!(text.contains("variable \"a\" must have either"), "{text}");
        let text = read(r#"{"variable":[]}"#).unwrap_err();
        assert!(text.contains("did you mean `variables`?"), "{text}");
    }
}
