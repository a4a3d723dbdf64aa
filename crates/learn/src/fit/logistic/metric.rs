//! The second derivative of the likelihood without its terms between values: one matrix of columns
//! per value, factorised for all values at once.
//!
//! Gradients sum to 0 over values, and what [`curvature`] takes for the diagonal makes up for
//! most of what is left out. A factorisation leaves out columns which the others determine: values
//! that do not occur, and one value of every parent.

use super::design::{Design, LANES, Lane, curvature};
use crate::nn::simd::dispatched;

/// Columns whose pivot is below this share of their count depend on the ones before.
const DEPENDENT: f64 = 1e-9;

/// Approximate inverse Hessian of a [`Design`].
pub(super) struct Metric {
    n: usize,
    /// Cholesky factors, `[column, column, stride]`, lower triangle; the diagonal holds inverse
    /// pivots, and rows of dependent columns are zero.
    factor: Vec<f64>,
}

impl Metric {
    pub(super) fn new(design: &Design, weights: &[f64]) -> Self {
        let n = design.n_columns;
        let mut metric = Self {
            n,
            factor: vec![0.0; n * n * design.stride],
        };
        metric.move_to(design, weights);
        metric
    }

    pub(super) fn move_to(&mut self, design: &Design, weights: &[f64]) {
        curvature(design, weights, &mut self.factor);
        factorise(&mut self.factor, self.n);
    }

    /// Replaces a gradient `[column, stride]` by the inverse Hessian times it.
    pub(super) fn solve(&self, vector: &mut [f64]) {
        solve(&self.factor, self.n, vector);
    }
}

dispatched! {
    /// Cholesky in place.
    fn factorise(matrix: &mut [f64], n: usize) {
        let matrix = matrix.as_chunks_mut::<LANES>().0;
        let lanes = matrix.len() / (n * n);
        let per_row = n * lanes;
        for i in 0..n {
            let (done, rest) = matrix.split_at_mut(i * per_row);
            let row = &mut rest[..per_row];
            for lane in 0..lanes {
                let scale = row[i * lanes + lane];
                let mut squares = [0.0; LANES];
                for j in 0..i {
                    let other = &done[j * per_row..][..per_row];
                    let mut rest = row[j * lanes + lane];
                    for k in 0..j {
                        subtract(&mut rest, &row[k * lanes + lane], &other[k * lanes + lane]);
                    }
                    let inverse = &other[j * lanes + lane];
                    for v in 0..LANES {
                        rest[v] *= inverse[v];
                        squares[v] += rest[v] * rest[v];
                    }
                    row[j * lanes + lane] = rest;
                }
                let mut inverse = [0.0; LANES];
                let mut kept = [0.0; LANES];
                for v in 0..LANES {
                    let pivot = scale[v] - squares[v];
                    if pivot > DEPENDENT * scale[v] {
                        (inverse[v], kept[v]) = (1.0 / pivot.sqrt(), 1.0);
                    }
                }
                row[i * lanes + lane] = inverse;
                for j in 0..i {
                    for v in 0..LANES {
                        row[j * lanes + lane][v] *= kept[v];
                    }
                }
            }
        }
    }
}

dispatched! {
    /// Solves in place, down and up again.
    fn solve(factor: &[f64], n: usize, vector: &mut [f64]) {
        let (factor, vector) = (factor.as_chunks::<LANES>().0, vector.as_chunks_mut::<LANES>().0);
        let lanes = vector.len() / n;
        let at = |i: usize, j: usize, lane: usize| &factor[(i * n + j) * lanes + lane];
        for lane in 0..lanes {
            for i in 0..n {
                let mut rest = vector[i * lanes + lane];
                for j in 0..i {
                    subtract(&mut rest, at(i, j, lane), &vector[j * lanes + lane]);
                }
                scale(&mut rest, at(i, i, lane));
                vector[i * lanes + lane] = rest;
            }
            for i in (0..n).rev() {
                let mut solved = vector[i * lanes + lane];
                scale(&mut solved, at(i, i, lane));
                vector[i * lanes + lane] = solved;
                for j in 0..i {
                    subtract(&mut vector[j * lanes + lane], at(i, j, lane), &solved);
                }
            }
        }
    }
}

#[inline(always)]
fn subtract(from: &mut Lane, a: &Lane, b: &Lane) {
    for v in 0..LANES {
        from[v] -= a[v] * b[v];
    }
}

#[inline(always)]
fn scale(what: &mut Lane, by: &Lane) {
    for v in 0..LANES {
        what[v] *= by[v];
    }
}

#[cfg(test)]
mod tests {
    use super::super::design::nll;
    use super::super::design::tests::example;
    use super::*;

    /// With two values nothing is left out.
    #[test]
    fn the_solution_times_the_hessian_is_the_vector() {
        let design = example();
        let weight = |k: usize| (k * 7 % 5) as f64 * 0.3 - 0.5;
        let padded = |k| if k % 4 < 2 { weight(k) } else { 0.0 };
        let weights: Vec<f64> = (0..24).map(padded).collect();
        // A gradient of the model: in the range of Z^T, and summing to 0 over values.
        let mut gradient = vec![0.0; 24];
        nll(&design, &weights, &mut gradient);
        let mut solved = gradient.clone();
        Metric::new(&design, &weights).solve(&mut solved);
        let mut back = vec![0.0; 24];
        for (columns, _, total) in design.combinations() {
            let sum = |of: &[f64], v: usize| columns.iter().map(|c| of[*c as usize * 4 + v]).sum();
            let odds: f64 = sum(&weights, 0) - sum(&weights, 1);
            let shares = [1.0 / (1.0 + (-odds).exp()), 1.0 / (1.0 + odds.exp())];
            let moved: [f64; 2] = [sum(&solved, 0), sum(&solved, 1)];
            let mean = shares[0] * moved[0] + shares[1] * moved[1];
            for (&c, v) in columns.iter().flat_map(|c| [(c, 0), (c, 1)]) {
                back[c as usize * 4 + v] += total * shares[v] * (moved[v] - mean);
            }
        }
        // Up to what is added to variances.
        for (a, b) in back.iter().zip(&gradient) {
            assert!((a - b).abs() < 1e-3, "{back:?} {gradient:?}");
        }
    }

    #[test]
    fn columns_that_the_others_determine_do_not_move() {
        let design = example();
        let mut solved = vec![0.0; 24];
        nll(&design, &[0.0; 24], &mut solved);
        Metric::new(&design, &[0.0; 24]).solve(&mut solved);
        // The intercept is the sum of a parent's columns: its last one depends on the others.
        for last in [2, 5] {
            assert_eq!(solved[last * 4..][..4], [0.0; 4], "{solved:?}");
        }
    }
}
