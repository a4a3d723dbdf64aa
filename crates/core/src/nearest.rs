//! "Did you mean": the known name closest to one that is not known.

/// The known name that is most likely meant by `name`: fewest single-letter edits, letter case
/// ignored, at most a third of the letters; the first of several equally close ones.
///
/// Complexity: O(letters of `name` * letters of all known names).
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = |text: &str| text.to_lowercase().chars().collect::<Vec<char>>();
    let wanted = letters(name);
    let limit = (wanted.len() / 3).max(1);
    known
        .into_iter()
        .map(|candidate| (edits(&wanted, &letters(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= limit && *distance < candidate.len())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The end of a message about an unknown name: the one that may be meant, or what else to do.
pub(crate) fn did_you_mean(nearest: Option<&str>, otherwise: impl FnOnce() -> String) -> String {
    nearest.map_or_else(otherwise, |name| format!("did you mean {name:?}?"))
}

/// Levenshtein distance: insertions, deletions and replacements that turn `a` into `b`.
fn edits(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_is_recognised() {
        let known = ["smoke", "lung", "dyspnoea"];
        assert_eq!(nearest("smok", known), Some("smoke"));
        assert_eq!(nearest("Lung", known), Some("lung"));
        assert_eq!(nearest("dispnea", known), Some("dyspnoea"));
        assert_eq!(nearest("xray", known), None);
    }

    #[test]
    fn one_letter_names_are_not_guessed() {
        assert_eq!(nearest("x", ["a", "b"]), None);
    }

    #[test]
    fn edits_match_the_textbook() {
        // kitten -> sitten -> sittin -> sitting
        let letters = |text: &str| text.chars().collect::<Vec<_>>();
        assert_eq!(edits(&letters("kitten"), &letters("sitting")), 3);
        assert_eq!(edits(&[], &letters("abc")), 3);
    }
}
