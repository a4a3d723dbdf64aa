//! Numbers, names and tables as people read them.

use fedcdi_core::{Schema, VarId};
use maud::{Markup, Render, html};

/// `1 site`, `2 sites`.
pub fn count(n: usize, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        _ => format!("{n} {noun}s"),
    }
}

/// A message as a sentence: a capital first, a full stop last.
pub fn sentence_of(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).chain(['.']).collect()
}

/// `smoke -> cancer`, with an arrow.
pub(super) fn edge_name(schema: &Schema, cause: VarId, effect: VarId) -> String {
    format!("{} \u{2192} {}", schema.name(cause), schema.name(effect))
}

/// Class and text at the head of a column.
pub type Heading<'a> = (Option<&'static str>, &'a str);

/// Class of the head of a column of words.
pub const WORDS: Option<&str> = None;
/// Of a column of numbers.
pub const NUMBERS: Option<&str> = Some("number");
/// Of a column of numbers whose heading may take several lines.
pub(super) const LONG: Option<&str> = Some("number long");

/// A table that scrolls by itself where the page is narrow.
pub fn table(label: &str, caption: impl Render, headings: &[Heading], rows: &Markup) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(label) {
            table {
                caption { (caption) }
                thead { tr { @for (class, text) in headings { th class=[class] scope="col" { (text) } } } }
                tbody { (rows) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        assert_eq!(count(1, "edge") + &count(0, "edge"), "1 edge0 edges");
    }

    #[test]
    fn messages_become_sentences() {
        assert_eq!(sentence_of("no rows; add some"), "No rows; add some.");
    }
}
