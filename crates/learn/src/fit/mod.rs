//! What methods fit with: rows as networks want them, random draws, optimisers, linear algebra.
//!
//! | module | holds |
//! |---|---|
//! | `conditional` | one variable's network in training and in use |
//! | `parent_sets`, `sampled_sets` | distinct sampled parent sets, and the likelihood under each |
//! | `samples`, `batches`, `draws` | data, batches, random draws as the loops want them |
//! | `exponential` | the matrix exponential, for penalties of cycles |
//! | `edge_rules` | known edges, as logits that never move |
//! | `logit_adam` | the optimiser of a matrix of logits |
//! | [`linear`] | small linear algebra |
//! | `logistic` | the additive multinomial logistic model that a score and a test share |
//! | `setup` | what ENCO and SDI keep from round to round |

pub(crate) mod batches;
pub(crate) mod conditional;
pub(crate) mod draws;
pub(crate) mod edge_rules;
pub(crate) mod exponential;
pub mod linear;
pub(crate) mod logistic;
pub(crate) mod logit_adam;
pub(crate) mod parent_sets;
pub(crate) mod pool;
pub(crate) mod sampled_sets;
pub(crate) mod samples;
pub(crate) mod setup;
#[cfg(test)]
mod tests;

pub use batches::Batches;
pub use exponential::Exponential;
pub use logit_adam::LogitAdam;
pub use samples::Samples;
