//! What the values of a variable are, and how that is written down.

use serde::{Deserialize, Serialize};

use crate::variable::{SchemaError, Variable};

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
pub(crate) struct VariableFile {
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
    use crate::variable::Schema;

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
