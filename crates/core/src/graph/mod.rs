//! Directed graphs over variables. Edges always point from cause to effect.

mod dag;
mod digraph;
pub mod extract;
mod varset;

pub use dag::{CycleError, Dag};
pub use digraph::Digraph;
pub use varset::VarSet;
