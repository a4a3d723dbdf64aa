//! The rivals: causal discovery by score, by test or by gradients, from pooled rows or among clients.
//!
//! | module | holds |
//! |---|---|
//! | [`gies`] | greedy interventional equivalence search (Hauser and Bühlmann 2012); GES without interventions |
//! | [`igsp`] | interventional greedy sparsest permutations (Wang et al. 2017), known and unknown targets |
//! | [`notears`] | NOTEARS and NOTEARS-ADMM (Ng and Zhang 2022): one or more clients |
//! | [`feddag`] | FedDAG (Gao et al. 2023): networks under a shared mask |
//! | [`mod@test`] | independence within the observational samples, invariance between regimes |
//! | [`score`] | decomposable scores of a variable with its parents |
//! | [`logistic`] | the additive multinomial logistic model that a score and a test share |
//! | [`counted`], [`real_samples`], [`linear`] | samples as tables and as numbers; small linear algebra |
//! | [`target_family`] | which variables the regimes intervene on |
//! | [`rows`] | which rows methods for observational data use |
//! | [`weighted_dag`] | a graph from weights |
//! | [`mod@vote`] | one belief from the graphs of several clients |

pub mod counted;
pub mod feddag;
pub mod gies;
pub mod igsp;
#[cfg(test)]
mod impatient;
pub mod linear;
pub mod logistic;
pub mod notears;
pub mod real_samples;
pub mod rows;
pub mod score;
mod stop_reason;
pub mod target_family;
pub mod test;
pub mod vote;
pub mod weighted_dag;

pub use counted::Counted;
pub use real_samples::RealSamples;
pub use stop_reason::StopReason;
pub use target_family::TargetFamily;
