//! Means over seeds, and how far they can be trusted.
//!
//! Intervals are 95 % percentile bootstrap intervals: seeds are drawn with replacement, the mean of
//! each of 2000 such samples is taken, and the middle 95 % of these means is the interval. The draws
//! come from a fixed stream that depends on the number of seeds alone, so the same values always
//! have the same interval.

use std::collections::BTreeMap;

use fedcdi_core::Seed;
use rand::RngExt;

pub(crate) const RESAMPLES: usize = 2000;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stat {
    pub(crate) n: usize,
    pub(crate) mean: f64,
    /// Their standard deviation (n - 1); 0 for a single value.
    pub(crate) sd: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// Makes [`Stat`]s; keeps the draws, which are the same for all samples of one size.
#[derive(Default)]
pub(crate) struct Bootstrap {
    draws: BTreeMap<usize, Vec<usize>>,
}

impl Bootstrap {
    /// Mean, deviation and interval; nothing without values.
    pub(crate) fn stat(&mut self, values: &[f64]) -> Option<Stat> {
        let n = values.len();
        if n == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / n as f64;
        let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        let sd = if n > 1 {
            (squares / (n - 1) as f64).sqrt()
        } else {
            0.0
        };
        let draws = self.draws.entry(n).or_insert_with(|| draws(n));
        let mean_of = |sample: &[usize]| {
            let sum: f64 = sample.iter().map(|at| values[*at]).sum();
            sum / n as f64
        };
        let mut means: Vec<f64> = draws.chunks_exact(n).map(mean_of).collect();
        means.sort_by(f64::total_cmp);
        Some(Stat {
            n,
            mean,
            sd,
            low: quantile(&means, 0.025),
            high: quantile(&means, 0.975),
        })
    }

    /// Of the differences `values - reference` over the seeds that both have.
    pub(crate) fn difference(
        &mut self,
        values: &BTreeMap<u64, f64>,
        reference: &BTreeMap<u64, f64>,
    ) -> Option<Stat> {
        let difference = |(seed, value): (&u64, &f64)| Some(value - reference.get(seed)?);
        let differences: Vec<f64> = values.iter().filter_map(difference).collect();
        self.stat(&differences)
    }
}

fn draws(n: usize) -> Vec<usize> {
    let mut rng = Seed::new(0).derive("bootstrap", n).rng();
    (0..RESAMPLES * n).map(|_| rng.random_range(0..n)).collect()
}

/// Of sorted values, with a straight line between neighbours.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let at = q * (sorted.len() - 1) as f64;
    let below = at.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (at - below as f64) * (sorted[above] - sorted[below])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_an_interval_of_no_width() {
        let stat = Bootstrap::default().stat(&[3.0; 7]).unwrap();
        let expected = Stat {
            n: 7,
            mean: 3.0,
            sd: 0.0,
            low: 3.0,
            high: 3.0,
        };
        assert_eq!(stat, expected);
        assert_eq!(Bootstrap::default().stat(&[]), None);
    }

    #[test]
    fn mean_and_deviation_by_hand() {
        // Mean 3; squares 4 + 0 + 4 = 8, over 2 is 4, root 2.
        let stat = Bootstrap::default().stat(&[1.0, 3.0, 5.0]).unwrap();
        assert_eq!((stat.n, stat.mean, stat.sd), (3, 3.0, 2.0));
        assert!(stat.low >= 1.0 && stat.low < 3.0 && stat.high > 3.0 && stat.high <= 5.0);
    }

    #[test]
    fn two_values_are_covered_by_the_interval() {
        // A quarter of the samples is (0, 0) and a quarter (1, 1): far more than 2.5 %.
        let stat = Bootstrap::default().stat(&[0.0, 1.0]).unwrap();
        assert_eq!((stat.low, stat.high), (0.0, 1.0));
    }

    #[test]
    fn the_interval_of_many_is_close_to_the_normal_one() {
        // 0..99: deviation 29.01, error of the mean 2.901; 49.5 +- 1.96 * 2.901.
        let values: Vec<f64> = (0..100).map(f64::from).collect();
        let stat = Bootstrap::default().stat(&values).unwrap();
        assert!((stat.low - 43.8).abs() < 0.6, "{stat:?}");
        assert!((stat.high - 55.2).abs() < 0.6, "{stat:?}");
    }

    #[test]
    fn differences_are_taken_seed_by_seed() {
        let values = BTreeMap::from([(0, 5.0), (1, 9.0), (2, 1.0)]);
        let reference = BTreeMap::from([(0, 3.0), (1, 7.0), (3, 0.0)]);
        // Seeds 0 and 1 are in both: 5 - 3 and 9 - 7.
        let stat = Bootstrap::default()
            .difference(&values, &reference)
            .unwrap();
        assert_eq!((stat.n, stat.mean, stat.low, stat.high), (2, 2.0, 2.0, 2.0));
    }

    #[test]
    fn quantiles_lie_between_neighbours() {
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.75), 3.0);
        assert_eq!(quantile(&[5.0], 0.975), 5.0);
    }
}
