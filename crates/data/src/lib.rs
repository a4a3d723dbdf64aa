//! Where samples come from.
//!
//! | module | holds |
//! |---|---|
//! | [`graphs`] | random and structured causal graphs of the paper |
//! | [`mechanism`] | true conditionals: probability tables, random neural networks |
//! | [`network`] | [`Network`]: a causal graph with its mechanisms |
//! | [`networks`] | networks built in by name: asia, sachs, alarm |
//! | [`intervene`] | the network under an intervention |
//! | [`sample`] | drawing samples from a network |
//! | [`inspect`] | counts and warnings of a table |
//! | [`split`] | dividing a dataset over clients |

pub mod graphs;
pub mod inspect;
pub mod intervene;
pub mod mechanism;
pub mod network;
pub mod networks;
pub mod sample;
pub mod split;

pub use graphs::GraphKind;
pub use inspect::Inspection;
pub use intervene::InterventionKind;
pub use mechanism::{Cpt, Mechanism};
pub use network::Network;
pub use sample::{SamplePlan, sample};
pub use split::{SplitPlan, TargetSplit};
