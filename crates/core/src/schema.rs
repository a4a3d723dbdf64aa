//! The variables that all sites of a study share.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::remedy::{Remedied, Remedy};
use crate::variable::{Kind, VarId, Variable};

/// The variables of a study, in column order; names are unique, and so are labels within a variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "SchemaFile")]
pub struct Schema {
    variables: Vec<Variable>,
    #[serde(skip)]
    by_name: HashMap<String, VarId>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SchemaFile {
    variables: Vec<Variable>,
}

impl TryFrom<SchemaFile> for Schema {
    type Error = SchemaError;

    fn try_from(file: SchemaFile) -> Result<Self, SchemaError> {
        Self::new(file.variables)
    }
}

/// Why a list of variables is not a schema, or why two schemas cannot be one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// No variables at all.
    #[error("the schema has no variables; list at least one")]
    Empty,
    /// A name is the empty string.
    #[error("variable number {} has an empty name; give every variable a name", .0 + 1)]
    EmptyName(usize),
    /// Two variables share a name.
    #[error("two variables are called {0:?}; rename one")]
    DuplicateName(String),
    /// A variable without categories.
    #[error("variable {0:?} has no categories; list at least one, or write \"kind\": \"real\"")]
    NoCategories(String),
    /// A variable that is said to be real and has categories all the same.
    #[error("variable {0:?} is real and has categories; remove one of the two")]
    RealWithLabels(String),
    /// Real numbers here, labels there.
    #[error(
        "variable {0:?} is real in one table and categorical in another; {remedy}",
        remedy = declare_alike()
    )]
    KindDiffers(String),
    /// Two categories share a label.
    #[error("variable {0:?} lists category {1:?} twice; remove one")]
    DuplicateCategory(String, String),
    /// A variable with more categories than a code can hold.
    #[error(
        "variable {0:?} has {1} categories, the limit is {max}; {remedy}",
        max = Schema::MAX_CATEGORIES, remedy = bin_or_real(.0)
    )]
    TooManyCategories(String, usize),
    /// The second schema lacks a variable of the first, or has one more.
    #[error(
        "the schemas differ: variable {0:?} is in one but not in the other; all sites need the same columns"
    )]
    Differs(String),
}

fn declare_alike() -> Remedy {
    let remedy = Remedy::from("declare it alike everywhere: by ");
    remedy.setting("real").text(", or by kind in the schema")
}

fn bin_or_real(variable: &str) -> Remedy {
    Remedy::from("bin its values first, or pass ").set("real", variable)
}

impl Remedied for SchemaError {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::KindDiffers(_) => Some(declare_alike()),
            Self::TooManyCategories(variable, _) => Some(bin_or_real(variable)),
            _ => None,
        }
    }
}

impl Schema {
    /// Most categories a variable may have.
    pub const MAX_CATEGORIES: usize = u16::MAX as usize;

    /// A schema of these variables.
    ///
    /// # Errors
    /// [`SchemaError`] naming the first variable or label that is empty, repeated or too many.
    pub fn new(variables: Vec<Variable>) -> Result<Self, SchemaError> {
        if variables.is_empty() {
            return Err(SchemaError::Empty);
        }
        let mut by_name = HashMap::with_capacity(variables.len());
        for (index, variable) in variables.iter().enumerate() {
            check_variable(index, variable)?;
            let name = variable.name.clone();
            if by_name.insert(name.clone(), VarId(index)).is_some() {
                return Err(SchemaError::DuplicateName(name));
            }
        }
        Ok(Self { variables, by_name })
    }

    /// Number of variables.
    pub fn n_vars(&self) -> usize {
        self.variables.len()
    }

    /// The variables in column order.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The names in column order.
    pub fn names(&self) -> Vec<String> {
        self.variables.iter().map(|v| v.name.clone()).collect()
    }

    /// Ids in column order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = VarId> + ExactSizeIterator + use<> {
        (0..self.variables.len()).map(VarId)
    }

    /// The variable at `id`.
    pub fn variable(&self, id: VarId) -> &Variable {
        &self.variables[id.index()]
    }

    /// The name of the variable at `id`.
    pub fn name(&self, id: VarId) -> &str {
        &self.variable(id).name
    }

    /// The variable of this name.
    pub fn find(&self, name: &str) -> Option<VarId> {
        self.by_name.get(name).copied()
    }

    /// One schema for all: the variables of the first, each with the union of the labels seen in
    /// any, in the order of [`Variable::sort_labels`] unless all list the same labels already.
    ///
    /// # Errors
    /// [`SchemaError::Differs`] naming a variable that not all have,
    /// [`SchemaError::KindDiffers`] one that is real in some only.
    pub fn merge<'a>(schemas: impl IntoIterator<Item = &'a Schema>) -> Result<Self, SchemaError> {
        let mut schemas = schemas.into_iter();
        let mut merged = schemas.next().ok_or(SchemaError::Empty)?.clone();
        for schema in schemas {
            let only_in = |from: &Self, to: &Self| {
                let mut names = from.names().into_iter();
                names.find(|name| to.find(name).is_none())
            };
            if let Some(name) = only_in(&merged, schema).or_else(|| only_in(schema, &merged)) {
                return Err(SchemaError::Differs(name));
            }
            for variable in &mut merged.variables {
                variable.unite(schema.variable(schema.by_name[&variable.name]))?;
            }
        }
        Self::new(merged.variables)
    }
}

fn check_variable(index: usize, variable: &Variable) -> Result<(), SchemaError> {
    let name = || variable.name.clone();
    if variable.name.is_empty() {
        return Err(SchemaError::EmptyName(index));
    }
    let Kind::Categorical(labels) = &variable.kind else {
        return Ok(());
    };
    if labels.is_empty() {
        return Err(SchemaError::NoCategories(name()));
    }
    if labels.len() > Schema::MAX_CATEGORIES {
        return Err(SchemaError::TooManyCategories(name(), labels.len()));
    }
    let mut seen = std::collections::HashSet::new();
    match labels.iter().find(|label| !seen.insert(*label)) {
        Some(label) => Err(SchemaError::DuplicateCategory(name(), label.clone())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(variables: &[(&str, &[&str])]) -> Schema {
        let variables = variables.iter();
        Schema::new(
            variables
                .map(|(n, l)| Variable::new(*n, l.iter().copied()))
                .collect(),
        )
        .unwrap()
    }

    #[test]
    fn names_labels_and_their_order_are_in_the_hash() {
        let base = schema(&[("a", &["x", "y"]), ("b", &["0"])]);
        assert_eq!(base.hash(), base.clone().hash());
        for other in [
            schema(&[("b", &["0"]), ("a", &["x", "y"])]),
            schema(&[("a", &["y", "x"]), ("b", &["0"])]),
            schema(&[("a", &["x"]), ("yb", &["0"])]),
        ] {
            assert_ne!(base.hash(), other.hash());
        }
    }

    #[test]
    fn the_hash_of_labels_is_the_one_that_stored_results_have() {
        // SHA-256 of the texts by hand (Python's hashlib): see the layout in `Schema::hash`.
        let hash = schema(&[("a", &["x", "y"]), ("b", &["0"])]).hash();
        assert_eq!(
            hash.to_string(),
            "6fe979b6217fa246dfa9dd2f791403543b1d6d88a57867539e4c81f98905640b"
        );
    }

    #[test]
    fn merging_names_the_variable_of_two_kinds() {
        let real = Schema::new(vec![Variable::real("a")]).unwrap();
        assert_eq!(Schema::merge([&real, &real]).unwrap(), real);
        let error = Schema::merge([&real, &schema(&[("a", &["0"])])]);
        assert_eq!(error, Err(SchemaError::KindDiffers("a".into())));
    }

    #[test]
    fn merging_unites_labels_and_sorts_numbers_as_numbers() {
        let merged = Schema::merge([
            &schema(&[("a", &["2", "10"]), ("b", &["no", "yes"])]),
            &schema(&[("b", &["yes", "maybe"]), ("a", &["1"])]),
        ])
        .unwrap();
        assert_eq!(
            merged,
            schema(&[("a", &["1", "2", "10"]), ("b", &["maybe", "no", "yes"])])
        );
    }

    #[test]
    fn merging_keeps_an_agreed_label_order() {
        let ordered = schema(&[("dose", &["LOW", "AVG", "HIGH"])]);
        assert_eq!(Schema::merge([&ordered, &ordered]).unwrap(), ordered);
    }

    #[test]
    fn merging_names_the_variable_that_one_lacks() {
        let error = Schema::merge([
            &schema(&[("a", &["0"])]),
            &schema(&[("a", &["0"]), ("b", &["0"])]),
        ]);
        assert_eq!(error, Err(SchemaError::Differs("b".into())));
    }

    #[test]
    fn bad_schemas_are_refused_by_name() {
        let new = |names: &[(&str, &[&str])]| {
            let variables = names.iter();
            Schema::new(
                variables
                    .map(|(n, l)| Variable::new(*n, l.iter().copied()))
                    .collect(),
            )
        };
        assert_eq!(new(&[]), Err(SchemaError::Empty));
        assert_eq!(new(&[("", &["0"])]), Err(SchemaError::EmptyName(0)));
        assert_eq!(
            new(&[("a", &["0"]), ("a", &["0"])]),
            Err(SchemaError::DuplicateName("a".into()))
        );
        assert_eq!(
            new(&[("a", &[])]),
            Err(SchemaError::NoCategories("a".into()))
        );
        assert!(matches!(
            new(&[("a", &["0", "0"])]),
            Err(SchemaError::DuplicateCategory(..))
        ));
    }

    #[test]
    fn json_round_trips_and_is_checked() {
        let original = schema(&[("a", &["x", "y"])]);
        let text = serde_json::to_string(&original).unwrap();
        assert_eq!(
            text,
            r#"{"variables":[{"name":"a","categories":["x","y"]}]}"#
        );
        assert_eq!(serde_json::from_str::<Schema>(&text).unwrap(), original);
        assert!(serde_json::from_str::<Schema>(r#"{"variables":[]}"#).is_err());
    }
}
