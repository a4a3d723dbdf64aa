//! Weighted means of beliefs, in one of three spaces.
//!
//! | space | pooled | psi of the aggregate |
//! |---|---|---|
//! | [`Space::Psi`] | `psi_ij` | the mean of the clients' psi (paper), up to the clipping of `from_psi` |
//! | [`Space::Factors`] | `sigma(gamma_ij)`, `sigma(theta_ij)` | product of two means |
//! | [`Space::Logits`] | `gamma_ij`, `theta_ij` | product of two normalised geometric means |
//!
//! Existence is weighted per edge, orientation per pair: its two directions are one number.

use fedcdi_core::belief::sigmoid;
use fedcdi_core::{AggregateError, Belief, SharedBelief, Shares};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::views::View;

/// The numbers a mean over clients is taken of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Space {
    /// Edge probabilities: the paper. The aggregate is split into existence and orientation by
    /// factorisation, with the same existence in both directions of a pair.
    Psi,
    /// Probabilities of existence and of orientation, each on its own: bounded, so that no client
    /// can outshout the others, and existence stays a matter of direction.
    #[default]
    Factors,
    /// Logits of existence and of orientation: sharper, and as sure as the surest client.
    Logits,
}

/// How much each client counts, `[client][cause, effect]`, clients in the order of the views.
pub(super) struct Weights {
    /// At an edge.
    pub(super) edge: Vec<Array2<f64>>,
    /// At a pair, symmetric.
    pub(super) pair: Vec<Array2<f64>>,
}

impl Weights {
    /// The same for every edge.
    pub(super) fn constant(n_vars: usize, of: impl Iterator<Item = f64>) -> Self {
        let edge: Vec<_> = of
            .map(|weight| Array2::from_elem((n_vars, n_vars), weight))
            .collect();
        let pair = edge.clone();
        Self { edge, pair }
    }

    /// What each weight is of the sum over clients. Pooled edge probabilities ([`Space::Psi`]) have
    /// no weight per pair: their two directions say which way it points, each as much as the other.
    pub(super) fn shares(&self, space: Space, views: &[View]) -> Shares {
        let existence = normalised(&self.edge);
        let orientation = match space {
            Space::Psi => existence
                .iter()
                .map(|share| (share + &share.t()) / 2.0)
                .collect(),
            Space::Factors | Space::Logits => normalised(&self.pair),
        };
        Shares {
            clients: views.iter().map(|view| view.client).collect(),
            existence,
            orientation,
        }
    }
}

fn normalised(weights: &[Array2<f64>]) -> Vec<Array2<f64>> {
    let mut sum = Array2::zeros(weights[0].dim());
    weights.iter().for_each(|weight| sum += weight);
    // The diagonal may have no weight at all: it becomes 0, not 0 / 0.
    sum.diag_mut().fill(f64::INFINITY);
    weights.iter().map(|weight| weight / &sum).collect()
}

/// The weighted mean of the views; at every entry some weight is above 0.
pub(super) fn pool(
    space: Space,
    views: &[View],
    weights: &Weights,
) -> Result<Belief, AggregateError> {
    let n_vars = views[0].belief.n_vars();
    let (edge, pair) = (&weights.edge, &weights.pair);
    match space {
        Space::Psi => Belief::from_psi(&mean_psi(views, weights)).map_err(AggregateError::Result),
        Space::Factors => assemble(
            n_vars,
            |at| factor(views, edge, at, Belief::existence),
            |at| factor(views, pair, at, Belief::orientation),
        ),
        Space::Logits => assemble(
            n_vars,
            |at| mean(views, edge, at, |v| v.belief.existence()[at]),
            |at| mean(views, pair, at, |v| v.belief.orientation()[at]),
        ),
    }
}

/// The paper's psi*: the weighted mean of the clients' edge probabilities, diagonal 0.
pub(super) fn mean_psi(views: &[View], weights: &Weights) -> Array2<f64> {
    Array2::from_shape_fn(views[0].psi.dim(), |at| {
        if at.0 == at.1 {
            return 0.0;
        }
        // Rounding may carry a mean of ones an ulp above one.
        mean(views, &weights.edge, at, |v| v.psi[at]).min(1.0)
    })
}

/// The belief with these logits; orientation is asked for `cause < effect` only and mirrored.
pub(super) fn assemble(
    n_vars: usize,
    existence: impl Fn((usize, usize)) -> f64,
    orientation: impl Fn((usize, usize)) -> f64,
) -> Result<Belief, AggregateError> {
    let mut logits = [
        Array2::zeros((n_vars, n_vars)),
        Array2::zeros((n_vars, n_vars)),
    ];
    for i in 0..n_vars {
        for j in i + 1..n_vars {
            logits[0][(i, j)] = existence((i, j));
            logits[0][(j, i)] = existence((j, i));
            logits[1][(i, j)] = orientation((i, j));
            logits[1][(j, i)] = -logits[1][(i, j)];
        }
    }
    let [existence, orientation] = logits;
    Belief::new(existence, orientation).map_err(AggregateError::Result)
}

fn mean(
    views: &[View],
    weights: &[Array2<f64>],
    at: (usize, usize),
    of: impl Fn(&View) -> f64,
) -> f64 {
    let mut sums = [0.0, 0.0];
    for (view, weight) in views.iter().zip(weights) {
        sums[0] += weight[at] * of(view);
        sums[1] += weight[at];
    }
    sums[0] / sums[1]
}

/// The logit of the mean probability; its complement is averaged too, which keeps digits near 1.
fn factor(
    views: &[View],
    weights: &[Array2<f64>],
    at: (usize, usize),
    of: fn(&Belief) -> &Array2<f64>,
) -> f64 {
    let p = mean(views, weights, at, |v| sigmoid(of(&v.belief)[at]));
    let complement = mean(views, weights, at, |v| sigmoid(-of(&v.belief)[at]));
    let bound = SharedBelief::MAX_LOGIT;
    (p.ln() - complement.ln()).clamp(-bound, bound)
}

#[cfg(test)]
mod tests {
    use super::super::sample_reports::{any_round, pair};
    use super::super::views::views;
    use super::*;
    use crate::aggregate::sample_reports::report;
    use fedcdi_core::{Aggregator, ClientReport};
    use ndarray::array;
    use proptest::prelude::*;

    fn equal(space: Space, reports: &[ClientReport]) -> Belief {
        let naive = crate::aggregate::NaiveParams { space };
        let previous = Belief::uninformed(reports[0].samples.n_interventional.len());
        naive.check().aggregate(&previous, reports).unwrap()
    }

    #[test]
    fn one_expert_among_the_ignorant_by_hand() {
        // sigma(ln 3) = 3/4, sigma(-ln 3) = 1/4. The expert: 0 -> 1 exists with 3/4, 1 -> 0 with
        // 1/4, oriented forward with 3/4. The other knows nothing: 1/2 everywhere.
        let ln3 = 3f64.ln();
        let reports = [
            report(0, pair([ln3, -ln3], ln3), &[0, 0], 10),
            report(1, pair([0.0, 0.0], 0.0), &[0, 0], 10),
        ];
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        // Factors: existence (3/4 + 1/2)/2 = 5/8 and (1/4 + 1/2)/2 = 3/8, orientation 5/8.
        let factors = equal(Space::Factors, &reports);
        close(factors.existence()[(0, 1)], (5f64 / 3.0).ln());
        close(factors.existence()[(1, 0)], (3f64 / 5.0).ln());
        close(factors.orientation()[(0, 1)], (5f64 / 3.0).ln());
        // Logits: half of the expert's.
        let logits = equal(Space::Logits, &reports);
        close(logits.existence()[(1, 0)], -ln3 / 2.0);
        close(logits.orientation()[(0, 1)], ln3 / 2.0);
        // Psi: (9/16 + 4/16)/2 = 13/32 forward, (1/16 + 4/16)/2 = 5/32 backward; existence 18/32
        // both ways, above one half even where both clients doubt 1 -> 0.
        let psi = equal(Space::Psi, &reports);
        close(psi.existence()[(1, 0)], (18f64 / 14.0).ln());
        assert_eq!(psi.existence()[(1, 0)], psi.existence()[(0, 1)]);
        assert!((psi.psi()[(0, 1)] - 13.0 / 32.0).abs() < 1e-5);
    }

    #[test]
    fn what_is_not_pooled_has_no_share() {
        // Two clients; the second knows the edge 0 -> 1 three times as well, and the pair not at all.
        let reports = [0, 1].map(|client| report(client, pair([0.0, 0.0], 0.0), &[0, 0], 1));
        let views = views(2, &reports).unwrap();
        let weights = Weights {
            edge: vec![
                array![[0.0, 1.0], [1.0, 0.0]],
                array![[0.0, 3.0], [1.0, 0.0]],
            ],
            pair: vec![array![[0.0, 1.0], [1.0, 0.0]], Array2::zeros((2, 2))],
        };
        let orientation = |space| weights.shares(space, &views).orientation[1][(0, 1)];
        assert_eq!(orientation(Space::Factors), 0.0);
        // Of psi both directions count alike: (3/4 + 1/2) / 2.
        assert_eq!(orientation(Space::Psi), 0.625);
    }

    #[test]
    fn certainty_stays_finite() {
        let sure = || pair([1e3, -1e3], 1e3);
        for space in [Space::Psi, Space::Factors, Space::Logits] {
            let reports = [report(0, sure(), &[0, 0], 1), report(1, sure(), &[0, 0], 2)];
            let belief = equal(space, &reports);
            assert!(belief.psi()[(0, 1)] > 0.99 && belief.psi()[(1, 0)] < 0.01);
        }
    }

    proptest! {
        #[test]
        fn what_is_pooled_stays_between_the_extremes((_, reports) in any_round()) {
            let n_vars = reports[0].samples.n_interventional.len();
            let views = views(n_vars, &reports).unwrap();
            let between = |value: f64, of: &dyn Fn(&View) -> f64| {
                let low = views.iter().map(of).fold(f64::INFINITY, f64::min);
                let high = views.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
                (low - 1e-9..=high + 1e-9).contains(&value)
            };
            let weights = views.iter().map(|v| v.samples.n_samples as f64);
            let psi = mean_psi(&views, &Weights::constant(n_vars, weights));
            let factorised = equal(Space::Psi, &reports).psi();
            for space in [Space::Factors, Space::Logits] {
                let pooled = equal(space, &reports);
                for (cause, effect) in pooled.pairs() {
                    let at = (cause.index(), effect.index());
                    prop_assert!(between(pooled.existence()[at], &|v| v.belief.existence()[at]));
                    prop_assert!(between(pooled.orientation()[at], &|v| v.belief.orientation()[at]));
                    prop_assert!(between(psi[at], &|v| v.psi[at]));
                    // Clipping logits at 7 costs up to sigma(-7) = 9e-4 in either factor.
                    prop_assert!((factorised[at] - psi[at]).abs() < 2e-3);
                }
            }
        }
    }
}
