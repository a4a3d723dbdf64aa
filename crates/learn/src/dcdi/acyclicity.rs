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

use crate::fit::exponential::Exponential;

/// `tr e^A - N` of the full graph over `n_vars` variables.
pub(crate) fn normaliser(n_vars: usize) -> f64 {
    let n = n_vars as f64;
    (n - 1.0).exp() + (n - 1.0) * (-1.0f64).exp() - n
}

#[derive(Clone, Debug)]
pub(crate) struct Acyclicity {
    normaliser: f64,
    exponential: Exponential,
}

impl Acyclicity {
    pub(crate) fn new(n_vars: usize) -> Self {
        Self {
            normaliser: normaliser(n_vars),
            exponential: Exponential::new(n_vars),
        }
    }

    /// Goes to `probabilities`, `[cause, effect]`, diagonal 0; gives h.
    pub(crate) fn value(&mut self, probabilities: &Array2<f64>) -> f64 {
        self.exponential.of(probabilities);
        self.exponential.closed_walks() / self.normaliser
    }

    /// dh/dP of the edge `cause -> effect`, where [`Self::value`] was asked for last.
    pub(crate) fn gradient(&self, cause: usize, effect: usize) -> f64 {
        self.exponential.value()[(effect, cause)] / self.normaliser
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
