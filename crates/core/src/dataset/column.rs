//! One variable's values: category codes in one byte each where the categories fit, or reals.

use crate::variable::Variable;

/// Values of all samples of one variable.
///
/// Reals compare by their bits, which is what makes tables comparable: a [`Dataset`](super::Dataset)
/// has none that is not finite.
#[derive(Clone, Debug)]
pub enum Column {
    /// At most 256 categories.
    U8(Vec<u8>),
    /// More than 256 categories.
    U16(Vec<u16>),
    /// Real numbers.
    Real(Vec<f64>),
}

impl PartialEq for Column {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::U8(a), Self::U8(b)) => a == b,
            (Self::U16(a), Self::U16(b)) => a == b,
            (Self::Real(a), Self::Real(b)) => {
                let bits = |value: &f64| value.to_bits();
                a.iter().map(bits).eq(b.iter().map(bits))
            }
            _ => false,
        }
    }
}

impl Eq for Column {}

impl Column {
    /// An empty column for values of `variable`, with room for `capacity` samples.
    pub fn of(variable: &Variable, capacity: usize) -> Self {
        match variable.n_categories() {
            _ if variable.is_real() => Self::Real(Vec::with_capacity(capacity)),
            0..=256 => Self::U8(Vec::with_capacity(capacity)),
            _ => Self::U16(Vec::with_capacity(capacity)),
        }
    }

    /// A column of these codes, all below `n_categories`.
    pub fn of_codes(codes: Vec<u16>, n_categories: usize) -> Self {
        if n_categories <= 256 {
            Self::U8(codes.into_iter().map(|code| code as u8).collect())
        } else {
            Self::U16(codes)
        }
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        match self {
            Self::U8(codes) => codes.len(),
            Self::U16(codes) => codes.len(),
            Self::Real(values) => values.len(),
        }
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The real numbers, in order; `None` of a categorical column.
    pub fn reals(&self) -> Option<&[f64]> {
        match self {
            Self::Real(values) => Some(values),
            Self::U8(_) | Self::U16(_) => None,
        }
    }

    /// Code of one sample. Panics if the column is real.
    pub fn get(&self, sample: usize) -> u16 {
        match self {
            Self::U8(codes) => u16::from(codes[sample]),
            Self::U16(codes) => codes[sample],
            Self::Real(_) => panic!("a categorical column"),
        }
    }

    /// Appends a code; it must fit the width chosen at creation. Panics if the column is real.
    pub fn push(&mut self, code: u16) {
        match self {
            Self::U8(codes) => codes.push(u8::try_from(code).expect("code fits its column")),
            Self::U16(codes) => codes.push(code),
            Self::Real(_) => panic!("a categorical column"),
        }
    }

    /// Appends all samples of `other`, which is of the same kind and has no larger codes. Panics if
    /// one is real and the other not.
    pub fn append(&mut self, other: &Self) {
        match (self, other) {
            (Self::Real(all), Self::Real(values)) => all.extend_from_slice(values),
            (codes, other) => other.codes().for_each(|code| codes.push(code)),
        }
    }

    /// Codes of all samples, in order. Panics if the column is real.
    pub fn codes(&self) -> Box<dyn Iterator<Item = u16> + '_> {
        match self {
            Self::U8(codes) => Box::new(codes.iter().map(|&code| u16::from(code))),
            Self::U16(codes) => Box::new(codes.iter().copied()),
            Self::Real(_) => panic!("a categorical column"),
        }
    }

    /// The values at these samples, in this order.
    #[must_use]
    pub fn select(&self, samples: &[usize]) -> Self {
        match self {
            Self::U8(codes) => Self::U8(samples.iter().map(|&s| codes[s]).collect()),
            Self::U16(codes) => Self::U16(samples.iter().map(|&s| codes[s]).collect()),
            Self::Real(values) => Self::Real(samples.iter().map(|&s| values[s]).collect()),
        }
    }

    /// The same samples under new codes: `codes[old]` replaces `old`, for `n_categories` in all.
    /// Panics if the column is real.
    #[must_use]
    pub fn recode(&self, codes: &[u16], n_categories: usize) -> Self {
        let recoded = self.codes().map(|code| codes[usize::from(code)]);
        Self::of_codes(recoded.collect(), n_categories)
    }

    /// How often each of `n_categories` codes occurs. Panics if the column is real.
    pub fn counts(&self, n_categories: usize) -> Vec<usize> {
        let Self::U8(codes) = self else {
            let mut counts = vec![0; n_categories];
            self.codes().for_each(|code| counts[usize::from(code)] += 1);
            return counts;
        };
        // In one table of counts a sample would wait for an equal one before it.
        let mut tables = [[0usize; 256]; 4];
        let (fours, rest) = codes.as_chunks::<4>();
        for four in fours {
            for (table, code) in tables.iter_mut().zip(four) {
                table[usize::from(*code)] += 1;
            }
        }
        for code in rest {
            tables[0][usize::from(*code)] += 1;
        }
        let sum = |code: usize| tables.iter().map(|table| table[code]).sum();
        (0..n_categories).map(sum).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn width_follows_the_number_of_categories() {
        let column = |n_categories| Column::of(&Variable::with_codes("v", n_categories), 0);
        assert!(matches!(column(256), Column::U8(_)));
        assert!(matches!(column(257), Column::U16(_)));
    }

    #[test]
    fn reals_compare_by_bits() {
        let column = |value| Column::Real(vec![1.5, value]);
        assert_eq!(column(0.1), column(0.1));
        assert_ne!(column(0.0), column(-0.0));
        assert_ne!(column(1.0), Column::U8(vec![1, 1]));
    }

    #[test]
    fn recoding_may_widen_a_column() {
        let narrow = Column::U8(vec![0, 1, 0]);
        assert_eq!(
            narrow.recode(&[300, 2], 301),
            Column::U16(vec![300, 2, 300])
        );
        assert_eq!(narrow.counts(3), [2, 1, 0]);
    }

    #[test]
    fn quick_counts_are_the_counts() {
        for n in 0..10 {
            let codes: Vec<u8> = (0..n).map(|at| at * at % 5).collect();
            let wide = Column::U16(codes.iter().map(|code| u16::from(*code)).collect());
            assert_eq!(Column::U8(codes).counts(5), wide.counts(5));
        }
    }
}
