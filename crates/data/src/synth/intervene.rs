//! Interventions: the network that is left when the experimenter sets variables.
//!
//! Paper: section 3, assumptions "perfect interventions" and "stochastic and known interventions".

use std::sync::Arc;

use fedcdi_core::{Regime, Seed, VarId};
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

use super::mechanism::{Cpt, Mechanism, NeuralConditional, RealMechanism};
use super::network::Network;

/// What an intervention does to its targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InterventionKind {
    /// The target is drawn whatever its parents are: uniformly from its categories, or from
    /// [`SetTo`].
    #[default]
    Perfect,
    /// The target keeps its parents, but follows another random conditional.
    Soft,
}

/// What a perfect intervention draws a real target from.
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
    pub(super) fn draw(self, rng: &mut impl Rng) -> f64 {
        let normal = |rng| -> f64 { StandardNormal.sample(rng) };
        match self {
            Self::Uniform => rng.random_range(-1.0..1.0),
            Self::Normal => normal(rng),
            Self::Shifted => 2.0 + normal(rng),
        }
    }
}

impl Network {
    /// The network under `regime`: every target follows what `kind` says, all else is unchanged.
    /// Soft replacements depend on `seed` and target alone: the same in every regime.
    #[must_use]
    pub fn under(
        &self,
        regime: &Regime,
        kind: InterventionKind,
        set_to: SetTo,
        seed: Seed,
    ) -> Self {
        let mut mechanisms = self.mechanisms().to_vec();
        for &target in regime.targets() {
            let old = &self.mechanisms()[target.index()];
            mechanisms[target.index()] = match kind {
                InterventionKind::Perfect if old.n_categories() == 0 => Mechanism::Set(set_to),
                InterventionKind::Perfect => Mechanism::Table(Cpt::uniform(old.n_categories())),
                InterventionKind::Soft => redrawn(old, target, seed),
            };
        }
        Self::new(Arc::clone(self.schema()), mechanisms)
            .expect("a target keeps its parents or loses them all")
    }
}

fn redrawn(old: &Mechanism, target: VarId, seed: Seed) -> Mechanism {
    let seed = seed.derive("soft", target.index());
    let (parents, n) = (old.parents_with_categories().clone(), old.n_categories());
    match old {
        Mechanism::Real(old) => Mechanism::Real(RealMechanism::random(parents, old.family, seed)),
        Mechanism::Set(set_to) => Mechanism::Set(*set_to),
        Mechanism::Table(_) | Mechanism::Neural(_) => {
            Mechanism::Neural(NeuralConditional::random(parents, n, seed))
        }
    }
}
