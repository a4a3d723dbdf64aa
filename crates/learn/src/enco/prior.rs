//! The belief that a round is given: how it initialises the logits, and its term in the loss.
//!
//! Paper: FedCDI section 4.1, equation 2:
//! `L_psi = -E_ij[zeta_ij log(psi_ij) + (1 - zeta_ij) log(1 - psi_ij)]`, in the loss
//! `L + lambda_prior L_psi`.
//!
//! | paper | code | shape, range |
//! |---|---|---|
//! | psi | prior [`Belief`] | `[cause, effect]`, 0..=1 |
//! | `lambda_prior` | [`PriorLoss::Log`] | >= 0; 0.01 to 0.1 in the paper |
//! | `E_ij`, a mean over ordered pairs | divided by `N (N - 1)` in [`PriorTerm::new`] | |
//! | `d(lambda_prior L_psi)/dp_ij = -lambda_prior logit(psi_ij) / (N (N - 1))` | [`PriorTerm::slope`] | per edge |
//!
//! The sampled edges zeta enter the loss linearly, so their expectation `p` stands for them exactly,
//! and the derivative does not depend on p: the term pushes p to 0 or 1.
//!
//! The paper names no psi for the first round. A belief without any information is taken as none: a
//! round starts from it at logits of 0, as ENCO does, and has no prior term.

use fedcdi_core::belief::logit;
use fedcdi_core::{Belief, BeliefError, Seed};
use ndarray::Array2;

use super::choices::{PriorLoss, Start};
use super::logits::{EdgeLogits, EdgeRules};
use super::params::EncoParams;
use crate::fit::draws::{Draws, threshold};

/// Probabilities are kept this far from 0 and 1 before their logit is taken.
const CLIP: f64 = 1e-3;

/// Logits of a prior are clipped to this before a round.
const MAX_LOGIT: f64 = 7.0;

pub(crate) fn start(
    params: &EncoParams,
    prior: &Belief,
    rules: &EdgeRules,
    seed: &Seed,
) -> Result<EdgeLogits, BeliefError> {
    let from = |belief| EdgeLogits::from_belief(belief, MAX_LOGIT, rules);
    match params.start {
        Start::Bernoulli if !prior.is_uninformed() => Ok(from(&drawn(&prior.psi(), seed)?)),
        Start::Bernoulli | Start::Logits => Ok(from(prior)),
    }
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

#[derive(Clone, Debug)]
pub(crate) struct PriorTerm {
    /// `lambda_prior / (N (N - 1))`; 0 without a term.
    weight: f64,
    /// `logit(psi)`, `[cause, effect]`.
    logits: Array2<f64>,
}

impl PriorTerm {
    pub(crate) fn new(loss: PriorLoss, prior: &Belief) -> Self {
        let clipped = |psi: f64| logit(psi.clamp(CLIP, 1.0 - CLIP));
        let weight = match loss {
            PriorLoss::Log(lambda) if !prior.is_uninformed() => {
                lambda / prior.pairs().count().max(1) as f64
            }
            PriorLoss::Log(_) | PriorLoss::None => 0.0,
        };
        Self {
            weight,
            logits: prior.psi().mapv(clipped),
        }
    }

    pub(crate) fn is_active(&self) -> bool {
        self.weight != 0.0
    }

    /// Its derivative by the probability of one edge; the same for every probability.
    pub(crate) fn slope(&self, at: (usize, usize)) -> f64 {
        -self.weight * self.logits[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn prior() -> Belief {
        Belief::from_psi(&array![[0.0, 0.7], [0.1, 0.0]]).unwrap()
    }

    /// The paper's loss, written out: `-lambda` times the mean over the six ordered pairs of
    /// `p log psi + (1 - p) log(1 - psi)`.
    #[test]
    fn lambda_is_divided_by_the_number_of_ordered_pairs() {
        let psi = array![[0.0, 0.7, 0.2], [0.1, 0.0, 0.4], [0.6, 0.3, 0.0]];
        let prior = Belief::from_psi(&psi).unwrap();
        let psi = prior.psi();
        let loss = |p: &Array2<f64>| {
            let pairs = prior.pairs().map(|(i, j)| (i.0, j.0));
            let sum: f64 = pairs
                .map(|at| p[at] * psi[at].ln() + (1.0 - p[at]) * (1.0 - psi[at]).ln())
                .sum();
            -0.09 * sum / 6.0
        };
        let term = PriorTerm::new(PriorLoss::Log(0.09), &prior);
        for at in [(0, 1), (1, 2), (2, 0)] {
            let moved = |by: f64| {
                let mut p = Array2::from_elem((3, 3), 0.4);
                p[at] += by;
                loss(&p)
            };
            let slope = (moved(1e-4) - moved(-1e-4)) / 2e-4;
            assert!((term.slope(at) - slope).abs() < 1e-10, "{at:?}");
        }
        // By hand: psi = 3/4 has logit ln 3, and two variables have two ordered pairs.
        let prior = Belief::from_psi(&array![[0.0, 0.75], [0.05, 0.0]]).unwrap();
        let term = PriorTerm::new(PriorLoss::Log(0.04), &prior);
        let expected = -0.04 / 2.0 * 3f64.ln();
        assert!((term.slope((0, 1)) - expected).abs() < 1e-4);
        let none = PriorTerm::new(PriorLoss::None, &prior);
        assert!(!none.is_active() && none.slope((0, 1)) == 0.0);
    }

    #[test]
    fn a_belief_that_knows_nothing_neither_starts_a_draw_nor_pulls() {
        let nothing = Belief::uninformed(2);
        assert!(!PriorTerm::new(PriorLoss::Log(0.1), &nothing).is_active());
        let params = EncoParams::paper();
        let logits = start(&params, &nothing, &EdgeRules::none(2), &Seed::new(5)).unwrap();
        assert_eq!(logits.existence, array![[0.0, 0.0], [0.0, 0.0]]);
    }

    #[test]
    fn an_edge_is_drawn_as_often_as_its_probability_says() {
        let params = EncoParams::paper();
        let psi = array![[0.0, 0.9, 0.05], [0.05, 0.0, 0.3], [0.6, 0.3, 0.0]];
        let belief = Belief::from_psi(&psi).unwrap();
        let n_seeds = 2000;
        let mut drawn = Array2::<f64>::zeros((3, 3));
        for seed in 0..n_seeds {
            let seed = Seed::new(seed);
            let logits = start(&params, &belief, &EdgeRules::none(3), &seed).unwrap();
            drawn += &logits
                .existence
                .mapv(|logit| f64::from(u8::from(logit > 0.0)));
        }
        drawn /= n_seeds as f64;
        // Four standard deviations of a share of 2000 draws are at most 0.045.
        for (i, j) in belief.pairs() {
            let at = (i.0, j.0);
            assert!((drawn[at] - psi[at]).abs() < 0.045, "{at:?} {}", drawn[at]);
        }
    }

    #[test]
    fn logits_of_a_sure_prior_are_clipped() {
        let sure = Belief::new(
            array![[0.0, 50.0], [-1.5, 0.0]],
            array![[0.0, 9.0], [-9.0, 0.0]],
        );
        let params = EncoParams::default();
        let rules = EdgeRules::none(2);
        let logits = start(&params, &sure.unwrap(), &rules, &Seed::new(5)).unwrap();
        assert_eq!(logits.existence, array![[0.0, 7.0], [-1.5, 0.0]]);
        assert_eq!(logits.orientation, array![[0.0, 7.0], [-7.0, 0.0]]);
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
