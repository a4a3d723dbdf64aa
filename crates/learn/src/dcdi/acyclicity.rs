//! How far a matrix of edge probabilities is from an acyclic graph.
//!
//! Paper: DCDI section 3.1, after NOTEARS; normalised as in the authors' code.
//!
//! | paper | code |
//! |---|---|
//! | `tr e^P - N`, over its value on the full graph | [`Acyclicity::value`] |
//! | the normaliser: `e^(N-1) + (N-1)/e - N` | [`normaliser`] |
//! | dh/dP = `(e^P)^T` over the normaliser | [`Acyclicity::gradient`] |
//!
//! Complexity: O(N^3 log N).

use ndarray::Array2;
use ndarray::linalg::general_mat_mul;

/// Terms of the exponential series; the argument is scaled to a norm of at most one half, so the
/// rest is below 1e-16.
const TERMS: usize = 13;

/// `tr e^A - N` of the full graph over `n_vars` variables.
pub fn normaliser(n_vars: usize) -> f64 {
    let n = n_vars as f64;
    (n - 1.0).exp() + (n - 1.0) * (-1.0f64).exp() - n
}

/// The constraint at one matrix, and buffers that are reused.
#[derive(Clone, Debug)]
pub struct Acyclicity {
    normaliser: f64,
    exponential: Array2<f64>,
    scaled: Array2<f64>,
    product: Array2<f64>,
}

impl Acyclicity {
    /// For graphs over `n_vars` variables.
    pub fn new(n_vars: usize) -> Self {
        let zeros = || Array2::zeros((n_vars, n_vars));
        Self {
            normaliser: normaliser(n_vars),
            exponential: zeros(),
            scaled: zeros(),
            product: zeros(),
        }
    }

    /// Goes to `probabilities`, `[cause, effect]`, diagonal 0; gives h.
    pub fn value(&mut self, probabilities: &Array2<f64>) -> f64 {
        self.exponentiate(probabilities);
        let trace: f64 = self.exponential.diag().iter().map(|d| d - 1.0).sum();
        trace.max(0.0) / self.normaliser
    }

    /// dh/dP of the edge `cause -> effect`, where [`Self::value`] was asked for last.
    pub fn gradient(&self, cause: usize, effect: usize) -> f64 {
        self.exponential[(effect, cause)] / self.normaliser
    }

    /// Scaling and squaring; no entry is negative, so nothing cancels.
    fn exponentiate(&mut self, matrix: &Array2<f64>) {
        let norm = matrix.rows().into_iter().map(|row| row.sum());
        let norm = norm.fold(0.0, f64::max);
        let halvings = (2.0 * norm).max(1.0).log2().ceil() as i32;
        self.scaled.assign(matrix);
        self.scaled *= 0.5f64.powi(halvings);
        self.exponential.fill(0.0);
        self.exponential.diag_mut().fill(1.0);
        for term in (1..=TERMS).rev() {
            let share = 1.0 / term as f64;
            let (scaled, so_far) = (&self.scaled, &self.exponential);
            general_mat_mul(share, scaled, so_far, 0.0, &mut self.product);
            self.product.diag_mut().mapv_inplace(|d| d + 1.0);
            std::mem::swap(&mut self.exponential, &mut self.product);
        }
        for _ in 0..halvings {
            let root = &self.exponential;
            general_mat_mul(1.0, root, root, 0.0, &mut self.product);
            std::mem::swap(&mut self.exponential, &mut self.product);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    /// The full graph has h = 1 by definition; one cycle of two certain edges has
    /// tr e^A = 2 cosh 1 on its two variables.
    #[test]
    fn values_by_hand() {
        for n in [2, 5, 12] {
            let full = Array2::from_shape_fn((n, n), |(i, j)| f64::from(u8::from(i != j)));
            assert!((Acyclicity::new(n).value(&full) - 1.0).abs() < 1e-12, "{n}");
        }
        let pair = array![[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]];
        let expected = (2.0 * 1f64.cosh() - 2.0) / normaliser(3);
        assert!((Acyclicity::new(3).value(&pair) - expected).abs() < 1e-14);
        let chain = array![[0.0, 1.0, 1.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]];
        assert_eq!(Acyclicity::new(3).value(&chain), 0.0);
    }

    #[test]
    fn the_gradient_is_that_of_the_value() {
        let p = array![[0.0, 0.3, 0.8], [0.6, 0.0, 0.1], [0.2, 0.9, 0.0]];
        let mut at = Acyclicity::new(3);
        at.value(&p);
        for edge in [(0, 1), (1, 0), (0, 2), (2, 1)] {
            let moved = |by: f64| {
                let mut moved = p.clone();
                moved[edge] += by;
                Acyclicity::new(3).value(&moved)
            };
            let quotient = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            let found = at.gradient(edge.0, edge.1);
            assert!((quotient - found).abs() < 1e-8, "{edge:?}");
        }
    }
}
