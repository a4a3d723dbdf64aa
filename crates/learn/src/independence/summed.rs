//! The generalised Cochran-Mantel-Haenszel statistic `T' V^-1 T` of several tables.

/// Observed less expected counts of all cells but the last of each side, summed over tables, and
/// their covariance if margins are given.
pub(super) struct Summed {
    excess: Vec<f64>,
    /// `[cell][cell]`.
    covariance: Vec<f64>,
}

impl Summed {
    pub(super) fn new(degrees: usize) -> Self {
        Self {
            excess: vec![0.0; degrees],
            covariance: vec![0.0; degrees * degrees],
        }
    }

    /// One table over these values.
    pub(super) fn add(
        &mut self,
        table: &[f64],
        n_effects: usize,
        [causes, effects]: &[Vec<usize>; 2],
    ) {
        let rows = |c: usize, e: usize| table[c * n_effects + e];
        let by_cause: Vec<f64> = (causes.iter())
            .map(|c| effects.iter().map(|e| rows(*c, *e)).sum())
            .collect();
        let by_effect: Vec<f64> = (effects.iter())
            .map(|e| causes.iter().map(|c| rows(*c, *e)).sum())
            .collect();
        let n: f64 = by_cause.iter().sum();
        if n < 2.0 {
            return;
        }
        let width = effects.len() - 1;
        let cells = (causes.len() - 1) * width;
        for at in 0..cells {
            let (c, e) = (at / width, at % width);
            let observed = rows(causes[c], effects[e]);
            self.excess[at] += observed - by_cause[c] * by_effect[e] / n;
            for other in 0..cells {
                let (d, f) = (other / width, other % width);
                let spread = |margins: &[f64], a: usize, b: usize| {
                    let same = if a == b { n } else { 0.0 };
                    margins[a] * (same - margins[b])
                };
                self.covariance[at * cells + other] +=
                    spread(&by_cause, c, d) * spread(&by_effect, e, f) / (n * n * (n - 1.0));
            }
        }
    }

    /// `T' V^-1 T` by Cholesky's decomposition; none if a cell cannot vary.
    pub(super) fn statistic(mut self) -> Option<f64> {
        let n = self.excess.len();
        let scale = (0..n).map(|at| self.covariance[at * n + at]);
        let scale = scale.fold(0.0, f64::max);
        for j in 0..n {
            for k in 0..j {
                let factor = self.covariance[j * n + k];
                for i in j..n {
                    self.covariance[i * n + j] -= self.covariance[i * n + k] * factor;
                }
            }
            let pivot = self.covariance[j * n + j];
            if pivot <= 1e-9 * scale {
                return None;
            }
            let root = pivot.sqrt();
            (j..n).for_each(|i| self.covariance[i * n + j] /= root);
        }
        let mut statistic = 0.0;
        for i in 0..n {
            let before: f64 = (0..i)
                .map(|k| self.covariance[i * n + k] * self.excess[k])
                .sum();
            self.excess[i] = (self.excess[i] - before) / self.covariance[i * n + i];
            statistic += self.excess[i] * self.excess[i];
        }
        Some(statistic)
    }
}
