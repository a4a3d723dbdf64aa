//! The result of a run so far: a mean over its last rounds.
//!
//! Ours. Every round fits new networks, so of the pairs that the data hardly decide another one is
//! wrong in each round; what most rounds agree on is right more often than the last word. The mean
//! is of logits, and only the result is averaged: what is sent to the clients is the last
//! aggregate, so averaging changes nothing in the rounds themselves.

use std::collections::VecDeque;

use fedcdi_core::{Belief, BeliefError};

/// The aggregates of the last rounds, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Recent {
    beliefs: VecDeque<Belief>,
    rounds: usize,
}

impl Recent {
    /// Adds a round, and gives the mean of the last `most`, but no more than half of all (the first
    /// rounds know little).
    pub(super) fn add(&mut self, belief: Belief, most: u32) -> Result<Belief, BeliefError> {
        self.rounds += 1;
        let window = self.rounds.div_ceil(2).min(most as usize).max(1);
        self.beliefs.push_back(belief);
        while self.beliefs.len() > (most as usize).max(1) {
            self.beliefs.pop_front();
        }
        let last: Vec<&Belief> = self.beliefs.iter().rev().take(window).collect();
        Belief::mean(&last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn belief(existence: f64) -> Belief {
        let orientation = array![[0.0, -existence], [existence, 0.0]];
        Belief::new(array![[0.0, existence], [1.0, 0.0]], orientation).unwrap()
    }

    #[test]
    fn the_window_is_half_of_the_rounds_up_to_the_limit() {
        let mut recent = Recent::default();
        let values = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];
        let means = values.map(|value| recent.add(belief(value), 3).unwrap());
        let means = means.map(|belief| belief.existence()[(0, 1)]);
        // Windows of 1, 1, 2, 2, 3, 3, 3 rounds.
        let expected = [1.0, 2.0, 3.0, 6.0, 28.0 / 3.0, 56.0 / 3.0, 112.0 / 3.0];
        for (found, expected) in means.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{means:?}");
        }
    }

    #[test]
    fn a_window_of_one_is_the_last_round_bit_for_bit() {
        let mut recent = Recent::default();
        for value in [0.1, 0.7, 1e-3] {
            assert_eq!(recent.add(belief(value), 1).unwrap(), belief(value));
        }
    }
}
