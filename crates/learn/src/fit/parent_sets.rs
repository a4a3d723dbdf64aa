//! The distinct parent sets of one variable among many sampled graphs.
//!
//! The likelihood of a variable depends on its own column of a sampled graph alone, so sets that
//! coincide are counted and evaluated once.

use crate::fit::draws::Draws;

/// Distinct sets of causes, each with the number of sampled graphs that have it.
#[derive(Clone, Debug, Default)]
pub(crate) struct ParentSets {
    n_vars: usize,
    n_words: usize,
    /// `[set, word]`, one bit per cause.
    words: Vec<u64>,
    counts: Vec<u32>,
    /// Scratch: uniform draws of one graph, and the hash slots.
    draws: Vec<u32>,
    slots: Vec<u32>,
}

impl ParentSets {
    pub(crate) fn new(n_vars: usize) -> Self {
        Self {
            n_vars,
            n_words: n_vars.div_ceil(64),
            draws: vec![0; n_vars],
            ..Self::default()
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.counts.len()
    }

    pub(crate) fn count(&self, set: usize) -> u32 {
        self.counts[set]
    }

    /// The bits of a set, 64 causes a word.
    pub(crate) fn words(&self, set: usize) -> &[u64] {
        &self.words[set * self.n_words..][..self.n_words]
    }

    /// Causes in a set, increasing.
    pub(crate) fn members(&self, set: usize) -> impl Iterator<Item = u32> + '_ {
        self.words(set).iter().enumerate().flat_map(|(at, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(at as u32 * 64 + bit)
            })
        })
    }

    /// Forgets all sets and prepares for at most `capacity` new ones.
    pub(crate) fn clear(&mut self, capacity: usize) {
        self.words.clear();
        self.counts.clear();
        self.slots.clear();
        self.slots.resize((4 * capacity).next_power_of_two(), 0);
    }

    /// Draws this variable's parents in `n_graphs` graphs, cause `i` below `thresholds[i]`.
    pub(crate) fn sample(&mut self, thresholds: &[u32], n_graphs: usize, draws: &mut Draws) {
        self.clear(n_graphs);
        let thresholds = &thresholds[..self.n_vars];
        for _ in 0..n_graphs {
            draws.fill(&mut self.draws);
            for (draws, thresholds) in self.draws.chunks(64).zip(thresholds.chunks(64)) {
                let mut word = 0;
                for (bit, (draw, threshold)) in draws.iter().zip(thresholds).enumerate() {
                    word |= u64::from(draw < threshold) << bit;
                }
                self.words.push(word);
            }
            self.close();
        }
    }

    #[cfg(test)]
    pub(crate) fn push(&mut self, members: impl IntoIterator<Item = usize>) {
        let open = self.words.len();
        self.words.resize(open + self.n_words, 0);
        for member in members {
            self.words[open + member / 64] |= 1 << (member % 64);
        }
        self.close();
    }

    /// Counts the words at the end as a set: a new one, or one more of an old one.
    fn close(&mut self) {
        let open = self.words.len() - self.n_words;
        let hash = self.words[open..].iter().fold(0u64, |hash, word| {
            (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        let mask = self.slots.len() - 1;
        let mut slot = (hash >> 40) as usize & mask;
        while self.slots[slot] != 0 {
            let set = self.slots[slot] as usize - 1;
            if self.words(set) == &self.words[open..] {
                self.counts[set] += 1;
                self.words.truncate(open);
                return;
            }
            slot = (slot + 1) & mask;
        }
        self.counts.push(1);
        self.slots[slot] = self.counts.len() as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::draws::{ALWAYS, threshold};
    use fedcdi_core::Seed;

    #[test]
    fn equal_sets_are_counted() {
        let mut sets = ParentSets::new(70);
        sets.clear(4);
        for members in [&[1, 69][..], &[], &[1, 69], &[69]] {
            sets.push(members.iter().copied());
        }
        assert_eq!(sets.len(), 3);
        assert_eq!((sets.count(0), sets.count(1)), (2, 1));
        assert_eq!(sets.members(0).collect::<Vec<_>>(), [1, 69]);
    }

    #[test]
    fn certain_causes_are_in_every_set() {
        let mut sets = ParentSets::new(5);
        let thresholds = [0, ALWAYS, 0, threshold(0.5), 0];
        sets.sample(&thresholds, 100, &mut Draws::new(&Seed::new(3)));
        assert_eq!(sets.len(), 2);
        for set in 0..2 {
            assert_eq!(sets.words(set)[0] & 0b10111, 0b10);
        }
        assert_eq!(sets.count(0) + sets.count(1), 100);
    }
}
