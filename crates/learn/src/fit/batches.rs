//! Batches from shuffled passes over the samples.

use fedcdi_core::Seed;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Hands out batches: shuffled passes without their last incomplete batch; all samples each time
/// if there are no more than one batch.
#[derive(Clone, Debug)]
pub struct Batches {
    order: Vec<u32>,
    at: usize,
    rng: ChaCha8Rng,
}

impl Batches {
    /// Batches of these samples.
    pub fn new(samples: Vec<u32>, seed: &Seed) -> Self {
        Self {
            at: samples.len(),
            order: samples,
            rng: seed.rng(),
        }
    }

    /// The next batch of (at most) `size` samples.
    pub fn next(&mut self, size: usize) -> &[u32] {
        if self.order.len() <= size {
            return &self.order;
        }
        if self.at + size > self.order.len() {
            self.order.shuffle(&mut self.rng);
            self.at = 0;
        }
        self.at += size;
        &self.order[self.at - size..self.at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_has_every_sample_at_most_once() {
        let mut batches = Batches::new((0..10).collect(), &Seed::new(1));
        let mut pass: Vec<u32> = (0..3).flat_map(|_| batches.next(3).to_vec()).collect();
        pass.sort_unstable();
        pass.dedup();
        assert_eq!(pass.len(), 9);
        assert_eq!(batches.next(99).len(), 10);
    }
}
