//! Fast Bernoulli draws: 31-bit integers compared with thresholds.

use fedcdi_core::Seed;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A stream of draws, seeded from a [`Seed`]; the numbers do not depend on the machine.
#[derive(Clone, Debug)]
pub(crate) struct Draws {
    rng: Xoshiro256PlusPlus,
}

/// One more than the largest draw: the threshold that every draw is below.
pub(crate) const ALWAYS: u32 = 1 << 31;

/// The threshold that a draw is below with probability `p`, exactly never or always at 0 and 1.
pub(crate) fn threshold(p: f64) -> u32 {
    (p.clamp(0.0, 1.0) * f64::from(ALWAYS)).round() as u32
}

impl Draws {
    pub(crate) fn new(seed: &Seed) -> Self {
        Self {
            rng: Xoshiro256PlusPlus::from_rng(&mut seed.rng()),
        }
    }

    #[inline]
    pub(crate) fn fill(&mut self, draws: &mut [u32]) {
        let mut pairs = draws.chunks_exact_mut(2);
        for pair in &mut pairs {
            let bits = self.rng.next_u64();
            pair[0] = (bits >> 33) as u32;
            pair[1] = (bits as u32) >> 1;
        }
        for draw in pairs.into_remainder() {
            *draw = (self.rng.next_u64() >> 33) as u32;
        }
    }

    /// The generator itself, for anything but Bernoulli draws.
    pub(crate) fn rng(&mut self) -> &mut impl Rng {
        &mut self.rng
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_are_certain() {
        let mut draws = [0; 1001];
        Draws::new(&Seed::new(1)).fill(&mut draws);
        assert!(draws.iter().all(|d| *d < threshold(1.0)));
        assert!(draws.iter().all(|d| *d >= threshold(0.0)));
    }

    #[test]
    fn frequencies_match_within_four_deviations() {
        let n = 100_000;
        let mut draws = vec![0; n];
        Draws::new(&Seed::new(2)).fill(&mut draws);
        for p in [0.01, 0.25, 0.9] {
            let hits = draws.iter().filter(|d| **d < threshold(p)).count();
            let deviation = (n as f64 * p * (1.0 - p)).sqrt();
            assert!((hits as f64 - n as f64 * p).abs() < 4.0 * deviation);
        }
    }
}
