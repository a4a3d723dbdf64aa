//! Where samples come from.
//!
//! | module | holds |
//! |---|---|
//! | [`mechanism`] | true conditionals: probability tables, random neural networks |
//! | [`read`], [`write`] | files: tables, networks, graphs; [`FileError`] says what is wrong with one |
//! | [`network`] | [`Network`]: a causal graph with its mechanisms |

pub mod file_error;
pub mod mechanism;
pub mod named_graph;
pub mod network;
pub mod read;
pub mod write;

pub use file_error::FileError;
pub use mechanism::{Cpt, Mechanism};
pub use named_graph::NamedGraph;
pub use network::Network;
