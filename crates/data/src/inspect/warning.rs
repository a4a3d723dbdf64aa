//! What in a table deserves a second look, in words.

use std::borrow::Cow;
use std::collections::HashMap;

use fedcdi_core::{Remedied, Remedy, first_few};
use serde::Serialize;

const FEW: usize = 10;

/// Something in a table that deserves a second look.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, thiserror::Error)]
#[serde(tag = "warning", rename_all = "kebab-case")]
pub enum Warning {
    /// A table of one variable.
    #[error(
        "{variable} is the only variable, so there is nothing to discover; add the columns that may be its causes and effects"
    )]
    OneVariable {
        /// Its name.
        variable: String,
    },
    /// No sample without intervention.
    #[error("there are no observational rows; conditionals are learned from them, add some")]
    NoObservational,
    /// No sample with intervention.
    #[error(
        "there are no interventional rows; directions of edges cannot be told from observation alone"
    )]
    NoInterventional,
    /// Variables without interventions, where others have them.
    #[error(
        "never intervened on: {}; the direction of edges among them is learned only indirectly",
        first_few(variables, FEW)
    )]
    NeverIntervened {
        /// Their names.
        variables: Vec<String>,
    },
    /// A column with one value.
    #[error(
        "{variable} is always {value:?}; it cannot have causes or effects here, consider removing it"
    )]
    Constant {
        /// Its name.
        variable: String,
        /// The value.
        value: String,
    },
    /// Labels of the schema that no sample has.
    #[error("{variable} never takes {}; fine if other sites have them", first_few(categories.iter().map(|label| shown(label)), FEW))]
    UnseenCategories {
        /// The variable.
        variable: String,
        /// The labels.
        categories: Vec<String>,
    },
    /// So many categories that it may not be a category at all.
    #[error(
        "{variable} has {n_categories} categories; {}",
        remove_or_declare(variable)
    )]
    ManyCategories {
        /// The variable.
        variable: String,
        /// How many.
        n_categories: usize,
    },
    /// Labels that a person would read as the same.
    #[error("{variable} has labels that differ only in case or blanks: {}; each is learned as a category of its own, so write the same thing the same way", first_few(labels.iter().map(|label| format!("{label:?}")), FEW))]
    LabelsAlike {
        /// The variable.
        variable: String,
        /// The labels, those that are alike next to each other.
        labels: Vec<String>,
    },
    /// An interventional group with few samples.
    #[error("only {n_samples} rows under an intervention on {}; too few to trust alone", targets.join(" and "))]
    TinyGroup {
        /// The intervened variables.
        targets: Vec<String>,
        /// Samples.
        n_samples: usize,
    },
    /// An intervention that always sets the same value.
    #[error(
        "all {n_samples} rows under an intervention on {variable} set it to {value:?}; vary the value to see its effects"
    )]
    FixedTarget {
        /// The intervened variable.
        variable: String,
        /// The value it always takes.
        value: String,
        /// Samples.
        n_samples: usize,
    },
}

type Together = fn(usize, usize) -> usize;

fn remove_or_declare(variable: &str) -> Remedy {
    let text = "if it is an identifier remove it, if it is a measurement bin it or pass ";
    Remedy::from(text).set("real", variable)
}

impl Remedied for Warning {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::ManyCategories { variable, .. } => Some(remove_or_declare(variable)),
            _ => None,
        }
    }
}

impl Warning {
    /// The number in which clients with the same trouble differ, and what it is of two together.
    fn count(&mut self) -> Option<(&mut usize, Together)> {
        match self {
            Self::FixedTarget { n_samples: n, .. } => Some((n, |a, b| a + b)),
            Self::ManyCategories {
                n_categories: n, ..
            } => Some((n, usize::max)),
            _ => None,
        }
    }

    fn uncounted(&self) -> Self {
        let mut same = self.clone();
        if let Some((count, _)) = same.count() {
            *count = 0;
        }
        same
    }

    fn count_also(&mut self, mut other: Self) {
        if let (Some((count, together)), Some((other, _))) = (self.count(), other.count()) {
            *count = together(*count, *other);
        }
    }

    /// Whether it is settled by what other clients have, as far as this client's table can tell.
    pub fn others_may_settle(&self) -> bool {
        matches!(
            self,
            Self::NoInterventional
                | Self::NeverIntervened { .. }
                | Self::UnseenCategories { .. }
                | Self::TinyGroup { .. }
        )
    }
}

/// Every warning once, in order of appearance, with the names of the clients that have it; numbers
/// are those of all these clients together.
pub fn by_client<'a>(
    warnings: impl IntoIterator<Item = (&'a str, &'a Warning)>,
) -> Vec<(Warning, Vec<&'a str>)> {
    let mut grouped: Vec<(Warning, Vec<&str>)> = Vec::new();
    let mut place: HashMap<Warning, usize> = HashMap::new();
    for (client, warning) in warnings {
        let at = *place.entry(warning.uncounted()).or_insert(grouped.len());
        match grouped.get_mut(at) {
            Some((together, clients)) => {
                together.count_also(warning.clone());
                clients.push(client);
            }
            None => grouped.push((warning.clone(), vec![client])),
        }
    }
    grouped
}

/// A label for people: in quotes where blanks around it could not be seen.
pub fn shown(label: &str) -> Cow<'_, str> {
    if label.trim() == label && !label.is_empty() {
        Cow::Borrowed(label)
    } else {
        Cow::Owned(format!("{label:?}"))
    }
}

/// Labels that differ from another one only in case or blanks, next to each other.
pub(super) fn alike(labels: &[String]) -> Vec<String> {
    let mut groups: Vec<Vec<&String>> = Vec::new();
    let mut place = HashMap::new();
    for label in labels {
        let at = *place.entry(looks(label)).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.push(label),
            None => groups.push(vec![label]),
        }
    }
    let several = groups.into_iter().filter(|group| group.len() > 1);
    several.flatten().cloned().collect()
}

/// The label without case and without blanks that nobody sees: two that look the same are most likely
/// meant to be one.
pub fn looks(label: &str) -> String {
    let words: Vec<&str> = label.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut_and_blanks_can_be_seen() {
        let labels = (0..400).map(|at| format!("{at} "));
        let unseen = Warning::UnseenCategories {
            variable: "patient".to_owned(),
            categories: labels.collect(),
        };
        let text = unseen.to_string();
        assert!(text.contains("\"0 \", \"1 \""), "{text}");
        assert!(text.contains(".. 390 more"), "{text}");
    }

    #[test]
    fn a_warning_of_several_clients_is_said_once() {
        let (one, other) = (Warning::NoObservational, Warning::NoInterventional);
        let all = [("a", &one), ("a", &other), ("b", &one)];
        let expected = [(one.clone(), vec!["a", "b"]), (other.clone(), vec!["a"])];
        assert_eq!(by_client(all), expected);
        let fixed = |n_samples| Warning::FixedTarget {
            variable: "x".to_owned(),
            value: "1".to_owned(),
            n_samples,
        };
        let (few, many) = (fixed(20), fixed(31));
        let all = [("a", &few), ("b", &many)];
        assert_eq!(by_client(all), [(fixed(51), vec!["a", "b"])]);
    }

    fn owned(labels: &[&str]) -> Vec<String> {
        labels.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn labels_that_look_the_same_are_found() {
        let labels = owned(&["Y", "mild", "y", "y ", "no  one", "no one", "N"]);
        let found = owned(&["Y", "y", "y ", "no  one", "no one"]);
        assert_eq!(alike(&labels), found);
        assert_eq!(alike(&owned(&["1", "1.0", "yes", "no"])), owned(&[]));
    }

    #[test]
    fn only_labels_with_blanks_around_them_are_quoted() {
        assert_eq!(shown("no one"), "no one");
        assert_eq!(shown("y "), "\"y \"");
        assert_eq!(shown(""), "\"\"");
    }
}
