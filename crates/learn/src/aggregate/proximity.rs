//! Proximity aggregation: trust a client most near the variables it intervened on.
//!
//! Paper: FedCDI section 4.3, equation for psi* and r-hat; Algorithm 2 of appendix B.
//!
//! | paper | code | shape, range |
//! |---|---|---|
//! | `m^k_s`, initial mass | [`MassFrom`] | `[client][variable]`, 0..=1 |
//! | `r^k_ij`, mass through an edge | [`reliability`] | `[cause, effect]`, 0..=1 |
//! | beta | [`ProximityParams::beta`] | > 0 |
//! | r-hat, softmax over clients | weights of the mean | sums to 1 over clients |
//!
//! Where no mass arrives (r = 0 for all) clients count equally.
//!
//! Deviations. Algorithm 2 loops over the edges of a thresholded belief and leaves all others
//! undefined; here every pair gets its softmax, from the belief as it is. The text sends the mass
//! through the last aggregate, the algorithm through the client's own belief: see [`Carrier`]. By
//! default the factors of psi are averaged (see [`aggregate`](super)); orientation, one number for
//! both directions, then takes the larger reliability of the two. `space = "psi"` is the paper's
//! mean.
//!
//! Slip in the paper's example: 0.9 * 0.5 is printed as 0.540 and gives weights 0.446 and 0.554; it
//! is 0.450, and the weights are 0.491 and 0.509, as tested below. With the paper's beta of 0.15 no
//! client can count more than e^0.15 = 1.16 times another: values of 5 to 20 tell clients apart.
//!
//! A ratio of two sums over clients, sum of e^(beta r) v over sum of e^(beta r), provided that each
//! client computes its own r from the broadcast belief and the largest count is known to all.

use fedcdi_core::{AggregateError, Aggregator, Belief, ClientReport, ParamsError, Shares};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::mass::{MassFrom, masses, reliability};
use super::pool::{Space, Weights, pool};
use super::views::{View, views};

/// Settings of [`Proximity`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProximityParams {
    /// Inverse temperature of the softmax over clients; > 0.
    pub beta: f64,
    /// The belief that the mass flows through.
    pub carrier: Carrier,
    /// Which samples make the mass.
    pub mass: MassFrom,
    /// What the mean is taken of.
    pub space: Space,
}

/// The belief that the mass flows through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Carrier {
    /// The last aggregate; in round 1 what the coordinator sent first.
    #[default]
    Aggregate,
    /// The belief that the client reports.
    Own,
}

impl Default for ProximityParams {
    fn default() -> Self {
        Self {
            beta: 0.15,
            carrier: Carrier::default(),
            mass: MassFrom::default(),
            space: Space::default(),
        }
    }
}

impl ProximityParams {
    /// The aggregator, if the settings are in range.
    ///
    /// # Errors
    /// [`ParamsError`] if beta is not a finite number above 0.
    pub fn check(self) -> Result<Proximity, ParamsError> {
        ParamsError::positive("beta", self.beta)?;
        Ok(Proximity { params: self })
    }
}

/// Softmax over the mass that reaches an edge.
#[derive(Clone, Debug)]
pub struct Proximity {
    params: ProximityParams,
}

impl Proximity {
    fn weights(&self, previous: &Belief, views: &[View]) -> Weights {
        let last = previous.psi();
        let flows: Vec<Array2<f64>> = masses(views, self.params.mass)
            .iter()
            .zip(views)
            .map(|(mass, view)| match self.params.carrier {
                Carrier::Aggregate => reliability(mass, &last),
                Carrier::Own => reliability(mass, &view.psi),
            })
            .collect();
        let pairs: Vec<Array2<f64>> = flows.iter().map(either_way).collect();
        Weights {
            edge: softmax(self.params.beta, &flows),
            pair: softmax(self.params.beta, &pairs),
        }
    }
}

impl Aggregator for Proximity {
    /// Complexity: O(clients * N^2).
    fn aggregate(
        &self,
        previous: &Belief,
        reports: &[ClientReport],
    ) -> Result<Belief, AggregateError> {
        let views = views(previous.n_vars(), reports)?;
        let weights = self.weights(previous, &views);
        pool(self.params.space, &views, &weights)
    }

    fn shares(
        &self,
        previous: &Belief,
        reports: &[ClientReport],
    ) -> Result<Option<Shares>, AggregateError> {
        let views = views(previous.n_vars(), reports)?;
        let weights = self.weights(previous, &views);
        Ok(Some(weights.shares(self.params.space, &views)))
    }
}

/// The larger of the two directions, for both.
fn either_way(flow: &Array2<f64>) -> Array2<f64> {
    Array2::from_shape_fn(flow.dim(), |(i, j)| flow[(i, j)].max(flow[(j, i)]))
}

/// Weights in proportion to e^(beta r); the largest r of each entry is taken off first, so that
/// no exponential overflows.
fn softmax(beta: f64, scores: &[Array2<f64>]) -> Vec<Array2<f64>> {
    let mut largest = scores[0].clone();
    for score in scores {
        largest.zip_mut_with(score, |a, b| *a = a.max(*b));
    }
    let weight = |score: &Array2<f64>| (score - &largest).mapv(|gap| (beta * gap).exp());
    let weights: Vec<Array2<f64>> = scores.iter().map(weight).collect();
    let mut sum = Array2::zeros(largest.dim());
    weights.iter().for_each(|weight| sum += weight);
    weights.into_iter().map(|weight| weight / &sum).collect()
}

#[cfg(test)]
mod tests {
    use super::super::sample_reports::psi_report;
    use super::*;

    /// A matrix over X1..X6 from `(cause, effect, psi)`, counted from 1 as in the paper.
    fn toy(edges: &[(usize, usize, f64)]) -> Array2<f64> {
        let mut psi = Array2::zeros((6, 6));
        for &(cause, effect, p) in edges {
            psi[(cause - 1, effect - 1)] = p;
        }
        psi
    }

    fn toy_reports() -> [ClientReport; 2] {
        let one = [(1, 2, 0.6), (1, 3, 0.6), (3, 4, 0.5), (3, 5, 0.9)];
        let one = [&one[..], &[(5, 6, 0.8), (4, 6, 0.7)]].concat();
        let two = [(1, 2, 0.5), (1, 3, 0.5), (3, 4, 0.8), (3, 5, 0.9)];
        let two = [&two[..], &[(5, 6, 0.5), (4, 6, 0.5)]].concat();
        [
            psi_report(1, toy(&one), &[100, 0, 0, 0, 0, 0]),
            psi_report(2, toy(&two), &[0, 0, 100, 0, 0, 0]),
        ]
    }

    #[test]
    fn the_papers_example_with_its_slip_corrected() {
        let reports = toy_reports();
        let views = views(6, &reports).unwrap();
        let masses = masses(&views, MassFrom::Interventional);
        assert_eq!(masses[1], [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        let flows: Vec<_> = masses
            .iter()
            .zip(&views)
            .map(|(mass, view)| reliability(mass, &view.psi))
            .collect();
        let close = |a: f64, b: f64, by: f64| assert!((a - b).abs() < by, "{a} {b}");
        close(flows[0][(4, 5)], 0.6 * 0.9 * 0.8, 1e-15); // 0.432
        close(flows[1][(4, 5)], 0.9 * 0.5, 1e-15); // 0.450, printed as 0.540
        let weights = softmax(2.0, &flows);
        close(weights[0][(4, 5)], 0.491, 5e-4);
        close(weights[1][(4, 5)], 0.509, 5e-4);
        // psi* of X5 -> X6: 0.491 * 0.8 + 0.509 * 0.5 = 0.6473.
        let params = ProximityParams {
            beta: 2.0,
            carrier: Carrier::Own,
            space: Space::Psi,
            ..ProximityParams::default()
        };
        let proximity = params.check().unwrap();
        let belief = proximity.aggregate(&Belief::uninformed(6), &reports);
        close(belief.unwrap().psi()[(4, 5)], 0.6473, 1e-3);
    }

    #[test]
    fn beta_of_zero_or_less_is_refused() {
        for beta in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let params = ProximityParams {
                beta,
                ..ProximityParams::default()
            };
            assert_eq!(params.check().unwrap_err().field, "beta");
        }
    }

    #[test]
    fn without_interventions_clients_count_equally() {
        let reports = [
            psi_report(0, toy(&[(1, 2, 0.8)]), &[0; 6]),
            psi_report(1, toy(&[(1, 2, 0.2)]), &[0; 6]),
        ];
        let params = ProximityParams {
            beta: 10.0,
            space: Space::Psi,
            ..ProximityParams::default()
        };
        let proximity = params.check().unwrap();
        let belief = proximity.aggregate(&Belief::uninformed(6), &reports);
        assert!((belief.unwrap().psi()[(0, 1)] - 0.5).abs() < 1e-3);
    }
}
