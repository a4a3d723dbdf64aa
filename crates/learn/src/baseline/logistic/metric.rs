//! The second derivative of the likelihood, as if every combination had the overall distribution of
//! values: a Kronecker product, so that one small factorisation serves all values.
//!
//! At equal probabilities `pi` the Hessian is `(diag(pi) - pi pi^T) (x) Z^T N Z`. Gradients sum to 0
//! over values, and on such vectors dividing by `pi` inverts the first factor. The second is
//! inverted by a Cholesky factorisation that leaves out columns which the others determine: values
//! that do not occur, and one value of every parent.

use super::Design;

/// Columns whose pivot is below this share of their count depend on the ones before.
const DEPENDENT: f64 = 1e-9;

/// Approximate inverse Hessian of a [`Design`].
pub(super) struct Metric {
    n: usize,
    /// Lower triangle by row; rows of dependent columns are zero.
    factor: Vec<f64>,
    shares: Vec<f64>,
}

impl Metric {
    pub(super) fn new(design: &Design) -> Self {
        let n = design.n_columns;
        let mut factor = vec![0.0; n * n];
        for (columns, _, total) in design.combinations() {
            for &a in columns {
                for &b in columns.iter().filter(|b| **b <= a) {
                    factor[a as usize * n + b as usize] += total;
                }
            }
        }
        factorise(&mut factor, n);
        let totals = design.value_totals();
        let all: f64 = totals.iter().sum();
        // A pad's gradient is 0, and so is what becomes of it.
        let share = |total: &f64| if *total > 0.0 { total / all } else { 1.0 };
        Self {
            n,
            factor,
            shares: totals.iter().map(share).collect(),
        }
    }

    /// Replaces a gradient `[column, stride]` by the inverse Hessian times it.
    pub(super) fn solve(&self, vector: &mut [f64]) {
        let (n, v) = (self.n, self.shares.len());
        for row in vector.chunks_exact_mut(v) {
            row.iter_mut().zip(&self.shares).for_each(|(x, s)| *x /= s);
        }
        for i in 0..n {
            let (done, rest) = vector.split_at_mut(i * v);
            let pivot = self.factor[i * n + i];
            let row = &mut rest[..v];
            if pivot == 0.0 {
                row.fill(0.0);
                continue;
            }
            for (j, solved) in done.chunks_exact(v).enumerate() {
                let factor = self.factor[i * n + j];
                row.iter_mut()
                    .zip(solved)
                    .for_each(|(x, s)| *x -= factor * s);
            }
            row.iter_mut().for_each(|x| *x /= pivot);
        }
        for i in (0..n).rev().filter(|i| self.factor[i * n + i] != 0.0) {
            let (rest, done) = vector.split_at_mut((i + 1) * v);
            let row = &mut rest[i * v..];
            for (k, solved) in done.chunks_exact(v).enumerate() {
                let factor = self.factor[(i + 1 + k) * n + i];
                row.iter_mut()
                    .zip(solved)
                    .for_each(|(x, s)| *x -= factor * s);
            }
            row.iter_mut().for_each(|x| *x /= self.factor[i * n + i]);
        }
    }
}

/// Cholesky in place; dependent columns become zero rows.
fn factorise(matrix: &mut [f64], n: usize) {
    for i in 0..n {
        let (done, rest) = matrix.split_at_mut(i * n);
        let row = &mut rest[..n];
        let scale = row[i];
        for j in 0..i {
            let other = &done[j * n..][..n];
            let dot: f64 = row[..j].iter().zip(other).map(|(a, b)| a * b).sum();
            row[j] = if other[j] == 0.0 {
                0.0
            } else {
                (row[j] - dot) / other[j]
            };
        }
        let pivot = scale - row[..i].iter().map(|x| x * x).sum::<f64>();
        if pivot <= DEPENDENT * scale || scale == 0.0 {
            row.fill(0.0);
        } else {
            row[i] = pivot.sqrt();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::design::tests::example;
    use super::*;

    #[test]
    fn the_solution_times_the_hessian_is_the_vector() {
        let design = example();
        let metric = Metric::new(&design);
        // A gradient of the model: in the range of Z^T, and summing to 0 over values.
        let mut gradient = vec![0.0; 24];
        design.nll(&[0.0; 24], &mut gradient);
        let mut solved = gradient.clone();
        metric.solve(&mut solved);
        let shares = [11.0 / 24.0, 13.0 / 24.0];
        let mut back = vec![0.0; 24];
        for (columns, _, total) in design.combinations() {
            let at = |v: usize| {
                columns
                    .iter()
                    .map(|c| solved[*c as usize * 4 + v])
                    .sum::<f64>()
            };
            let (x, y) = (at(0), at(1));
            let mean = shares[0] * x + shares[1] * y;
            for &c in columns {
                back[c as usize * 4] += total * shares[0] * (x - mean);
                back[c as usize * 4 + 1] += total * shares[1] * (y - mean);
            }
        }
        for (a, b) in back.iter().zip(&gradient) {
            assert!((a - b).abs() < 1e-9, "{back:?} {gradient:?}");
        }
    }
}
