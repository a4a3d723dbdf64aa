//! Which rows feed which steps: the held-out fold, and the cycle through the regimes.

use fedcdi_core::Seed;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::fit::batches::Batches;
use crate::fit::samples::Samples;

/// Observational rows of one round: those the networks train on, those they never see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fold {
    pub training: Vec<u32>,
    /// Rows for graph fitting; empty if no rows are held out.
    pub held_out: Vec<u32>,
}

impl Fold {
    /// One row in this many is held out.
    pub(crate) const PARTS: usize = 5;

    /// Whether there are observational rows enough to spare some.
    pub(crate) fn can_hold_out(samples: &Samples) -> bool {
        samples.observational().len() >= 2 * Self::PARTS
    }

    pub(crate) fn all(rows: &[u32]) -> Self {
        Self {
            training: rows.to_vec(),
            held_out: Vec::new(),
        }
    }

    /// Holds out part `number` (modulo [`Self::PARTS`]) of a shuffle that depends on `seed` alone,
    /// so consecutive numbers rotate through all rows.
    pub(crate) fn new(rows: &[u32], number: usize, seed: &Seed) -> Self {
        let mut shuffled = rows.to_vec();
        shuffled.shuffle(&mut seed.rng());
        let part = |held_out: bool| {
            let rows = shuffled.iter().enumerate();
            let rows =
                rows.filter(|(at, _)| (at % Self::PARTS == number % Self::PARTS) == held_out);
            rows.map(|(_, row)| *row).collect()
        };
        Self {
            training: part(false),
            held_out: part(true),
        }
    }
}

/// Cycles through reshuffled lists of regimes, with a share of steps on held-out rows between.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    regimes: Vec<Batches>,
    held_out: Batches,
    share: f64,
    step: usize,
    order: Vec<usize>,
    at: usize,
    rng: ChaCha8Rng,
}

impl Schedule {
    /// `share` of the steps use `held_out`; all of them if there are no interventional rows.
    pub(crate) fn new(samples: &Samples, held_out: Vec<u32>, share: f64, seed: &Seed) -> Self {
        let regimes = samples.interventional().iter().enumerate();
        let regimes: Vec<Batches> = regimes
            .map(|(k, regime)| Batches::new(regime.samples.clone(), &seed.derive("regime", k)))
            .collect();
        let share = match (held_out.is_empty(), regimes.is_empty()) {
            (true, _) => 0.0,
            (false, true) => 1.0,
            (false, false) => share,
        };
        Self {
            order: (0..regimes.len()).collect(),
            at: regimes.len(),
            regimes,
            held_out: Batches::new(held_out, &seed.derive("held out", 0)),
            share,
            step: 0,
            rng: seed.derive("cycle", 0).rng(),
        }
    }

    /// The regime that the next step takes its rows from, `None` for held-out rows, and (at most)
    /// `size` of them. There must be either.
    pub(crate) fn next(&mut self, size: usize) -> (Option<usize>, &[u32]) {
        let whole = |steps: usize| (steps as f64 * self.share).floor();
        let held_out = whole(self.step + 1) > whole(self.step);
        self.step += 1;
        if held_out {
            return (None, self.held_out.next(size));
        }
        if self.at == self.order.len() {
            self.order.shuffle(&mut self.rng);
            self.at = 0;
        }
        let regime = self.order[self.at];
        self.at += 1;
        (Some(regime), self.regimes[regime].next(size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_rotate_through_all_rows() {
        let rows: Vec<u32> = (0..23).collect();
        let mut held_out: Vec<u32> = Vec::new();
        for number in 0..Fold::PARTS {
            let fold = Fold::new(&rows, number, &Seed::new(4));
            assert!(fold.held_out.iter().all(|row| !fold.training.contains(row)));
            assert_eq!(fold.held_out.len() + fold.training.len(), 23);
            held_out.extend(fold.held_out);
        }
        held_out.sort_unstable();
        assert_eq!(held_out, rows);
    }
}
