//! Generated data: graphs, networks, their mechanisms, interventions, samples and splits.
//!
//! | module | holds |
//! |---|---|
//! | [`graphs`] | random and structured causal graphs of the paper |
//! | [`mechanism`] | true conditionals: probability tables, random networks, real functions with noise |
//! | [`network`] | [`Network`]: a causal graph with its mechanisms |
//! | [`networks`] | networks built in by name: asia, sachs, alarm |
//! | [`intervene`] | the network under an intervention |
//! | [`mod@sample`] | drawing samples from a network |
//! | [`split`] | dividing a dataset over clients |

pub mod graphs;
pub mod intervene;
pub mod mechanism;
pub mod network;
pub mod networks;
pub mod sample;
pub mod split;

pub use graphs::GraphKind;
pub use intervene::{InterventionKind, SetTo};
pub use mechanism::{Cpt, Mechanism, RealFamily};
pub use network::Network;
pub use sample::{SamplePlan, sample, standardise};
pub use split::{SplitPlan, TargetSplit};
