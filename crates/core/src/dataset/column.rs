//! One variable's category codes, in one byte each where the categories fit.

/// Category codes of all samples of one variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// At most 256 categories.
    U8(Vec<u8>),
    /// More than 256 categories.
    U16(Vec<u16>),
}

impl Column {
    /// An empty column for codes below `n_categories`, with room for `capacity` samples.
    pub fn with_capacity(n_categories: usize, capacity: usize) -> Self {
        if n_categories <= 256 {
            Self::U8(Vec::with_capacity(capacity))
        } else {
            Self::U16(Vec::with_capacity(capacity))
        }
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        match self {
            Self::U8(codes) => codes.len(),
            Self::U16(codes) => codes.len(),
        }
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Code of one sample.
    pub fn get(&self, sample: usize) -> u16 {
        match self {
            Self::U8(codes) => u16::from(codes[sample]),
            Self::U16(codes) => codes[sample],
        }
    }

    /// Appends a code; it must fit the width chosen at creation.
    pub fn push(&mut self, code: u16) {
        match self {
            Self::U8(codes) => codes.push(u8::try_from(code).expect("code fits its column")),
            Self::U16(codes) => codes.push(code),
        }
    }

    /// Codes of all samples, in order.
    pub fn codes(&self) -> Box<dyn Iterator<Item = u16> + '_> {
        match self {
            Self::U8(codes) => Box::new(codes.iter().map(|&code| u16::from(code))),
            Self::U16(codes) => Box::new(codes.iter().copied()),
        }
    }

    /// The codes at these samples, in this order.
    #[must_use]
    pub fn select(&self, samples: &[usize]) -> Self {
        match self {
            Self::U8(codes) => Self::U8(samples.iter().map(|&s| codes[s]).collect()),
            Self::U16(codes) => Self::U16(samples.iter().map(|&s| codes[s]).collect()),
        }
    }

    /// The same samples under new codes: `codes[old]` replaces `old`, for `n_categories` in all.
    #[must_use]
    pub fn recode(&self, codes: &[u16], n_categories: usize) -> Self {
        let mut recoded = Self::with_capacity(n_categories, self.len());
        for code in self.codes() {
            recoded.push(codes[usize::from(code)]);
        }
        recoded
    }

    /// How often each of `n_categories` codes occurs.
    pub fn counts(&self, n_categories: usize) -> Vec<usize> {
        let mut counts = vec![0; n_categories];
        for code in self.codes() {
            counts[usize::from(code)] += 1;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn width_follows_the_number_of_categories() {
        assert!(matches!(Column::with_capacity(256, 0), Column::U8(_)));
        assert!(matches!(Column::with_capacity(257, 0), Column::U16(_)));
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
}
