//! Where samples come from.
//!
//! | module | holds |
//! |---|---|
//! | [`graphs`] | random and structured causal graphs of the paper |
//! | [`mechanism`] | true conditionals: probability tables, random neural networks |
//! | [`network`] | [`Network`]: a causal graph with its mechanisms |
//! | [`networks`] | networks built in by name: asia, sachs, alarm |
//! | [`intervene`] | the network under an intervention |
//! | [`mod@sample`] | drawing samples from a network |
//! | [`real`] | generated data of real variables |
//! | [`inspect`] | counts and warnings of a table |
//! | [`split`] | dividing a dataset over clients |
//! | [`study`] | [`Study`]: the tables of all clients, as a folder |
//! | [`read`], [`mod@write`] | files: tables, networks, graphs; [`FileError`] says what is wrong with one |

pub mod file_error;
pub mod graphs;
pub mod inspect;
pub mod intervene;
pub mod mechanism;
pub mod named_graph;
pub mod network;
pub mod networks;
pub mod read;
pub mod real;
pub mod sample;
pub mod split;
pub mod study;
pub mod write;

pub use file_error::FileError;
pub use graphs::GraphKind;
pub use inspect::Inspection;
pub use intervene::InterventionKind;
pub use mechanism::{Cpt, Mechanism};
pub use named_graph::NamedGraph;
pub use network::Network;
pub use real::{RealFamily, RealNetwork, SetTo, sample_real, standardise};
pub use sample::{SamplePlan, sample};
pub use split::{SplitPlan, TargetSplit};
pub use study::Study;
