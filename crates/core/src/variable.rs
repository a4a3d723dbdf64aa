//! One variable: what is measured, and what its values are.

use serde::{Deserialize, Serialize};

use crate::schema::SchemaError;

/// Position of a variable in its [`Schema`](crate::Schema).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default,
)]
#[serde(transparent)]
pub struct VarId(pub usize);

impl VarId {
    /// The position as an array index.
    pub fn index(self) -> usize {
        self.0
    }
}

/// One variable: its name and what its values are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "VariableFile", into = "VariableFile")]
pub struct Variable {
    /// Column name.
    pub name: String,
    /// Labels, or real numbers.
    pub kind: Kind,
}

impl Variable {
    /// A categorical variable with these labels.
    pub fn new<L: Into<String>>(
        name: impl Into<String>,
        categories: impl IntoIterator<Item = L>,
    ) -> Self {
        let labels = categories.into_iter().map(Into::into).collect();
        Self {
            name: name.into(),
            kind: Kind::Categorical(labels),
        }
    }

    /// A variable of real numbers.
    pub fn real(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            kind: Kind::Real,
        }
    }

    /// A variable whose categories are called `0`, `1`, .. `n - 1`.
    pub fn with_codes(name: impl Into<String>, n_categories: usize) -> Self {
        Self::new(name, (0..n_categories).map(|code| code.to_string()))
    }

    /// Whether its values are real numbers.
    pub fn is_real(&self) -> bool {
        self.kind == Kind::Real
    }

    /// Label of each category, in code order; none of a real variable.
    pub fn categories(&self) -> &[String] {
        match &self.kind {
            Kind::Categorical(labels) => labels,
            Kind::Real => &[],
        }
    }

    /// Number of categories; 0 of a real variable.
    pub fn n_categories(&self) -> usize {
        self.categories().len()
    }

    /// Adds the labels of `other` that are new here.
    pub(crate) fn unite(&mut self, other: &Self) -> Result<(), SchemaError> {
        match (&mut self.kind, &other.kind) {
            (Kind::Real, Kind::Real) => Ok(()),
            (Kind::Categorical(labels), Kind::Categorical(others)) => {
                if labels != others {
                    let new = others.iter().filter(|label| !labels.contains(label));
                    let new: Vec<String> = new.cloned().collect();
                    labels.extend(new);
                    Self::sort_labels(labels);
                }
                Ok(())
            }
            _ => Err(SchemaError::KindDiffers(self.name.clone())),
        }
    }

    /// The order in which inferred labels become codes: numerically if all are integers, else by
    /// text. It depends on the labels alone, so every site arrives at the same one.
    pub fn sort_labels(labels: &mut [String]) {
        if labels.iter().all(|label| label.parse::<i64>().is_ok()) {
            labels.sort_by_key(|label| (label.parse::<i64>().unwrap_or(0), label.clone()));
        } else {
            labels.sort_unstable();
        }
    }
}

/// What the values of a variable are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One of these labels, in code order; a value is stored as its position here.
    Categorical(Vec<String>),
    /// A finite real number.
    Real,
}

/// The shape of a variable on disk: categories, or the word `real`. That of a categorical variable
/// is older than the other kind and must not change, because results are stored beside it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct VariableFile {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    categories: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kind: Option<KindName>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum KindName {
    Categorical,
    Real,
}

impl TryFrom<VariableFile> for Variable {
    type Error = SchemaError;

    fn try_from(file: VariableFile) -> Result<Self, SchemaError> {
        let kind = match (file.kind, file.categories) {
            (Some(KindName::Real), None) => Kind::Real,
            (None | Some(KindName::Categorical), Some(labels)) => Kind::Categorical(labels),
            (Some(KindName::Real), Some(_)) => return Err(SchemaError::RealWithLabels(file.name)),
            (_, None) => return Err(SchemaError::NoCategories(file.name)),
        };
        Ok(Self {
            name: file.name,
            kind,
        })
    }
}

impl From<Variable> for VariableFile {
    fn from(variable: Variable) -> Self {
        let (categories, kind) = match variable.kind {
            Kind::Categorical(labels) => (Some(labels), None),
            Kind::Real => (None, Some(KindName::Real)),
        };
        Self {
            name: variable.name,
            categories,
            kind,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Schema;

    #[test]
    fn real_variables_are_told_from_labels_in_json_and_hash() {
        let mixed = Schema::new(vec![Variable::real("a"), Variable::new("b", ["0"])]).unwrap();
        let text = serde_json::to_string(&mixed).unwrap();
        assert_eq!(
            text,
            r#"{"variables":[{"name":"a","kind":"real"},{"name":"b","categories":["0"]}]}"#
        );
        assert_eq!(serde_json::from_str::<Schema>(&text).unwrap(), mixed);
        let labelled = Schema::new(vec![
            Variable::new("a", ["real"]),
            Variable::new("b", ["0"]),
        ])
        .unwrap();
        assert_ne!(mixed.hash(), labelled.hash());
        for (refused, why) in [
            (
                r#"{"name":"a","kind":"real","categories":["0"]}"#,
                "real and has",
            ),
            (r#"{"name":"a"}"#, "no categories"),
        ] {
            let error = serde_json::from_str::<Variable>(refused).unwrap_err();
            assert!(error.to_string().contains(why), "{error}");
        }
    }
}
