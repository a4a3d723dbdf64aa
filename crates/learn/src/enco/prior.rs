//! The belief that a round is given: how it initialises the logits, and its term in the loss.
//!
//! Paper: FedCDI section 4.1 (local objective with `L_psi`).
//!
//! | paper | code | shape, range |
//! |---|---|---|
//! | psi | prior [`Belief`] | `[cause, effect]`, 0..=1 |
//! | `lambda_prior / M` | weight of [`PriorLoss`] | per edge, >= 0 |
//! | `L_psi` with `E[zeta] = p` | [`PriorTerm::value`] | summed over edges |
//! | `dL_psi / dp` | [`PriorTerm::slope`] | per edge |
//!
//! The sampled edges zeta enter the paper's loss linearly, so their expectation is exact:
//! `-p logit(psi)` up to a constant. That term pushes p to 0 or 1.

use fedcdi_core::belief::logit;
use fedcdi_core::{Belief, BeliefError, Seed};
use ndarray::Array2;

use super::choices::{PriorLoss, Start};
use super::logits::{EdgeLogits, EdgeRules};
use super::params::EncoParams;
use crate::draws::{Draws, threshold};

/// Probabilities are kept this far from 0 and 1 before their logit is taken.
const CLIP: f64 = 1e-3;

/// Logits at which a round starts.
///
/// # Errors
/// [`BeliefError`] if psi cannot be factorised.
pub fn start(
    params: &EncoParams,
    prior: &Belief,
    rules: &EdgeRules,
    seed: &Seed,
) -> Result<EdgeLogits, BeliefError> {
    let bound = params.max_prior_logit;
    let belief = match params.start {
        Start::Logits => return Ok(EdgeLogits::from_belief(prior, bound, rules)),
        Start::Bernoulli => drawn(&prior.psi(), seed)?,
    };
    Ok(EdgeLogits::from_belief(&belief, bound, rules))
}

/// A graph drawn from psi, as logits of +-1: existence by the draw of each direction, orientation
/// by which of the two directions was drawn (0 if both or none).
fn drawn(psi: &Array2<f64>, seed: &Seed) -> Result<Belief, BeliefError> {
    let n = psi.nrows();
    let mut draws = vec![0; n * n];
    Draws::new(seed).fill(&mut draws);
    let edge = |(i, j): (usize, usize)| i != j && draws[i * n + j] < threshold(psi[(i, j)]);
    let sign = |at| if edge(at) { 1.0 } else { -1.0 };
    let existence = Array2::from_shape_fn((n, n), sign);
    let orientation =
        Array2::from_shape_fn((n, n), |(i, j)| f64::midpoint(sign((i, j)), -sign((j, i))));
    Belief::new(existence, orientation)
}

/// The prior term of the loss.
#[derive(Clone, Debug)]
pub struct PriorTerm {
    loss: PriorLoss,
    /// `logit(psi)`, `[cause, effect]`.
    logits: Array2<f64>,
}

impl PriorTerm {
    /// The term for this prior.
    pub fn new(loss: PriorLoss, prior: &Belief) -> Self {
        let clipped = |psi: f64| logit(psi.clamp(CLIP, 1.0 - CLIP));
        Self {
            loss,
            logits: prior.psi().mapv(clipped),
        }
    }

    /// Whether there is a term at all.
    pub fn is_active(&self) -> bool {
        self.loss != PriorLoss::None
    }

    /// The term of one edge whose probability is `p`, up to a constant.
    pub fn value(&self, at: (usize, usize), p: f64) -> f64 {
        let l = self.logits[at];
        match self.loss {
            PriorLoss::None => 0.0,
            PriorLoss::Log(weight) => -weight * p * l,
        }
    }

    /// Its derivative with respect to the probability of the edge; the same for every probability.
    pub fn slope(&self, at: (usize, usize)) -> f64 {
        let l = self.logits[at];
        match self.loss {
            PriorLoss::None => 0.0,
            PriorLoss::Log(weight) => -weight * l,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn prior() -> Belief {
        Belief::from_psi(&array![[0.0, 0.7], [0.1, 0.0]]).unwrap()
    }

    #[test]
    fn slopes_are_derivatives() {
        for loss in [PriorLoss::None, PriorLoss::Log(0.3)] {
            let term = PriorTerm::new(loss, &prior());
            for p in [0.05, 0.4, 0.9] {
                let h = 1e-6;
                let numeric = (term.value((0, 1), p + h) - term.value((0, 1), p - h)) / (2.0 * h);
                assert!((term.slope((0, 1)) - numeric).abs() < 1e-7);
            }
        }
    }

    #[test]
    fn starts_agree_with_their_definition() {
        let rules = EdgeRules::none(2);
        let mut params = EncoParams::default();
        let seed = Seed::new(5);
        let logits = start(&params, &prior(), &rules, &seed).unwrap();
        assert_eq!(logits.existence, prior().existence());
        params.start = Start::Bernoulli;
        let certain = Belief::from_psi(&array![[0.0, 1.0], [0.0, 0.0]]).unwrap();
        let logits = start(&params, &certain, &rules, &seed).unwrap();
        assert_eq!(logits.existence[(0, 1)], 1.0);
        assert_eq!(logits.existence[(1, 0)], -1.0);
        assert_eq!(logits.orientation, array![[0.0, 1.0], [-1.0, 0.0]]);
    }
}
