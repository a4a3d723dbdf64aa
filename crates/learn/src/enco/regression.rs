//! Differences with the other causes held still: fewer sampled graphs say as much.
//!
//! Ours. ENCO's difference of two means is noisy mostly because the graphs with a cause and those
//! without it also differ in other causes by chance. Causes are drawn independently, so the
//! expected difference of a cause is also its coefficient in the best linear prediction of the
//! likelihood from all of them; predicting by them takes the chance differences out.
//!
//! | symbol | code | shape |
//! |---|---|---|
//! | z, which causes are in a distinct set; c, graphs that have it | `sets` | `[set, cause]`, `[set]` |
//! | D of earlier steps | `expected` | `[cause]` |
//! | y = L - z . expected, less its mean | `weights` before the solution | `[set]` |
//! | K = (z - mean z)(z - mean z)^T | `kernel` | `[set, set]` |
//! | a = (K + `RIDGE` / c)^-1 y | `weights` after it | `[set]` |
//! | e = y - K a = `RIDGE` a / c | `rest` | `[set]` |
//! | D = expected + (z - mean z)^T a + difference of means of e | `found` | `[cause]` |
//!
//! What was expected does not bias D, since it comes from other draws, and the last term gives back
//! what the ridge withheld. The coefficients do follow this step's own draws; the bias that leaves
//! is a small part of the deviation of one estimate, and fades with more graphs (tested below).
//!
//! Complexity: O(u^3 + u^2 n / 64) for u distinct sets over n causes.

use super::estimator::Means;
use crate::fit::parent_sets::ParentSets;

/// Graphs' worth of trust in what was expected of a cause. On one ER-4 study 0.1, 0.3 and 1 were
/// equally exact, and 3 worse.
const RIDGE: f64 = 0.3;

/// How much of what is expected the last step makes up once there were many.
const RENEWAL: f64 = 0.1;

/// What earlier steps found for the causes of one effect.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    differences: Vec<f64>,
    n_seen: Vec<u32>,
}

impl Expected {
    pub(crate) fn none(n_vars: usize) -> Self {
        Self {
            differences: vec![0.0; n_vars],
            n_seen: vec![0; n_vars],
        }
    }

    fn learn(&mut self, found: &[Option<f64>]) {
        let causes = self.differences.iter_mut().zip(&mut self.n_seen);
        for ((expected, n_seen), found) in causes.zip(found) {
            if let Some(found) = found {
                *n_seen += 1;
                let share = RENEWAL.max(1.0 / f64::from(*n_seen));
                *expected += share * (found - *expected);
            }
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Regression {
    kernel: Vec<f64>,
    /// Weighted means of the rows of `kernel` before it is centred.
    row_means: Vec<f64>,
    weights: Vec<f64>,
    pub(super) means: Means,
}

impl Regression {
    /// D of every cause; `None` where all sampled graphs agree on the edge. `nll` is used up.
    pub(crate) fn differences(
        &mut self,
        sets: &ParentSets,
        nll: &mut [f64],
        expected: &mut Expected,
        found: &mut [Option<f64>],
    ) {
        let n_graphs: f64 = (0..nll.len()).map(|set| f64::from(sets.count(set))).sum();
        self.set_up(sets, nll, &expected.differences, n_graphs);
        solve(&mut self.kernel, &mut self.weights);
        let rest = nll;
        for (set, rest) in rest.iter_mut().enumerate() {
            *rest = RIDGE * self.weights[set] / f64::from(sets.count(set));
        }
        self.means.differences(sets, rest, found);
        let total: f64 = self.weights.iter().sum();
        let share = self.means.with.iter().map(|(n, _)| n / n_graphs);
        let causes = found.iter_mut().zip(&expected.differences).zip(share);
        for ((found, expected), share) in causes {
            *found = found.map(|rest| rest + expected - share * total);
        }
        for (set, weight) in self.weights.iter().enumerate() {
            for cause in sets.members(set) {
                let found = &mut found[cause as usize];
                *found = found.map(|found| found + weight);
            }
        }
        expected.learn(found);
    }

    /// The system of equations: `kernel` with the ridge on its diagonal, and the right side.
    fn set_up(&mut self, sets: &ParentSets, nll: &[f64], expected: &[f64], n_graphs: f64) {
        let n_sets = nll.len();
        let mean = |of: &[f64]| {
            let counted = of.iter().enumerate();
            let sum: f64 = counted.map(|(set, x)| f64::from(sets.count(set)) * x).sum();
            sum / n_graphs
        };
        self.weights.clear();
        self.weights
            .extend(nll.iter().enumerate().map(|(set, nll)| {
                let members = sets.members(set);
                nll - members.map(|m| expected[m as usize]).sum::<f64>()
            }));
        let centre = mean(&self.weights);
        self.weights.iter_mut().for_each(|y| *y -= centre);
        self.kernel.clear();
        self.kernel.resize(n_sets * n_sets, 0.0);
        for a in 0..n_sets {
            for b in 0..=a {
                let words = sets.words(a).iter().zip(sets.words(b));
                let shared: u32 = words.map(|(a, b)| (a & b).count_ones()).sum();
                let shared = f64::from(shared);
                self.kernel[a * n_sets + b] = shared;
                self.kernel[b * n_sets + a] = shared;
            }
        }
        let rows = self.kernel.chunks_exact(n_sets);
        self.row_means.clear();
        self.row_means.extend(rows.map(mean));
        let centre = mean(&self.row_means);
        for (a, row) in self.kernel.chunks_exact_mut(n_sets).enumerate() {
            let row_mean = self.row_means[a];
            for (entry, column_mean) in row.iter_mut().zip(&self.row_means) {
                *entry += centre - row_mean - column_mean;
            }
            row[a] += RIDGE / f64::from(sets.count(a));
        }
    }
}

/// Solves `matrix x = right` in place by Cholesky; the matrix is positive definite by its ridge.
fn solve(matrix: &mut [f64], right: &mut [f64]) {
    let n = right.len();
    for k in 0..n {
        let (above, below) = matrix.split_at_mut(k * n);
        for i in 0..k {
            let row = &above[i * n..][..i];
            let dot: f64 = row.iter().zip(&below[..i]).map(|(a, b)| a * b).sum();
            below[i] = (below[i] - dot) / above[i * n + i];
        }
        let square: f64 = below[..k].iter().map(|x| x * x).sum();
        below[k] = (below[k] - square).sqrt();
        let dot: f64 = below[..k].iter().zip(&right[..k]).map(|(a, b)| a * b).sum();
        right[k] = (right[k] - dot) / below[k];
    }
    for k in (0..n).rev() {
        right[k] /= matrix[k * n + k];
        let at = right[k];
        for i in 0..k {
            right[i] -= matrix[k * n + i] * at;
        }
    }
}

#[cfg(test)]
mod tests {
    use fedcdi_core::Seed;

    use super::*;
    use crate::fit::draws::{Draws, threshold};

    const GAINS: [f64; 6] = [-0.5, 0.2, 0.0, -0.1, 0.3, 0.0];

    fn sampled(n_graphs: usize, seed: u64) -> ParentSets {
        let mut sets = ParentSets::new(GAINS.len());
        let thresholds = [0.25, 0.5, 0.1, 0.7, 0.3, 0.0].map(threshold);
        sets.sample(&thresholds, n_graphs, &mut Draws::new(&Seed::new(seed)));
        sets
    }

    /// Likelihoods that are sums of gains, and a joint one of the first two causes.
    fn nll(sets: &ParentSets, joint: f64) -> Vec<f64> {
        let of = |set| {
            let members: Vec<usize> = sets.members(set).map(|m| m as usize).collect();
            let both = members.starts_with(&[0, 1]);
            1.0 + members.iter().map(|m| GAINS[*m]).sum::<f64>() + f64::from(both) * joint
        };
        (0..sets.len()).map(of).collect()
    }

    fn by_regression(sets: &ParentSets, joint: f64, expected: &mut Expected) -> [Option<f64>; 6] {
        let mut found = [None; 6];
        let mut nll = nll(sets, joint);
        Regression::default().differences(sets, &mut nll, expected, &mut found);
        found
    }

    #[test]
    fn sums_of_gains_are_found_exactly_where_they_were_expected() {
        let sets = sampled(12, 1);
        let mut expected = Expected::none(6);
        expected.learn(&GAINS.map(Some));
        let found = by_regression(&sets, 0.0, &mut expected);
        for (found, gain) in found.iter().zip(GAINS) {
            assert!(found.is_none_or(|found| (found - gain).abs() < 1e-12));
        }
        assert_eq!(found[5], None, "never drawn");
    }

    #[test]
    fn an_unexpected_sum_is_found_nearly_where_means_are_far_off() {
        let (mut by_means, mut closer) = ([None; 6], 0);
        for seed in 0..20 {
            let sets = sampled(24, seed);
            let found = by_regression(&sets, 0.0, &mut Expected::none(6));
            Means::default().differences(&sets, &nll(&sets, 0.0), &mut by_means);
            let error = |found: &[Option<f64>; 6]| -> f64 {
                let pairs = found.iter().zip(GAINS);
                pairs
                    .map(|(f, gain)| f.map_or(0.0, |f| (f - gain).powi(2)))
                    .sum()
            };
            closer += usize::from(error(&found) < 0.1 * error(&by_means));
        }
        assert!(closer >= 18, "{closer} of 20");
    }

    /// P(1) = 0.5, so the mean difference of cause 0 is its own gain and half of the joint one. The
    /// coefficients follow the same draws, which leaves a bias; it is small against the deviation
    /// of one estimate, and fades with more graphs.
    #[test]
    fn the_mean_over_draws_is_nearly_that_of_the_difference() {
        let truth = GAINS[0] + 0.2;
        let bias_and_deviation = |n_graphs: usize| {
            let estimate = |seed| {
                let sets = sampled(n_graphs, seed);
                by_regression(&sets, 0.4, &mut Expected::none(6))[0].unwrap_or(truth)
            };
            let n = 4000;
            let errors: Vec<f64> = (0..n).map(|seed| estimate(seed) - truth).collect();
            let bias = errors.iter().sum::<f64>() / n as f64;
            let square = errors.iter().map(|e| e * e).sum::<f64>() / n as f64;
            (bias.abs(), square.sqrt())
        };
        let (few, deviation) = bias_and_deviation(30);
        assert!(few < deviation / 5.0, "{few} of {deviation}");
        let (many, _) = bias_and_deviation(240);
        assert!(many < few / 3.0, "{many} after {few}");
    }

    #[test]
    fn what_is_expected_follows_what_is_found() {
        let mut expected = Expected::none(2);
        expected.learn(&[Some(1.0), None]);
        expected.learn(&[Some(3.0), None]);
        assert_eq!(expected.differences, [2.0, 0.0]);
        for _ in 0..200 {
            expected.learn(&[Some(5.0), None]);
        }
        assert!((expected.differences[0] - 5.0).abs() < 1e-6);
    }
}
