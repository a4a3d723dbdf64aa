//! The exponential of a matrix without negative entries: what penalties of cycles are made of.
//!
//! `tr e^A - N` counts the closed walks of A, each weighted by its length's factorial; it is 0 if and
//! only if A is the adjacency of an acyclic graph (Zheng et al. 2018).
//!
//! Complexity: O(N^3 log N).

use ndarray::Array2;
use ndarray::linalg::general_mat_mul;

/// Terms of the series; the argument is scaled to a norm of at most one half, so the rest is below
/// 1e-16.
const TERMS: usize = 13;

/// `e^A`, and buffers that are reused.
#[derive(Clone, Debug)]
pub struct Exponential {
    value: Array2<f64>,
    scaled: Array2<f64>,
    product: Array2<f64>,
}

impl Exponential {
    /// For matrices of `n` rows and columns; the identity at first.
    pub fn new(n: usize) -> Self {
        let zeros = || Array2::zeros((n, n));
        Self {
            value: Array2::eye(n),
            scaled: zeros(),
            product: zeros(),
        }
    }

    /// Goes to `matrix`, by scaling and squaring; no entry is negative, so nothing cancels.
    pub fn of(&mut self, matrix: &Array2<f64>) -> &Array2<f64> {
        let sums = matrix.rows().into_iter().map(|row| row.sum());
        let norm = sums.fold(0.0, f64::max);
        let halvings = (2.0 * norm).max(1.0).log2().ceil() as i32;
        self.scaled.assign(matrix);
        self.scaled *= 0.5f64.powi(halvings);
        self.value.fill(0.0);
        self.value.diag_mut().fill(1.0);
        for term in (1..=TERMS).rev() {
            let share = 1.0 / term as f64;
            let (scaled, so_far) = (&self.scaled, &self.value);
            general_mat_mul(share, scaled, so_far, 0.0, &mut self.product);
            self.product.diag_mut().mapv_inplace(|d| d + 1.0);
            std::mem::swap(&mut self.value, &mut self.product);
        }
        for _ in 0..halvings {
            let root = &self.value;
            general_mat_mul(1.0, root, root, 0.0, &mut self.product);
            std::mem::swap(&mut self.value, &mut self.product);
        }
        &self.value
    }

    /// `e^A` of the matrix asked for last.
    pub fn value(&self) -> &Array2<f64> {
        &self.value
    }

    /// `tr e^A - N` of the matrix asked for last; 0 or more.
    pub fn closed_walks(&self) -> f64 {
        let walks: f64 = self.value.diag().iter().map(|d| d - 1.0).sum();
        walks.max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn a_cycle_of_two_has_hyperbolic_entries() {
        // e^[[0, a], [a, 0]] = [[cosh a, sinh a], [sinh a, cosh a]].
        for a in [0.1f64, 1.0, 7.0] {
            let mut exponential = Exponential::new(2);
            let found = exponential.of(&array![[0.0, a], [a, 0.0]]);
            assert!((found[(0, 0)] / a.cosh() - 1.0).abs() < 1e-14);
            assert!((found[(0, 1)] / a.sinh() - 1.0).abs() < 1e-14);
            let walks = 2.0 * (a.cosh() - 1.0);
            assert!((exponential.closed_walks() / walks - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn an_acyclic_graph_has_no_closed_walk() {
        let mut exponential = Exponential::new(3);
        exponential.of(&array![[0.0, 2.0, 3.0], [0.0, 0.0, 5.0], [0.0, 0.0, 0.0]]);
        assert_eq!(exponential.closed_walks(), 0.0);
    }
}
