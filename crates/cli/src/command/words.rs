//! Flags that take one of a few words.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use fedcdi_data::study::TableFormat;

/// A word, what it means unless that is plain, and what it stands for.
pub(super) type Word<T> = (&'static str, &'static str, T);

pub(super) const FORMATS: [Word<TableFormat>; 2] = [
    ("csv", "", TableFormat::Csv),
    ("parquet", "", TableFormat::Parquet),
];

pub(super) fn words<T: Copy + Send + Sync>(
    words: &'static [Word<T>],
) -> impl TypedValueParser<Value = T> {
    let value = |(word, meaning, _): &Word<T>| match *meaning {
        "" => PossibleValue::new(word),
        meaning => PossibleValue::new(word).help(meaning),
    };
    PossibleValuesParser::new(words.iter().map(value)).map(|given| {
        let known = words.iter().find(|(word, ..)| *word == given);
        known.expect("the parser takes no other word").2
    })
}
