//! Which rows feed which steps: the held-out fold, and the cycle through the regimes.

use fedcdi_core::Seed;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::fit::batches::Batches;
use crate::fit::samples::Samples;

/// One observational row in this many is held out.
const PARTS: usize = 5;

/// Whether there are observational rows enough to spare some.
pub(crate) fn can_hold_out(samples: &Samples) -> bool {
    samples.observational().len() >= 2 * PARTS
}

/// Rows that the networks of a round train on, and rows that they never see: part `number` (modulo
/// [`PARTS`]) of a shuffle that depends on `seed` alone, so consecutive numbers rotate through all.
pub(crate) fn divide(rows: &[u32], number: usize, seed: &Seed) -> (Vec<u32>, Vec<u32>) {
    let mut shuffled = rows.to_vec();
    shuffled.shuffle(&mut seed.rng());
    let part = |held_out: bool| {
        let rows = shuffled.iter().enumerate();
        let rows = rows.filter(|(at, _)| (at % PARTS == number % PARTS) == held_out);
        rows.map(|(_, row)| *row).collect()
    };
    (part(false), part(true))
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
        for number in 0..PARTS {
            let (training, part) = divide(&rows, number, &Seed::new(4));
            assert!(part.iter().all(|row| !training.contains(row)));
            assert_eq!(part.len() + training.len(), 23);
            held_out.extend(part);
        }
        held_out.sort_unstable();
        assert_eq!(held_out, rows);
    }
}
