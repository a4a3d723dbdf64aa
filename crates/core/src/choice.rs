//! Something chosen by name, with its settings: a rule of aggregation, a local method.
//!
//! Whoever offers several keeps a list of [`Kind`]s, one line each. Settings are a table by name, so
//! that a list can grow from outside and a file, a plan and a program say the same.

use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::nearest::{did_you_mean, nearest};
use crate::params::ParamsError;

/// Settings by name.
pub type Settings = serde_json::Map<String, serde_json::Value>;

/// A name and its settings; those that are left out have their defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// What is chosen.
    pub name: String,
    /// Its settings.
    #[serde(default)]
    pub settings: Settings,
}

impl Choice {
    /// With default settings.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            settings: Settings::new(),
        }
    }

    /// With these settings.
    pub fn of<P: Params>(params: &P) -> Self {
        Self {
            name: P::NAME.to_owned(),
            settings: written(params),
        }
    }
}

/// Settings of something that can be chosen.
pub trait Params: Serialize + DeserializeOwned + Default + 'static {
    /// What it is chosen by.
    const NAME: &str;
    /// What it is, in one line.
    const SUMMARY: &str;

    /// # Errors
    /// [`ParamsError`] naming the first field out of range.
    fn check(&self) -> Result<(), ParamsError>;
}

/// Why a choice is none.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ChoiceError {
    /// A name that is not in the list.
    #[error("there is no {what} {name:?}; {}", did_you_mean(.nearest.as_deref(), || format!("choose one of {}", .known.join(", "))))]
    Unknown {
        /// What is chosen.
        what: &'static str,
        /// The name.
        name: String,
        /// A name that may be meant.
        nearest: Option<String>,
        /// All names.
        known: Vec<String>,
    },
    /// Settings that cannot be read.
    #[error("settings of {name}{}: {message}", of_field(.field))]
    Settings {
        /// Whose.
        name: String,
        /// Which, as a path; `.` if it is about all of them.
        field: String,
        /// What is wrong.
        message: String,
    },
    /// A setting out of range.
    #[error(transparent)]
    Params(#[from] ParamsError),
}

fn of_field(field: &str) -> String {
    match field {
        "." => String::new(),
        field => format!(", {field}"),
    }
}

/// Reads and checks settings, and makes what they are of.
type Build<T> = Arc<dyn Fn(&Settings) -> Result<T, ChoiceError> + Send + Sync>;

/// Settings with every default written out, and values as their type writes them.
type Complete = Arc<dyn Fn(&Settings) -> Result<Settings, ChoiceError> + Send + Sync>;

/// One line of a list: a name, what it is, and how it is made from settings.
#[derive(Clone)]
pub struct Kind<T> {
    /// What it is chosen by.
    pub name: String,
    /// What it is, in one line.
    pub summary: String,
    /// All settings at their defaults.
    pub defaults: Settings,
    build: Build<T>,
    complete: Complete,
}

impl<T: 'static> Kind<T> {
    /// The kind with settings `P`, made by `make` once they are in range.
    pub fn of<P: Params>(make: impl Fn(P) -> T + Send + Sync + 'static) -> Self {
        let build = move |settings: &Settings| {
            let params: P = read(P::NAME, settings)?;
            params.check()?;
            Ok(make(params))
        };
        Self {
            name: P::NAME.to_owned(),
            summary: P::SUMMARY.to_owned(),
            defaults: written(&P::default()),
            build: Arc::new(build),
            complete: Arc::new(|settings| Ok(written(&read::<P>(P::NAME, settings)?))),
        }
    }

    /// A kind that reads its settings itself, and has none by default.
    pub fn dynamic(
        name: impl Into<String>,
        summary: impl Into<String>,
        build: impl Fn(&Settings) -> Result<T, ChoiceError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            summary: summary.into(),
            defaults: Settings::new(),
            build: Arc::new(build),
            complete: Arc::new(|settings| Ok(settings.clone())),
        }
    }

    /// The same kind as part of a wider list.
    pub fn map<U: 'static>(self, wider: impl Fn(T) -> U + Send + Sync + 'static) -> Kind<U> {
        let build = self.build;
        Kind {
            name: self.name,
            summary: self.summary,
            defaults: self.defaults,
            complete: self.complete,
            build: Arc::new(move |settings| build(settings).map(&wider)),
        }
    }
}

impl<T> fmt::Debug for Kind<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kind({})", self.name)
    }
}

/// What can be chosen.
#[derive(Clone, Debug)]
pub struct Registry<T> {
    what: &'static str,
    kinds: Vec<Kind<T>>,
}

impl<T> Registry<T> {
    /// A list of `what`.
    pub fn new(what: &'static str, kinds: Vec<Kind<T>>) -> Self {
        Self { what, kinds }
    }

    /// The list with one more; of two with the same name the new one counts.
    #[must_use]
    pub fn with(mut self, kind: Kind<T>) -> Self {
        self.kinds.retain(|known| known.name != kind.name);
        self.kinds.push(kind);
        self
    }

    /// All kinds, in order, as parts of a wider list.
    pub fn into_kinds(self) -> Vec<Kind<T>> {
        self.kinds
    }

    /// All kinds, in order.
    pub fn kinds(&self) -> &[Kind<T>] {
        &self.kinds
    }

    /// The kind of this name.
    ///
    /// # Errors
    /// [`ChoiceError::Unknown`] if there is none.
    pub fn kind(&self, name: &str) -> Result<&Kind<T>, ChoiceError> {
        let names = || self.kinds.iter().map(|kind| kind.name.as_str());
        let found = self.kinds.iter().find(|kind| kind.name == name);
        found.ok_or_else(|| ChoiceError::Unknown {
            what: self.what,
            name: name.to_owned(),
            nearest: nearest(name, names()).map(str::to_owned),
            known: names().map(str::to_owned).collect(),
        })
    }

    /// What was chosen.
    ///
    /// # Errors
    /// [`ChoiceError`] if the name is unknown or a setting is not what it should be.
    pub fn build(&self, choice: &Choice) -> Result<T, ChoiceError> {
        (self.kind(&choice.name)?.build)(&choice.settings)
    }

    /// The choice with every setting written out: what a plan fixes. A real number is one, though it was
    /// written as a whole one.
    ///
    /// # Errors
    /// As [`Self::build`].
    pub fn complete(&self, choice: &Choice) -> Result<Choice, ChoiceError> {
        self.build(choice)?;
        let settings = (self.kind(&choice.name)?.complete)(&choice.settings)?;
        let name = choice.name.clone();
        Ok(Choice { name, settings })
    }
}

/// Settings as a type.
///
/// # Errors
/// [`ChoiceError::Settings`] if there is one that the type does not have, or a value of another type.
pub fn read<P: DeserializeOwned>(name: &str, settings: &Settings) -> Result<P, ChoiceError> {
    let value = serde_json::Value::Object(settings.clone());
    serde_path_to_error::deserialize(value).map_err(|error| ChoiceError::Settings {
        name: name.to_owned(),
        field: error.path().to_string(),
        message: error.into_inner().to_string(),
    })
}

/// Settings by name.
pub fn written(params: &impl Serialize) -> Settings {
    match serde_json::to_value(params) {
        Ok(serde_json::Value::Object(settings)) => settings,
        other => unreachable!("settings are a table, not {other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Sharp {
        beta: f64,
    }

    impl Default for Sharp {
        fn default() -> Self {
            Self { beta: 2.0 }
        }
    }

    impl Params for Sharp {
        const NAME: &str = "sharp";
        const SUMMARY: &str = "something with a beta";

        fn check(&self) -> Result<(), ParamsError> {
            ParamsError::positive("beta", self.beta)
        }
    }

    fn list() -> Registry<f64> {
        Registry::new("rule", vec![Kind::of(|sharp: Sharp| sharp.beta)])
    }

    fn with(name: &str, settings: &str) -> Choice {
        Choice {
            name: name.to_owned(),
            settings: serde_json::from_str(settings).unwrap(),
        }
    }

    #[test]
    fn what_is_left_out_has_its_default() {
        assert_eq!(list().build(&Choice::named("sharp")), Ok(2.0));
        assert_eq!(list().build(&with("sharp", r#"{"beta": 3}"#)), Ok(3.0));
        let complete = list().complete(&Choice::named("sharp")).unwrap();
        assert_eq!(complete, with("sharp", r#"{"beta": 2.0}"#));
        assert_eq!(Choice::of(&Sharp { beta: 4.0 }).settings["beta"], 4.0);
    }

    #[test]
    fn a_real_number_is_complete_as_one_however_it_was_written() {
        let complete = |said: &str| list().complete(&with("sharp", said)).unwrap();
        assert_eq!(complete(r#"{"beta": 3}"#), complete(r#"{"beta": 3.0}"#));
        assert!(complete(r#"{"beta": 3}"#).settings["beta"].is_f64());
    }

    #[test]
    fn what_is_wrong_is_named() {
        let refused = |choice: Choice| list().build(&choice).unwrap_err().to_string();
        let text = refused(Choice::named("shar"));
        assert_eq!(text, r#"there is no rule "shar"; did you mean "sharp"?"#);
        let text = refused(Choice::named("x"));
        assert_eq!(text, r#"there is no rule "x"; choose one of sharp"#);
        let text = refused(with("sharp", r#"{"beta": -1}"#));
        assert_eq!(text, "beta is -1, but must be > 0");
        let text = refused(with("sharp", r#"{"bta": 1}"#));
        assert!(text.contains("unknown field `bta`"), "{text}");
    }

    #[test]
    fn a_list_grows_from_outside() {
        let one = Kind::dynamic("one", "always 1", |_| Ok(1.0));
        let list = list().with(one.clone()).with(one);
        assert_eq!(list.kinds().len(), 2);
        assert_eq!(list.build(&Choice::named("one")), Ok(1.0));
    }
}
