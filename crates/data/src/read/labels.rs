//! Distinct fields of a column, numbered in order of first appearance.
//!
//! Every field of a table passes here once, so the common cases are quick: a field of one byte is
//! one look-up, few labels are compared in turn, many are hashed.

use std::collections::HashMap;

/// Up to this many labels are searched in turn; comparing lengths first beats hashing.
const SCAN_LIMIT: usize = 12;

/// Numbers byte strings.
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
    /// The number of a label that is known.
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
    use proptest::prelude::*;

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
