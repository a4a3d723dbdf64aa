//! What methods fit with: rows as networks want them, random draws, optimisers, linear algebra.
//!
//! | module | holds |
//! |---|---|
//! | [`conditional`] | one variable's network in training and in use |
//! | [`parent_sets`] | distinct sampled parent sets |
//! | [`samples`], [`batches`], [`draws`] | data, batches, random draws as the loops want them |
//! | [`exponential`] | the matrix exponential, for penalties of cycles |
//! | [`edge_rules`] | known edges, as logits that never move |
//! | [`logit_adam`] | the optimiser of a matrix of logits |
//! | [`linear`] | small linear algebra |
//! | [`logistic`] | the additive multinomial logistic model that a score and a test share |
//! | `setup` | what ENCO and SDI keep from round to round |

pub mod batches;
pub mod conditional;
pub mod draws;
pub mod edge_rules;
pub mod exponential;
pub mod linear;
pub mod logistic;
pub mod logit_adam;
pub mod parent_sets;
pub(crate) mod pool;
pub mod samples;
pub(crate) mod setup;
#[cfg(test)]
mod tests;

pub use pool::Pool;
