//! What is to be asked of the sites next, once for all who want it.

use std::collections::{BTreeMap, BTreeSet};

use crate::ask::{Cells, MOST_NUMBERS, Slope};
use crate::engine::Pending;
use crate::known::Known;

/// Counts, and slopes with what they are for. What several want is asked once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) counts: BTreeSet<Cells>,
    pub(crate) slopes: BTreeMap<Pending, Vec<Slope>>,
}

impl Wanted {
    pub(crate) fn is_empty(&self) -> bool {
        self.counts.is_empty() && self.slopes.is_empty()
    }

    pub(crate) fn count(&mut self, cells: Cells) {
        self.counts.insert(cells);
    }

    pub(crate) fn want(&mut self, pending: Pending, slopes: Vec<Slope>) {
        self.slopes.insert(pending, slopes);
    }

    /// Wants those of these cells that are not known; whether there are any.
    pub(crate) fn needs(&mut self, known: &Known, cells: Vec<Cells>) -> bool {
        let missing = cells.into_iter().filter(|cells| !known.has(cells));
        let missing: Vec<Cells> = missing.collect();
        let is_missing = !missing.is_empty();
        self.counts.extend(missing);
        is_missing
    }

    /// Forgets what is known, and what no question has room for.
    pub(crate) fn retain(&mut self, known: &Known) {
        let outline = &known.outline;
        (self.counts).retain(|cells| !known.has(cells) && cells.n_numbers(outline) <= MOST_NUMBERS);
        (self.slopes).retain(|_, slopes| {
            let numbers = slopes.iter().map(|slope| slope.n_numbers(outline));
            numbers.sum::<usize>() <= MOST_NUMBERS
        });
    }

    /// Wants what another one wants, too.
    pub(crate) fn merge(&mut self, other: Self) {
        self.counts.extend(other.counts);
        self.slopes.extend(other.slopes);
    }
}
