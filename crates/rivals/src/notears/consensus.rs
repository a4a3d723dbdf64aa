//! The acyclic weights nearest to what the clients found: one minimisation per iteration.
//!
//! Up to a constant, `l1 ||W||_1 + alpha h + rho_1/2 h^2 + sum_k <beta_k, B_k - W> + rho_2/2
//! ||B_k - W||^2` is `l1 ||W||_1 + alpha h + rho_1/2 h^2 + K rho_2/2 ||W - M||^2`, where M is the
//! mean over clients of `B_k + beta_k / rho_2`: the clients enter by one mean.

use ndarray::Array2;

use super::cycles::CyclePenalty;

/// The smooth part at these weights and its gradient; the diagonal does not move. `mean` is M,
/// `[cause, effect]`, with a diagonal of 0, and `pull` is `K rho_2`.
pub(super) fn smooth(
    weights: &Array2<f64>,
    mean: &Array2<f64>,
    pull: f64,
    cycles: CyclePenalty,
) -> (f64, Array2<f64>) {
    let (mut value, mut gradient) = cycles.of(weights);
    let gap = weights - mean;
    value += 0.5 * pull * gap.iter().map(|g| g * g).sum::<f64>();
    gradient.scaled_add(pull, &gap);
    gradient.diag_mut().fill(0.0);
    (value, gradient)
}

#[cfg(test)]
mod tests {
    use super::super::lbfgs::minimise;
    use super::*;
    use ndarray::array;

    fn smooth(at: &Array2<f64>, mean: &Array2<f64>) -> (f64, Array2<f64>) {
        let cycles = CyclePenalty {
            multiplier: 0.7,
            penalty: 3.0,
        };
        super::smooth(at, mean, 2.0, cycles)
    }

    #[test]
    fn the_gradient_is_that_of_differences() {
        let mean = array![[0.0, 1.0, 0.2], [0.5, 0.0, 0.3], [0.1, 0.4, 0.0]];
        let at = array![[0.0, 0.8, -0.3], [0.6, 0.0, 0.2], [-0.2, 0.5, 0.0]];
        let (_, gradient) = smooth(&at, &mean);
        let step = 1e-6;
        for (place, found) in gradient.indexed_iter().filter(|(p, _)| p.0 != p.1) {
            let moved = |by: f64| {
                let mut to = at.clone();
                to[place] += by;
                smooth(&to, &mean).0
            };
            let slope = (moved(step) - moved(-step)) / (2.0 * step);
            assert!((slope - found).abs() < 1e-6);
        }
    }

    #[test]
    fn without_cycles_it_is_soft_thresholding() {
        // min 0.1 |w| + (w - m)^2: w = m - 0.05 where m exceeds 0.05, else 0.
        let nothing = Array2::zeros((2, 2));
        let minimum = |mean| minimise(&nothing, 0.1, |at| smooth(at, &mean));
        let found = minimum(array![[0.0, 1.0], [0.0, 0.0]]);
        assert!((found[(0, 1)] - 0.95).abs() < 1e-4, "{found}");
        assert_eq!(found[(1, 0)], 0.0);
        let found = minimum(array![[0.0, 0.04], [0.0, 0.0]]);
        assert_eq!(found, nothing);
    }
}
