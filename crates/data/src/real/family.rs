//! Kinds of mechanisms and of interventions.

use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

/// How a real variable follows from its parents; noise comes with a factor of
/// [`RealFamily::NOISE`].
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

impl RealFamily {
    /// What noise is multiplied by.
    pub const NOISE: f64 = 0.4;
}

/// What a perfect intervention draws its target from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SetTo {
    /// Uniform between -1 and 1.
    #[default]
    Uniform,
    /// Normal with mean 0 and deviation 1.
    Normal,
    /// Normal with mean 2 and deviation 1.
    Shifted,
}

impl SetTo {
    /// One draw.
    pub fn draw(self, rng: &mut impl Rng) -> f64 {
        match self {
            Self::Uniform => rng.random_range(-1.0..1.0),
            Self::Normal => StandardNormal.sample(rng),
            Self::Shifted => {
                let normal: f64 = StandardNormal.sample(rng);
                2.0 + normal
            }
        }
    }
}
