//! From differences to gradients of the two kinds of logits.
//!
//! Paper: ENCO equations for the gradients of gamma and theta; FedCDI for the prior term, whose weight
//! `lambda_prior` is part of `dL_psi/dp` here ([`PriorTerm::slope`]).
//!
//! | paper | code |
//! |---|---|
//! | `sigma'(gamma_ij) sigma(theta_ij) (D_ij + lambda_sparse + dL_psi/dp_ij)` | [`EdgeGradient::existence`] |
//! | `t_ij = sigma'(theta_ij) sigma(gamma_ij) (D_ij + dL_psi/dp_ij)` | `orientation_pull` |
//! | `t_ij - t_ji`, on informed pairs | [`EdgeGradient::orientation`] |
//!
//! Several targets in one regime. A target's own likelihood says nothing (its mechanism was
//! replaced), so its whole column is left out. A pair is oriented by a regime that intervenes on
//! exactly one of the two: cutting the mechanism of `i` leaves that of `j` whole, whichever other
//! variables were also set, so `D_ij` under that regime is negative only if `i` acts on `j`. A pair
//! with both ends set shows neither direction and is left out.
//!
//! Observational rows. The two directions of a pair are compared given the other parents believed
//! in on either side: the difference is that of the likelihoods of two graphs that differ in this
//! edge alone. It is zero where the graphs are equivalent, and tells the arms of a collider, which
//! a wrong direction would have to join by another edge. ENCO does without; with few interventional
//! rows it is most of what is known ([`EncoParams::observational_weight`]).
//!
//! Deviation: the reference code moves the orientation of two never-intervened variables by the
//! indirect rule; here that holds for every pair that no regime separates, which for single-target
//! data is the same.

use fedcdi_core::belief::sigmoid;
use ndarray::Array2;

use super::logits::{EdgeLogits, EdgeRules};
#[cfg(doc)]
use super::params::EncoParams;
use super::prior::PriorTerm;
use crate::fit::samples::RegimeSamples;

/// Learning-rate factor of orientation for pairs that no regime separates (ENCO, appendix on partial
/// interventions).
const INDIRECT_FACTOR: f64 = 0.1;

/// Which pairs some regime intervenes on one end of, symmetric.
pub(crate) fn separated_pairs(n_vars: usize, regimes: &[RegimeSamples]) -> Array2<bool> {
    let mut separated = Array2::from_elem((n_vars, n_vars), false);
    for regime in regimes {
        for &target in &regime.targets {
            for other in (0..n_vars).filter(|v| !regime.targets.contains(v)) {
                separated[(target, other)] = true;
                separated[(other, target)] = true;
            }
        }
    }
    separated
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgeGradient<'a> {
    pub logits: &'a EdgeLogits,
    pub rules: &'a EdgeRules,
    /// D, `[effect, cause]`; all `None` in the rows of targets.
    pub differences: &'a [Vec<Option<f64>>],
    /// Intervened variables of this step, none for held-out observational rows.
    pub targets: &'a [usize],
    pub sparsity: &'a [f64],
    pub prior: &'a PriorTerm,
}

impl EdgeGradient<'_> {
    pub(crate) fn existence(&self, gradient: &mut Array2<f64>) {
        for ((i, j), gradient) in gradient.indexed_iter_mut() {
            *gradient = 0.0;
            if !self.rules.existence_is_open(i, j) {
                continue;
            }
            let data = self.differences[j][i].map_or(0.0, |d| d + self.sparsity[j]);
            if data == 0.0 && !self.prior.is_active() {
                continue;
            }
            let exists = sigmoid(self.logits.existence[(i, j)]);
            let oriented = sigmoid(self.logits.orientation[(i, j)]);
            let slope = data + self.prior.slope((i, j));
            *gradient = exists * (1.0 - exists) * oriented * slope;
        }
    }

    /// Learning-rate factor of the orientation of a pair; `None` if this step does not inform it.
    pub(crate) fn informed(&self, (i, j): (usize, usize), separated: &Array2<bool>) -> Option<f64> {
        if !self.rules.orientation_is_open(i, j) {
            return None;
        }
        match (self.targets.contains(&i), self.targets.contains(&j)) {
            // Observational steps have their own optimiser, and their factor is in its rate.
            _ if self.targets.is_empty() => Some(1.0),
            (true, true) => None,
            (false, false) if separated[(i, j)] => None,
            (false, false) => Some(INDIRECT_FACTOR),
            _ => Some(1.0),
        }
    }

    /// Gradient of the orientation logit `i -> j`; the opposite one has the opposite gradient.
    pub(crate) fn orientation(&self, (i, j): (usize, usize)) -> f64 {
        self.orientation_pull((i, j)) - self.orientation_pull((j, i))
    }

    /// Derivative through the probability of one of the two directions. With exactly one end
    /// intervened, the other direction has no difference: its effect is the target.
    fn orientation_pull(&self, (i, j): (usize, usize)) -> f64 {
        let exists = sigmoid(self.logits.existence[(i, j)]);
        let oriented = sigmoid(self.logits.orientation[(i, j)]);
        let data = self.differences[j][i].unwrap_or(0.0);
        let slope = data + self.prior.slope((i, j));
        oriented * (1.0 - oriented) * exists * slope
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enco::choices::PriorLoss;
    use fedcdi_core::Belief;
    use ndarray::array;

    fn logits() -> EdgeLogits {
        EdgeLogits {
            existence: array![[0.0, 0.4, -1.0], [0.9, 0.0, 0.3], [-0.2, 0.6, 0.0]],
            orientation: array![[0.0, 0.5, -0.7], [-0.5, 0.0, 1.1], [0.7, -1.1, 0.0]],
        }
    }

    /// The expected loss whose gradients are estimated, with D as constants: an edge of
    /// probability p contributes p (D + sparsity), and a sixth of its cross-entropy under psi times
    /// `lambda`, since three variables have six ordered pairs.
    fn loss(
        logits: &EdgeLogits,
        d: &[Vec<Option<f64>>],
        sparsity: f64,
        (lambda, psi): (f64, &Array2<f64>),
    ) -> f64 {
        let mut total = 0.0;
        for i in 0..3 {
            for j in (0..3).filter(|j| *j != i) {
                let (p, psi) = (logits.probability(i, j), psi[(i, j)]);
                total += d[j][i].map_or(0.0, |d| p * (d + sparsity));
                total -= lambda / 6.0 * (p * psi.ln() + (1.0 - p) * (1.0 - psi).ln());
            }
        }
        total
    }

    #[test]
    fn gradients_are_derivatives_of_the_expected_loss() {
        let psi = array![[0.0, 0.2, 0.1], [0.6, 0.0, 0.5], [0.1, 0.1, 0.0]];
        let prior = Belief::from_psi(&psi).unwrap();
        let d = [[-0.3, 0.2, 0.1], [0.5, 0.0, -0.4], [0.1, 0.7, 0.0]];
        let d = d.map(|row| row.map(Some).to_vec());
        for (kind, lambda) in [(PriorLoss::None, 0.0), (PriorLoss::Log(2.4), 2.4)] {
            let belief = (lambda, &prior.psi());
            let prior = PriorTerm::new(kind, &prior);
            for sparsity in [0.0, 0.05] {
                let gradient = EdgeGradient {
                    logits: &logits(),
                    rules: &EdgeRules::none(3),
                    differences: &d,
                    targets: &[],
                    sparsity: &[sparsity; 3],
                    prior: &prior,
                };
                let mut existence = Array2::zeros((3, 3));
                gradient.existence(&mut existence);
                let h = 1e-6;
                for (i, j) in [(0, 1), (1, 2), (2, 0)] {
                    let [mut up, mut down] = [logits(), logits()];
                    up.existence[(i, j)] += h;
                    down.existence[(i, j)] -= h;
                    let both = [up, down].map(|l| loss(&l, &d, sparsity, belief));
                    let numeric = (both[0] - both[1]) / (2.0 * h);
                    assert!((existence[(i, j)] - numeric).abs() < 1e-8);
                    let [mut up, mut down] = [logits(), logits()];
                    for (l, h) in [(&mut up, h), (&mut down, -h)] {
                        l.orientation[(i, j)] += h;
                        l.orientation[(j, i)] -= h;
                    }
                    // Sparsity acts on existence alone, so the orientation sees the loss without.
                    let both = [up, down].map(|l| loss(&l, &d, 0.0, belief));
                    let numeric = (both[0] - both[1]) / (2.0 * h);
                    assert!((gradient.orientation((i, j)) - numeric).abs() < 1e-8);
                }
            }
        }
    }

    /// ENCO asks an edge for `D + lambda_sparse` where there is a D. Where the sampled graphs agree on
    /// an edge, and into a target, there is none, and the penalty alone would take true edges away.
    #[test]
    fn no_edge_is_penalised_without_a_difference() {
        let prior = Belief::from_psi(&array![[0.0, 0.2, 0.1], [0.6, 0.0, 0.5], [0.1, 0.1, 0.0]]);
        let prior = prior.unwrap();
        // Effect 0 is the target, and all graphs agree on 0 -> 1.
        let d = [
            vec![None; 3],
            vec![None, None, Some(-0.4)],
            vec![Some(0.1), Some(0.7), None],
        ];
        for (loss, targets) in [
            (PriorLoss::None, &[0][..]),
            (PriorLoss::Log(2.4), &[0]),
            (PriorLoss::None, &[]),
        ] {
            let prior = PriorTerm::new(loss, &prior);
            let gradient = EdgeGradient {
                logits: &logits(),
                rules: &EdgeRules::none(3),
                differences: &d,
                targets,
                sparsity: &[0.05; 3],
                prior: &prior,
            };
            let mut existence = Array2::from_elem((3, 3), 9.0);
            gradient.existence(&mut existence);
            for (i, j) in [(0, 1), (1, 0), (2, 0), (2, 1), (0, 2), (1, 2)] {
                let exists = sigmoid(logits().existence[(i, j)]);
                let oriented = sigmoid(logits().orientation[(i, j)]);
                let data = d[j][i].map_or(0.0, |d| d + 0.05);
                let expected = exists * (1.0 - exists) * oriented * (data + prior.slope((i, j)));
                let found = existence[(i, j)];
                assert!((found - expected).abs() < 1e-15, "{i} {j}: {found}");
            }
        }
    }

    #[test]
    fn only_a_regime_that_separates_a_pair_orients_it() {
        let regime = |targets: &[usize]| RegimeSamples {
            targets: targets.to_vec(),
            samples: vec![0],
        };
        let separated = separated_pairs(4, &[regime(&[0, 1]), regime(&[0])]);
        let expected = [
            [false, true, true, true],
            [true, false, true, true],
            [true, true, false, false],
            [true, true, false, false],
        ];
        assert_eq!(separated, ndarray::arr2(&expected));
        let d = vec![vec![None; 4]; 4];
        let belief = Belief::uninformed(4);
        let rules = EdgeRules::none(4);
        let gradient = EdgeGradient {
            logits: &EdgeLogits::from_belief(&belief, 7.0, &rules),
            rules: &rules,
            differences: &d,
            targets: &[0, 1],
            sparsity: &[0.0; 3],
            prior: &PriorTerm::new(PriorLoss::None, &belief),
        };
        assert_eq!(gradient.informed((0, 1), &separated), None);
        assert_eq!(gradient.informed((1, 3), &separated), Some(1.0));
        assert_eq!(gradient.informed((2, 3), &separated), Some(INDIRECT_FACTOR));
        let observational = EdgeGradient {
            targets: &[],
            ..gradient
        };
        let informed = observational.informed((0, 1), &separated);
        assert_eq!(informed, Some(1.0));
        let only_first = EdgeGradient {
            targets: &[0],
            ..gradient
        };
        assert_eq!(only_first.informed((1, 2), &separated), None);
    }
}
