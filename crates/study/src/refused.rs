//! What is wrong with a file of settings: the place, and words for its author.

use std::fs;
use std::path::Path;

use fedcdi_core::nearest::nearest;
use fedcdi_core::{ChoiceError, ParamsError, RoundParams, choice};
use fedcdi_data::file_error::{FileError, Place};

use crate::settings::SEE_METHODS;

/// A choice in this file that is none, with its line.
pub(crate) fn refused_choice(path: &Path, error: &ChoiceError) -> FileError {
    let text = fs::read_to_string(path).unwrap_or_default();
    match error {
        ChoiceError::Params(ParamsError { field, value, need }) => {
            let place = line_of(&text, key_of(field)).unwrap_or(Place::Whole);
            let problem = format!("{field} is {value}");
            FileError::content(path, place, problem, format!("it must be {need}"))
        }
        ChoiceError::Settings { name, message, .. } if of_rounds(message).is_some() => {
            let key = of_rounds(message).unwrap_or_default();
            let place = line_of(&text, key).unwrap_or(Place::Whole);
            let problem = format!("{key} is no setting of {name}");
            let remedy = "set it under [coordinator] of a spec";
            FileError::content(path, place, problem, remedy)
        }
        ChoiceError::Settings { field, message, .. } => {
            let place = line_of(&text, key_of(field)).unwrap_or(Place::Whole);
            let about_all = field == "." || message.starts_with("unknown field");
            let message = if about_all {
                message.clone()
            } else {
                format!("{field}: {message}")
            };
            refused(path, &text, (place, &message), SEE_METHODS)
        }
        ChoiceError::Unknown { name, .. } => {
            let place = text.lines().position(|line| line.contains(name.as_str()));
            let place = place.map_or(Place::Whole, |at| Place::Line(at as u64 + 1));
            let whole = error.to_string();
            let (problem, remedy) = whole.split_once("; ").unwrap_or((&whole, ""));
            FileError::content(path, place, problem, remedy)
        }
    }
}

/// The unknown setting, if it is one that a study has in place of its method.
fn of_rounds(message: &str) -> Option<&str> {
    let known = choice::written(&RoundParams::default());
    unknown_field(message).filter(|name| known.contains_key(*name))
}

/// The last name of a path such as `adam.rate` or `hidden[0]`.
fn key_of(field: &str) -> &str {
    let key = field.rsplit('.').next().unwrap_or(field);
    key.split('[').next().unwrap_or(key)
}

fn unknown_field(message: &str) -> Option<&str> {
    let (_, name) = message.split_once("unknown field `")?;
    name.split('`').next()
}

pub(crate) fn refused(
    path: &Path,
    text: &str,
    (place, message): (Place, &str),
    remedy: &str,
) -> FileError {
    // The parser knows only in which table an unknown name is.
    let named = unknown_field(message).and_then(|name| line_of(text, name));
    let place = named.unwrap_or(place);
    match did_you_mean(message) {
        Some((what, meant)) => {
            let remedy = format!("did you mean `{meant}`? {remedy}");
            FileError::content(path, place, what, remedy)
        }
        None => FileError::content(path, place, in_plain_words(message), remedy),
    }
}

/// What is wrong with settings that stand in no file.
pub(crate) fn in_words(message: &str, remedy: &str) -> String {
    match did_you_mean(message) {
        Some((what, meant)) => format!("{what}; did you mean `{meant}`?"),
        None if message.contains("unknown field") => format!("{message}; {remedy}"),
        None => in_plain_words(message),
    }
}

const WHOLE: &str = "expected a whole number, 0 or more";
const TABLE: &str = "expected settings by name: a table";
const NONE: &str = "wanted exactly 1 element, found 0 elements";
const MORE: &str = "wanted exactly 1 element, more than 1 element";
const NAMED: &str = "expected a name in quotes or a table";

/// What parsers call by the program's types.
const TERMS: [(&str, &str); 10] = [
    ("expected usize", WHOLE),
    ("expected u32", WHOLE),
    ("expected u64", WHOLE),
    ("expected f64", "expected a number"),
    ("expected struct", TABLE),
    ("expected internally tagged enum", TABLE),
    ("expected adjacently tagged enum", TABLE),
    (NONE, "there is none where one is needed"),
    (MORE, "there is more than one where only one can be meant"),
    ("wanted string or table", NAMED),
];

/// The message without names of types; what follows the last of them describes how they are built.
fn in_plain_words(message: &str) -> String {
    let term = TERMS.iter().find(|(term, _)| message.contains(term));
    let Some((term, meaning)) = term else {
        return message.to_owned();
    };
    let (before, _) = message.split_once(term).unwrap_or((message, ""));
    // A whole number of the right sign does not fit.
    if before.contains("invalid value: integer `") && !before.contains("`-") {
        return format!("{before}expected a smaller number");
    }
    format!("{before}{meaning}")
}

/// The line that sets `key`, in TOML or JSON, if there is just one.
fn line_of(text: &str, key: &str) -> Option<Place> {
    let sets_key = |line: &str| {
        line.match_indices(key).any(|(at, _)| {
            let before = line[..at].trim_end_matches('"').chars().next_back();
            let after = line[at + key.len()..].trim_start_matches('"').trim_start();
            let begins = before.is_none_or(|c| !c.is_alphanumeric() && !"_-".contains(c));
            begins && after.starts_with(['=', ':'])
        })
    };
    let lines = (1..).zip(text.lines());
    let mut lines = lines.filter(|(_, line)| !line.trim_start().starts_with('#') && sets_key(line));
    match (lines.next(), lines.next()) {
        (Some((line, _)), None) => Some(Place::Line(line)),
        _ => None,
    }
}

pub(crate) fn toml_place(error: &toml::de::Error, text: &str) -> Place {
    error.span().map_or(Place::Whole, |span| {
        let before = &text[..span.start.min(text.len())];
        Place::Line(before.matches('\n').count() as u64 + 1)
    })
}

/// The message without the place, which is reported beside it.
pub(crate) fn json_message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_string()
}

/// Of an unknown name with the list of known ones: what is unknown, and which one is close to it.
fn did_you_mean(message: &str) -> Option<(String, &str)> {
    let (unknown, known) = message.split_once(", expected ")?;
    let name = unknown.split('`').nth(1)?;
    let meant = nearest(name, known.split('`').skip(1).step_by(2))?;
    Some((unknown.to_string(), meant))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_where_it_is_set_once() {
        let line = |text, key| line_of(text, key).map(|place| place.to_string());
        let text = "# beta = 1\nbeta = 2 # not alpha\n[x]\nalpha_beta = 3\n";
        assert_eq!(line(text, "beta").as_deref(), Some(", line 2"));
        assert_eq!(line(text, "alpha"), None);
        assert_eq!(line("rate = 1\n[adam]\nrate = 2\n", "rate"), None);
        let json = "{\n \"beta\" : 2 }";
        assert_eq!(line(json, "beta").as_deref(), Some(", line 2"));
    }
}
