//! The law of one real variable given its parents.
//!
//! Paper: DCDI (Brouillard et al. 2020), appendix on synthetic data: linear, nonlinear with additive
//! noise, nonlinear with noise that is not additive.
//!
//! | family | formula | parameters |
//! |---|---|---|
//! | linear | `w x + 0.4 e` | w uniform in size between 0.25 and 1, random sign |
//! | additive | `b . prelu(A x + a) + c + 0.4 e`, 10 units, slope 0.25 | A, b normal; a, c uniform within one over the root of their inputs |
//! | neural | `b . tanh(A [x, 0.4 e] + a) + c`, 20 units | as above |
//! | no parents | `e` | |
//!
//! The noise e is normal with variance 1 without parents, else with one between 1 and 2 that belongs
//! to the variable.

use fedcdi_core::Seed;
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

use super::Parents;

/// How a real variable follows from its parents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RealFamily {
    /// A weighted sum of the parents, plus noise; weights between 0.25 and 1 in size.
    Linear,
    /// A random network of the parents, plus noise.
    Additive,
    /// A random network of the parents and the noise.
    Neural,
}

/// What the noise of a variable with parents is multiplied by.
const NOISE: f64 = 0.4;

/// Hidden units of the additive and of the neural family.
const UNITS: [usize; 2] = [10, 20];

/// Slope below zero of the additive family's units.
const SLOPE: f64 = 0.25;

/// A real variable as a function of its parents and noise.
#[derive(Clone, Debug, PartialEq)]
pub struct RealMechanism {
    pub(super) parents: Parents,
    pub(crate) family: RealFamily,
    deviation: f64,
    shape: Shape,
}

#[derive(Clone, Debug, PartialEq)]
enum Shape {
    /// Weights of the parents.
    Linear(Vec<f64>),
    /// Noise is added to the outcome.
    Additive(Units),
    /// Noise is the last input.
    Neural(Units),
}

/// One hidden layer.
#[derive(Clone, Debug, PartialEq)]
struct Units {
    /// `[unit][input]`.
    weights: Vec<Vec<f64>>,
    biases: Vec<f64>,
    output: Vec<f64>,
    output_bias: f64,
}

impl RealMechanism {
    pub(crate) fn random(parents: Parents, family: RealFamily, seed: Seed) -> Self {
        let mut rng = seed.rng();
        let n = parents.ids.len();
        let variance: f64 = 1.0 + rng.random_range(0.0..1.0);
        let shape = match family {
            RealFamily::Linear => Shape::Linear((0..n).map(|_| weight(&mut rng)).collect()),
            _ if n == 0 => Shape::Linear(Vec::new()),
            RealFamily::Additive => Shape::Additive(Units::random(n, UNITS[0], &mut rng)),
            RealFamily::Neural => Shape::Neural(Units::random(n + 1, UNITS[1], &mut rng)),
        };
        Self {
            deviation: if n == 0 { 1.0 } else { variance.sqrt() },
            parents,
            family,
            shape,
        }
    }

    /// Draws the variable given its parents' values, which become scratch.
    pub(crate) fn draw(&self, values: &mut Vec<f64>, rng: &mut impl Rng) -> f64 {
        let normal: f64 = StandardNormal.sample(rng);
        let noise = self.deviation * normal;
        let scaled = NOISE * noise;
        match &self.shape {
            Shape::Linear(weights) if weights.is_empty() => noise,
            Shape::Linear(weights) => dot(weights, values) + scaled,
            Shape::Additive(units) => {
                let unit = |z: f64| if z > 0.0 { z } else { SLOPE * z };
                units.apply(values, unit) + scaled
            }
            Shape::Neural(units) => {
                values.push(scaled);
                units.apply(values, f64::tanh)
            }
        }
    }
}

impl Units {
    fn random(n_inputs: usize, n_units: usize, rng: &mut impl Rng) -> Self {
        let row = |rng: &mut _, n: usize| -> Vec<f64> {
            (0..n).map(|_| StandardNormal.sample(rng)).collect()
        };
        let bounds = [n_inputs, n_units].map(|n| 1.0 / (n as f64).sqrt());
        Self {
            weights: (0..n_units).map(|_| row(rng, n_inputs)).collect(),
            biases: (0..n_units)
                .map(|_| rng.random_range(-bounds[0]..bounds[0]))
                .collect(),
            output: row(rng, n_units),
            output_bias: rng.random_range(-bounds[1]..bounds[1]),
        }
    }

    fn apply(&self, inputs: &[f64], unit: impl Fn(f64) -> f64) -> f64 {
        let outputs = self.weights.iter().zip(&self.biases).zip(&self.output);
        let sum: f64 = outputs
            .map(|((weights, bias), output)| output * unit(dot(weights, inputs) + bias))
            .sum();
        sum + self.output_bias
    }
}

/// Between 0.25 and 1 in size.
fn weight(rng: &mut impl Rng) -> f64 {
    let size = rng.random_range(0.25..1.0);
    if rng.random_bool(0.5) { size } else { -size }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
