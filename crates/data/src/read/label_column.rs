//! One column of a table while it is being read: fields become category codes.

use std::collections::HashMap;

use fedcdi_core::{Column, Schema, Variable};

use super::column_reader::Refused;
use super::options::Missing;
use crate::inspect::looks;

/// More different numbers that are not whole than this are a measurement, not levels.
const MOST_LEVELS: usize = 20;

#[derive(Default)]
pub(super) struct LabelColumn {
    /// Labels in code order; fixed if a schema was given, else in order of appearance.
    categories: Vec<String>,
    fixed: bool,
    /// The code of labels that are none of the categories; fixed ones alone.
    other: Option<u16>,
    /// How many labels have it.
    pub(super) n_others: usize,
    fields: Labels,
    /// The code of each of them; none if rows with it are dropped.
    meanings: Vec<Option<u16>>,
    pub(super) codes: Vec<u16>,
}

impl LabelColumn {
    /// A column with these categories and no others. A label that looks like a missing value is
    /// a category if it is listed.
    pub(super) fn fixed(categories: &[String], other: Option<&String>) -> Self {
        let other = other.and_then(|other| categories.iter().position(|label| label == other));
        let mut column = Self {
            categories: categories.to_vec(),
            fixed: true,
            other: other.map(|code| code as u16),
            ..Self::default()
        };
        for (code, label) in categories.iter().enumerate() {
            column.fields.add(label.as_bytes());
            column.meanings.push(Some(code as u16));
        }
        column
    }

    /// As [`ColumnReader::push`](super::column_reader::ColumnReader::push); a null is missing whatever
    /// the labels are.
    #[inline]
    pub(super) fn push(&mut self, field: Option<&[u8]>, missing: Missing) -> Result<bool, Refused> {
        let known = field.and_then(|field| self.fields.find(field));
        let meaning = match (known, field) {
            (Some(number), _) => self.meanings[number],
            (None, Some(field)) => {
                let meaning = self.define(field, missing)?;
                self.fields.add(field);
                self.meanings.push(meaning);
                meaning
            }
            (None, None) => self.missing_value(missing)?,
        };
        self.codes.push(meaning.unwrap_or(0));
        Ok(meaning.is_some())
    }

    fn define(&mut self, field: &[u8], missing: Missing) -> Result<Option<u16>, Refused> {
        if Missing::is_token(field) {
            return self.missing_value(missing);
        }
        if self.fixed {
            let other = self.other.filter(|_| self.alike(field).is_none());
            self.n_others += usize::from(other.is_some());
            return other.map(Some).ok_or(Refused::NotInSchema);
        }
        let label = std::str::from_utf8(field).map_err(|_| Refused::NotUtf8)?;
        self.add_category(label)
    }

    /// The category that a person would read as the same: it differs in case or blanks, or is the same
    /// number.
    pub(super) fn alike(&self, field: &[u8]) -> Option<&str> {
        let field = std::str::from_utf8(field).ok()?;
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|n| n.is_finite());
        let (own_looks, own_number) = (looks(field), number(field));
        let same = |label: &&String| {
            looks(label) == own_looks || (own_number.is_some() && number(label) == own_number)
        };
        self.categories.iter().find(same).map(String::as_str)
    }

    fn missing_value(&mut self, missing: Missing) -> Result<Option<u16>, Refused> {
        match missing {
            Missing::Refuse => Err(Refused::Missing),
            Missing::DropRow => Ok(None),
            Missing::Category => {
                let mut categories = self.categories.iter();
                match categories.position(|label| label == Missing::LABEL) {
                    Some(code) => Ok(Some(code as u16)),
                    None if self.fixed => Err(Refused::MissingNotInSchema),
                    None => self.add_category(Missing::LABEL),
                }
            }
        }
    }

    fn add_category(&mut self, label: &str) -> Result<Option<u16>, Refused> {
        if self.categories.len() == Schema::MAX_CATEGORIES {
            return Err(Refused::TooManyCategories);
        }
        self.categories.push(label.to_owned());
        Ok(Some(self.categories.len() as u16 - 1))
    }

    /// Whether the labels that were found are numbers, some of them not whole, and too many to be
    /// the levels of something: a measurement that nobody declared.
    pub(super) fn looks_real(&self) -> bool {
        let number = |label: &String| label.trim().parse::<f64>().ok();
        let whole = |label: &String| number(label).is_some_and(|value| value.fract() == 0.0);
        !self.fixed
            && self.categories.len() > MOST_LEVELS
            && self.categories.iter().all(|label| number(label).is_some())
            && !self.categories.iter().all(whole)
    }

    /// The categories and the codes. Inferred categories are those of the remaining rows, sorted.
    pub(super) fn finish(self) -> (Vec<String>, Column) {
        let n_categories = self.categories.len();
        if self.fixed {
            return (self.categories, Column::of_codes(self.codes, n_categories));
        }
        let codes = Column::U16(self.codes);
        let counts = codes.counts(n_categories);
        let used = self.categories.iter().zip(&counts);
        let used = used.filter(|(_, count)| **count > 0);
        let mut sorted: Vec<String> = used.map(|(label, _)| label.clone()).collect();
        Variable::sort_labels(&mut sorted);
        let position: HashMap<&str, u16> = sorted.iter().map(String::as_str).zip(0..).collect();
        let new_code = |label: &String| position.get(label.as_str()).copied().unwrap_or(0);
        let new_codes: Vec<u16> = self.categories.iter().map(new_code).collect();
        let column = codes.recode(&new_codes, sorted.len());
        (sorted, column)
    }
}

/// Up to this many labels are searched in turn; comparing lengths first beats hashing.
const SCAN_LIMIT: usize = 12;

/// Distinct fields of a column, numbered in order of first appearance. Every field of a table passes
/// here once, so the common cases are quick: a field of one byte is one look-up, few labels are
/// compared in turn, many are hashed.
pub(super) struct Labels {
    /// Number plus one of every one-byte label; 0 where there is none.
    single: Box<[u32; 256]>,
    known: Vec<Box<[u8]>>,
    numbers: HashMap<Box<[u8]>, u32>,
}

impl Default for Labels {
    fn default() -> Self {
        Self {
            single: Box::new([0; 256]),
            known: Vec::new(),
            numbers: HashMap::new(),
        }
    }
}

impl Labels {
    #[inline]
    pub(super) fn find(&self, label: &[u8]) -> Option<usize> {
        if let [byte] = label {
            return (self.single[usize::from(*byte)] as usize).checked_sub(1);
        }
        if self.known.len() <= SCAN_LIMIT {
            // Labels such as `level 1`, `level 2` differ at the end.
            let mut known = self.known.iter();
            return known.position(|other| other.last() == label.last() && **other == *label);
        }
        self.numbers.get(label).map(|&number| number as usize)
    }

    /// Adds a label that is not known yet and returns its number.
    pub(super) fn add(&mut self, label: &[u8]) -> usize {
        let number = self.known.len();
        if let [byte] = label {
            self.single[usize::from(*byte)] = number as u32 + 1;
        }
        self.numbers.insert(label.into(), number as u32);
        self.known.push(label.into());
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::TableOptions;
    use crate::read::column_reader::ColumnReader;
    use proptest::prelude::*;

    fn inferred(missing: Missing) -> ColumnReader {
        let options = TableOptions {
            missing,
            ..TableOptions::default()
        };
        ColumnReader::declared("v", &options)
    }

    fn column(missing: Missing, fields: &[&str]) -> (Vec<Result<bool, Refused>>, ColumnReader) {
        let mut column = inferred(missing);
        let taken = fields
            .iter()
            .map(|field| column.push(Some(field.as_bytes())))
            .collect();
        (taken, column)
    }

    #[test]
    fn inferred_categories_are_sorted_as_numbers() {
        let (_, column) = column(Missing::Refuse, &["10", "9", "10", "-1"]);
        let (variable, codes) = column.finish();
        assert_eq!(variable.categories(), ["-1", "9", "10"]);
        assert_eq!(codes, Column::U8(vec![2, 1, 2, 0]));
    }

    #[test]
    fn missing_values_follow_the_choice() {
        let (taken, _) = column(Missing::Refuse, &["a", "NA"]);
        assert_eq!(taken, [Ok(true), Err(Refused::Missing)]);
        let (taken, _) = column(Missing::DropRow, &["a", "", ""]);
        assert_eq!(taken[1..], [Ok(false), Ok(false)]);
        let (_, column) = column(Missing::Category, &["a", "", "null", "Z"]);
        assert_eq!(column.finish().0.categories(), ["NA", "Z", "a"]);
    }

    #[test]
    fn a_listed_label_is_a_category_even_if_it_looks_missing() {
        let variable = Variable::new("v", ["NA", "x"]);
        let mut column = ColumnReader::fixed(&variable, &TableOptions::default());
        assert_eq!(column.push(Some(b"NA")), Ok(true));
        assert_eq!(column.push(Some(b"na")), Err(Refused::Missing));
        assert_eq!(column.push(None), Err(Refused::Missing));
        assert_eq!(column.push(Some(b"y")), Err(Refused::NotInSchema));
        assert_eq!(column.finish(), (variable, Column::U8(vec![0])));
    }

    #[test]
    fn labels_that_are_not_listed_can_be_one_category_unless_they_are_slips() {
        let variable = Variable::new("v", ["yes", "1", "other"]);
        let options = TableOptions {
            other: Some("other".to_owned()),
            ..TableOptions::default()
        };
        let mut column = ColumnReader::fixed(&variable, &options);
        for label in ["yes", "no", "perhaps", "no", "other"] {
            assert_eq!(column.push(Some(label.as_bytes())), Ok(true));
        }
        for slip in ["Yes", " yes ", "1.0"] {
            let refused = column.push(Some(slip.as_bytes()));
            assert_eq!(refused, Err(Refused::NotInSchema), "{slip}");
        }
        assert_eq!(column.push(Some(b"")), Err(Refused::Missing));
        assert_eq!(column.n_others(), 2);
        assert_eq!(column.finish().1, Column::U8(vec![0, 2, 2, 2, 2]));
        // A variable without that category has none for others.
        let mut column = ColumnReader::fixed(&Variable::new("v", ["yes"]), &options);
        assert_eq!(column.push(Some(b"no")), Err(Refused::NotInSchema));
    }

    #[test]
    fn many_fractions_look_real_and_few_levels_do_not() {
        let found = |labels: Vec<String>| {
            let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
            column(Missing::Refuse, &labels).1.looks_real()
        };
        let fractions = |n: usize| (0..n).map(|i| format!("{i}.5")).collect::<Vec<_>>();
        assert!(found(fractions(MOST_LEVELS + 1)));
        assert!(!found(fractions(MOST_LEVELS)));
        assert!(!found((0..100).map(|i| i.to_string()).collect()));
        assert!(!found([fractions(30), vec!["low".into()]].concat()));
    }

    #[test]
    fn more_categories_than_codes_are_refused() {
        let mut column = inferred(Missing::Refuse);
        for value in 0..Schema::MAX_CATEGORIES {
            column.push(Some(value.to_string().as_bytes())).unwrap();
        }
        let refused = column.push(Some(b"65535"));
        assert_eq!(refused, Err(Refused::TooManyCategories));
    }

    proptest! {
        #[test]
        fn numbers_follow_first_appearance(
            fields in prop::collection::vec(prop::collection::vec(0..4u8, 0..4), 0..80)
        ) {
            let mut labels = Labels::default();
            let mut model: Vec<Vec<u8>> = Vec::new();
            for field in fields {
                let expected = model.iter().position(|known| *known == field);
                prop_assert_eq!(labels.find(&field), expected);
                if expected.is_none() {
                    prop_assert_eq!(labels.add(&field), model.len());
                    model.push(field);
                }
            }
        }
    }
}
