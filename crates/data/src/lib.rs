//! Where samples come from.
//!
//! | module | holds |
//! |---|---|
//! | [`mechanism`] | true conditionals: probability tables, random neural networks |
//! | [`network`] | [`Network`]: a causal graph with its mechanisms |

pub mod mechanism;
pub mod network;

pub use mechanism::{Cpt, Mechanism};
pub use network::Network;
