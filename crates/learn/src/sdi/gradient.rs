//! From likelihoods of sampled parent sets to the gradient of the edge logits.
//!
//! Paper: SDI section 3.5 and appendix; `c^k_ij` is 1 if cause j is in the k-th sampled set of
//! effect i, `s` is the logistic of a logit.
//!
//! | paper | code |
//! |---|---|
//! | `g_ij = sum_k (s_ij - c^k_ij) L^k_i / sum_k L^k_i` | [`gradient_of_sets`] |
//! | `lambda_sparse sum s` + `lambda_DAG sum cosh(s_ij s_ji)` | [`regularisers`] |
//!
//! The normalised likelihoods say how often a cause would be in the set if the rows had chosen it;
//! the gradient is what is lacking to that.

use fedcdi_core::belief::sigmoid;
use ndarray::Array2;

use crate::fit::parent_sets::ParentSets;

/// The paper's gradient of one effect: `probabilities[cause]` minus the likelihood-weighted share
/// of sets that have the cause. `nll` is a row's mean under each distinct set, `sharpness` the
/// number of rows whose likelihood counts.
pub(crate) fn gradient_of_sets(
    sets: &ParentSets,
    nll: &[f64],
    sharpness: f64,
    probabilities: &[f64],
    gradient: &mut [f64],
) {
    let best = nll.iter().copied().fold(f64::INFINITY, f64::min);
    gradient.fill(0.0);
    let mut total = 0.0;
    for (set, nll) in nll.iter().enumerate() {
        let weight = f64::from(sets.count(set)) * (sharpness * (best - nll)).exp();
        total += weight;
        for cause in sets.members(set) {
            gradient[cause as usize] += weight;
        }
    }
    for (gradient, probability) in gradient.iter_mut().zip(probabilities) {
        *gradient = probability - *gradient / total;
    }
}

/// Adds the gradient of `sparsity * sum s + dag * sum over pairs of cosh(s_ij s_ji)` at `logits`,
/// `[cause, effect]`, diagonal untouched.
pub(crate) fn regularisers(
    logits: &Array2<f64>,
    sparsity: f64,
    dag: f64,
    gradient: &mut Array2<f64>,
) {
    for ((i, j), gradient) in gradient.indexed_iter_mut().filter(|((i, j), _)| i != j) {
        let (s, back) = (sigmoid(logits[(i, j)]), sigmoid(logits[(j, i)]));
        let slope = s * (1.0 - s);
        *gradient += slope * (sparsity + dag * (s * back).sinh() * back);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    /// Sets of one effect over two variables: {} twice, {0} once.
    fn sets() -> ParentSets {
        let mut sets = ParentSets::new(2);
        sets.clear(3);
        for members in [&[][..], &[0], &[]] {
            sets.push(members.iter().copied());
        }
        sets
    }

    /// NLL 0.7 without the cause, 0.7 - ln 3 / 10 with it; at sharpness 10 a set with the cause
    /// weighs 3, so its share is 3 / (2 * 1 + 3) = 0.6, and s - 0.6 = -0.35.
    #[test]
    fn the_gradient_of_sets_is_that_of_the_paper_by_hand() {
        let nll = [0.7, 0.7 - 3f64.ln() / 10.0];
        let mut gradient = [9.0; 2];
        gradient_of_sets(&sets(), &nll, 10.0, &[0.25, 0.0], &mut gradient);
        assert!((gradient[0] + 0.35).abs() < 1e-12, "{gradient:?}");
        assert_eq!(gradient[1], 0.0);
    }

    #[test]
    fn regularisers_are_the_gradient_of_their_value() {
        let logits = array![[0.0, 0.3, -1.0], [1.2, 0.0, 0.1], [-0.4, 2.0, 0.0]];
        let value = |logits: &Array2<f64>| {
            let mut value = 0.0;
            for i in 0..3 {
                for j in 0..3 {
                    if i != j {
                        let (s, back) = (sigmoid(logits[(i, j)]), sigmoid(logits[(j, i)]));
                        let pair = if i < j { (s * back).cosh() } else { 0.0 };
                        value += 0.1 * s + 0.5 * pair;
                    }
                }
            }
            value
        };
        let mut gradient = Array2::zeros((3, 3));
        regularisers(&logits, 0.1, 0.5, &mut gradient);
        for at in [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)] {
            let moved = |by: f64| {
                let mut moved = logits.clone();
                moved[at] += by;
                value(&moved)
            };
            let quotient = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((quotient - gradient[at]).abs() < 1e-8, "{at:?}");
        }
        assert_eq!(gradient[(1, 1)], 0.0);
    }
}
