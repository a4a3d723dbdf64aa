//! A set of variables as a bit set: parent sets, masks and reachability on hot paths.

use crate::variable::VarId;

/// A subset of `0..n_vars`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VarSet {
    words: Vec<u64>,
}

impl VarSet {
    /// The empty subset of `n_vars` variables.
    pub fn empty(n_vars: usize) -> Self {
        Self {
            words: vec![0; n_vars.div_ceil(64)],
        }
    }

    /// The subset with these members.
    pub fn from_members(n_vars: usize, members: impl IntoIterator<Item = VarId>) -> Self {
        let mut set = Self::empty(n_vars);
        for member in members {
            set.insert(member);
        }
        set
    }

    /// Adds a member; true if it is new.
    pub fn insert(&mut self, var: VarId) -> bool {
        let (word, bit) = (var.index() / 64, 1 << (var.index() % 64));
        let new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        new
    }

    /// Removes a member; true if it was there.
    pub fn remove(&mut self, var: VarId) -> bool {
        let (word, bit) = (var.index() / 64, 1 << (var.index() % 64));
        let present = self.words[word] & bit != 0;
        self.words[word] &= !bit;
        present
    }

    /// Whether `var` is a member.
    pub fn contains(&self, var: VarId) -> bool {
        self.words[var.index() / 64] >> (var.index() % 64) & 1 == 1
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|w| *w == 0)
    }

    /// Members in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = VarId> + '_ {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(VarId(at * 64 + bit))
            })
        })
    }

    /// This set and `var`.
    #[must_use]
    pub fn with(&self, var: VarId) -> Self {
        let mut set = self.clone();
        set.insert(var);
        set
    }

    /// This set but not `var`.
    #[must_use]
    pub fn without(&self, var: VarId) -> Self {
        let mut set = self.clone();
        set.remove(var);
        set
    }

    /// Members of this set or of `other`; both must be over the same variables.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut set = self.clone();
        set.union_with(other);
        set
    }

    /// Adds all members of `other`; both must be over the same variables.
    pub fn union_with(&mut self, other: &Self) {
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    /// Removes all members of `other`; both must be over the same variables.
    pub fn difference_with(&mut self, other: &Self) {
        for (word, less) in self.words.iter_mut().zip(&other.words) {
            *word &= !less;
        }
    }

    /// Keeps the members that are also in `other`; both must be over the same variables.
    pub fn intersect_with(&mut self, other: &Self) {
        for (word, keep) in self.words.iter_mut().zip(&other.words) {
            *word &= keep;
        }
    }

    /// Whether every member is also in `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        let mut words = self.words.iter().zip(&other.words);
        words.all(|(a, b)| a & !b == 0)
    }

    /// Whether the two have a member in common.
    pub fn intersects(&self, other: &Self) -> bool {
        let mut words = self.words.iter().zip(&other.words);
        words.any(|(a, b)| a & b != 0)
    }

    /// The bits, 64 variables a word.
    pub fn words(&self) -> &[u64] {
        &self.words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn behaves_as_a_sorted_set(ops in prop::collection::vec((0..130usize, any::<bool>()), 0..60)) {
            let mut set = VarSet::empty(130);
            let mut model = BTreeSet::new();
            for (var, add) in ops {
                let (changed, expected) = if add {
                    (set.insert(VarId(var)), model.insert(VarId(var)))
                } else {
                    (set.remove(VarId(var)), model.remove(&VarId(var)))
                };
                prop_assert_eq!(changed, expected);
            }
            prop_assert_eq!(set.len(), model.len());
            prop_assert!(set.iter().eq(model.iter().copied()));
        }

        #[test]
        fn combines_as_sorted_sets_do(
            a in prop::collection::btree_set((0..130usize).prop_map(VarId), 0..60),
            b in prop::collection::btree_set((0..130usize).prop_map(VarId), 0..60),
        ) {
            let set = |model: &BTreeSet<VarId>| VarSet::from_members(130, model.iter().copied());
            let (mut union, mut less, mut both) = (set(&a), set(&a), set(&a));
            union.union_with(&set(&b));
            less.difference_with(&set(&b));
            both.intersect_with(&set(&b));
            prop_assert_eq!(&union, &set(&a).union(&set(&b)));
            prop_assert_eq!(union, set(&a.union(&b).copied().collect()));
            let one = VarId(64);
            prop_assert!(set(&a).with(one).contains(one) && !set(&a).without(one).contains(one));
            prop_assert_eq!(set(&a).with(one).without(one), set(&a).without(one));
            prop_assert_eq!(less, set(&a.difference(&b).copied().collect()));
            prop_assert_eq!(both, set(&a.intersection(&b).copied().collect()));
            prop_assert_eq!(set(&a).is_subset(&set(&b)), a.is_subset(&b));
            prop_assert_eq!(set(&a).intersects(&set(&b)), !a.is_disjoint(&b));
        }
    }
}
