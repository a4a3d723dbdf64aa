//! Labels as people see them: which look the same, and how they are shown.

use std::borrow::Cow;
use std::collections::HashMap;

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

/// The label without case and without blanks that nobody sees.
fn looks(label: &str) -> String {
    let words: Vec<&str> = label.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

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
