//! Rows with equal input lists are evaluated once.
//!
//! A list of table rows names both the parent set and the parents' values, so two lists are equal
//! exactly when the network cannot tell the two rows apart.

use super::RowLists;

/// Finds lists that were seen before. Keys are sums of one fixed random number per table row;
/// equal keys are always confirmed by comparing the lists.
#[derive(Clone, Debug)]
pub(crate) struct Distinct {
    keys: Vec<u64>,
    /// Number of the list plus one, zero for an empty slot; a power of two of slots.
    slots: Vec<u32>,
}

impl Distinct {
    /// For lists over a table of `n_rows`, at most `capacity` different ones at a time.
    pub(crate) fn new(n_rows: usize, capacity: usize) -> Self {
        // SplitMix64, whose outputs for consecutive inputs are as good as random.
        let mix = |i: usize| {
            let mut z = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        };
        Self {
            keys: (0..n_rows).map(mix).collect(),
            slots: vec![0; (4 * capacity).next_power_of_two()],
        }
    }

    pub(crate) fn clear(&mut self) {
        self.slots.fill(0);
    }

    /// Finishes the open list of `lists`, or drops it if it equals one finished since the last
    /// [`Self::clear`]; either way, the number of the list that stands for it.
    #[inline]
    pub(crate) fn close(&mut self, lists: &mut RowLists) -> u32 {
        let sum = |key: u64, row: &u32| key.wrapping_add(self.keys[*row as usize]);
        let key = lists.open_list().iter().fold(0, sum);
        let mask = self.slots.len() - 1;
        let mut slot = (key >> 32) as usize & mask;
        while self.slots[slot] != 0 {
            let number = self.slots[slot] - 1;
            if lists.list(number as usize) == lists.open_list() {
                lists.drop_open_list();
                return number;
            }
            slot = (slot + 1) & mask;
        }
        let number = lists.len() as u32;
        self.slots[slot] = number + 1;
        lists.finish_list();
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equal_lists_share_a_number(all in prop::collection::vec(prop::collection::btree_set(0..6u32, 0..3), 1..40)) {
            let mut lists = RowLists::default();
            let mut distinct = Distinct::new(6, all.len());
            let numbers: Vec<u32> = all.iter().map(|set| {
                let set: Vec<u32> = set.iter().copied().collect();
                lists.push_members(&set, &(0..set.len() as u32).collect::<Vec<_>>());
                distinct.close(&mut lists)
            }).collect();
            for (set, number) in all.iter().zip(numbers) {
                let set: Vec<u32> = set.iter().copied().collect();
                prop_assert_eq!(lists.list(number as usize), &set);
            }
            let different: std::collections::BTreeSet<_> = all.iter().collect();
            prop_assert_eq!(lists.len(), different.len());
        }
    }
}
