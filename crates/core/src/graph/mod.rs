//! Directed graphs over variables. Edges always point from cause to effect.
//!
//! | item | holds |
//! |---|---|
//! | [`Digraph`], [`Dag`], [`Cpdag`] | may have cycles; acyclic by construction; equivalence class |
//! | [`Posterior`], [`Settled`] | probabilities, and the graph and class that agree with them; which experiment next |
//! | [`Members`] | all graphs of an equivalence class, without listing them |
//! | [`VarSet`] | a set of variables, one bit each |
//! | [`extract`] | belief to graph |
//! | [`metrics`], [`sid()`] | distances and counts between graphs |
//! | [`probability`] | scores of edge probabilities |
//! | [`confidence()`] | probabilities of edges, given that there is no cycle |
//! | [`Posterior`] | three probabilities per pair, and a graph that agrees with them |
//! | [`consensus`] | how far clients agree |

mod confidence;
pub mod consensus;
mod cpdag;
mod dag;
mod digraph;
mod experiment;
pub mod extract;
mod member;
mod members;
pub mod metrics;
mod posterior;
pub mod probability;
mod sid;
mod varset;

pub use confidence::confidence;
pub use consensus::vote_entropy;
pub use cpdag::Cpdag;
pub use dag::{CycleError, Dag};
pub use digraph::Digraph;
pub use members::Members;
pub use metrics::{Confusion, GraphScores, shd};
pub use posterior::{Posterior, Settled};
pub use probability::ProbabilityScores;
pub use sid::sid;
pub use varset::VarSet;
