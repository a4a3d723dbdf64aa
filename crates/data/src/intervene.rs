//! Interventions: the network that is left when the experimenter sets variables.
//!
//! Paper: section 3, assumptions "perfect interventions" and "stochastic and known interventions".

use std::sync::Arc;

use fedcdi_core::{Regime, Seed, VarId};
use serde::{Deserialize, Serialize};

use crate::mechanism::{Cpt, Mechanism, NeuralConditional};
use crate::network::Network;

/// What an intervention does to its targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InterventionKind {
    /// The target is drawn uniformly from its categories, whatever its parents are.
    #[default]
    Perfect,
    /// The target keeps its parents, but follows another random conditional.
    Soft,
}

impl Network {
    /// The network under `regime`: every target follows what `kind` says, all else is unchanged.
    /// Soft replacements depend on `seed` and target alone: the same in every regime.
    #[must_use]
    pub fn under(&self, regime: &Regime, kind: InterventionKind, seed: Seed) -> Self {
        let mut mechanisms = self.mechanisms().to_vec();
        for &target in regime.targets() {
            mechanisms[target.index()] = self.replacement(target, kind, seed);
        }
        Self::new(Arc::clone(self.schema()), mechanisms)
            .expect("a target keeps its parents or loses them all")
    }

    fn replacement(&self, target: VarId, kind: InterventionKind, seed: Seed) -> Mechanism {
        let old = &self.mechanisms()[target.index()];
        match kind {
            InterventionKind::Perfect => Mechanism::Table(Cpt::uniform(old.n_categories())),
            InterventionKind::Soft => {
                let counts = old.parent_categories().iter().copied();
                let parents = old.parents().iter().copied().zip(counts).collect();
                let seed = seed.derive("soft", target.index());
                let new = NeuralConditional::random(parents, old.n_categories(), seed);
                Mechanism::Neural(new)
            }
        }
    }
}
