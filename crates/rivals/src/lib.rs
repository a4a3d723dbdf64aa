//! The rivals: causal discovery by score, by test or by gradients, from pooled rows or among sites.
//!
//! | module | holds |
//! |---|---|
//! | [`registry`] | all of them by name |
//! | [`gies`] | greedy interventional equivalence search (Hauser and Bühlmann 2012); GES without interventions |
//! | [`igsp`] | interventional greedy sparsest permutations (Wang et al. 2017), known and unknown targets |
//! | [`notears`] | NOTEARS and NOTEARS-ADMM (Ng and Zhang 2022): one or more sites |
//! | [`feddag`] | FedDAG (Gao et al. 2023): networks under a shared mask |
//! | [`rows`] | which rows methods for observational data use |
//! | [`weighted_dag`] | a graph from weights |
//! | [`mod@vote`] | one belief from the graphs of several sites |

mod ending;
pub mod feddag;
pub mod gies;
pub mod igsp;
pub mod notears;
pub mod registry;
mod rival_fit;
pub mod rows;
#[cfg(test)]
mod test_data;
pub mod vote;
pub mod weighted_dag;

pub use ending::Ending;
pub use registry::{Rival, Rivals, standard};
pub use rival_fit::{RivalFit, WeightKind, Weights};
