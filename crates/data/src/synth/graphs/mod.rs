//! Causal graphs of the paper: random ones and five structured families.

mod erdos_renyi;
mod kind;
mod structured;

pub use kind::{GraphError, GraphKind, MAX_VARS};
