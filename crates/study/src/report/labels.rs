//! Names as labels in a drawing: how much room one takes, and how to shorten it.

use std::collections::BTreeSet;

/// No label is longer, not even to keep two names apart.
const LONGEST: usize = 40;

/// Names of at most `limit` characters each. Longer ones lose their middle, since names that share
/// a beginning often differ at the end; where that makes two alike, all may be longer.
pub(super) fn labels<'a>(names: impl Iterator<Item = &'a str>, limit: usize) -> Vec<String> {
    let names: Vec<&str> = names.collect();
    let shortened = |limit: usize| -> Vec<String> {
        let names = names.iter();
        names.map(|name| without_middle(name, limit)).collect()
    };
    let apart = |labels: &Vec<String>| labels.iter().collect::<BTreeSet<_>>().len() == labels.len();
    let lengths = limit..=LONGEST.max(limit);
    let first = lengths.map(shortened).find(apart);
    first.unwrap_or_else(|| shortened(limit))
}

/// At most `limit` characters, one of them an ellipsis if some are left out.
fn without_middle(name: &str, limit: usize) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= limit {
        return name.to_owned();
    }
    let n_last = (limit - 1) / 2;
    let first = &letters[..limit - 1 - n_last];
    let last = &letters[letters.len() - n_last..];
    first.iter().chain(&['\u{2026}']).chain(last).collect()
}

/// Width of a text in units of its font size, rather too wide than too narrow: the page takes
/// whatever font the reader's system has, and these are the widths of wide ones (`DejaVu Sans`,
/// Verdana).
pub(super) fn width(text: &str) -> f64 {
    text.chars().map(width_of).sum()
}

fn width_of(letter: char) -> f64 {
    match letter {
        'i' | 'j' | 'l' | 'I' | '\'' | '|' => 0.34,
        ' ' | 'f' | 'r' | 't' | 'J' | '.' | ',' | ':' | ';' | '!' | '-' | '/' | '(' | ')' | '['
        | ']' => 0.46,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 1.0,
        'a'..='z' | '0'..='9' | '_' => 0.64,
        'A'..='Z' => 0.79,
        _ if letter.is_ascii() => 0.84,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_short_stays_whole() {
        let all = labels(["größe", "ERRLOWOUTPUT"].into_iter(), 12);
        assert_eq!(all, ["größe", "ERRLOWOUTPUT"]);
    }

    #[test]
    fn names_with_the_same_beginning_stay_apart() {
        let names = ["blood_pressure_systolic", "blood_pressure_diastolic"];
        let all = labels(names.into_iter(), 14);
        assert_eq!(all, ["blood_p\u{2026}ystolic", "blood_p\u{2026}astolic"]);
    }

    #[test]
    fn names_that_differ_in_the_middle_stay_apart() {
        let names = [
            "expression_of_gene_1_in_liver",
            "expression_of_gene_2_in_liver",
        ];
        let all = labels(names.into_iter(), 14);
        assert_ne!(all[0], all[1]);
        assert!(all[0].chars().count() < 29, "{all:?}");
    }

    #[test]
    fn no_label_is_endless() {
        let long = |middle: char| format!("{0}{middle}{0}", "x".repeat(300));
        let (a, b) = (long('a'), long('b'));
        let all = labels([a.as_str(), &b].into_iter(), 14);
        assert!(all.iter().all(|label| label.chars().count() == 14));
    }

    #[test]
    fn capitals_take_more_room() {
        // Of DejaVu Sans at 1000 units: E 632, R 695, L 557, O 787, W 989, U 732, T 611, P 603.
        let measured = 632 + 695 + 695 + 557 + 787 + 989 + 787 + 732 + 611 + 603 + 732 + 611;
        let estimate = width("ERRLOWOUTPUT");
        assert!(estimate > f64::from(measured) / 1000.0, "{estimate}");
        assert!(width("errlowoutput") < estimate);
    }
}
