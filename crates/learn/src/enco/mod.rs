//! ENCO (Lippe, Cohen, Gavves, ICLR 2022): existence and orientation of every edge, fitted by
//! comparing conditional networks under sampled graphs on interventional rows.
//!
//! | module | holds |
//! |---|---|
//! | [`params`], [`choices`], `by_rows` | settings, and what they come to where rows are few |
//! | `paper` | the settings of the paper |
//! | [`method`] | [`Enco`]: one round, as a [`LocalMethod`](fedcdi_core::LocalMethod) |
//! | [`distribution`], [`graph_fit`] | the two stages |
//! | [`estimator`], [`regression`], [`gradient`], [`optimiser`] | from likelihoods to moves of the logits |
//! | [`prior`], [`logits`] | the belief a round starts from, and known edges |
//! | [`schedule`] | which rows feed which step |
//! | [`confounder`] | scores of latent confounders |

mod by_rows;
pub mod choices;
pub mod confounder;
pub mod distribution;
pub mod estimator;
pub mod gradient;
pub mod graph_fit;
pub mod logits;
pub mod method;
pub mod optimiser;
mod paper;
pub mod params;
pub mod prior;
pub mod regression;
mod round;
pub mod schedule;
#[cfg(test)]
mod tests;

pub use choices::{Estimator, Holdout, Networks, PriorLoss, Start, WeightDecay};
pub use logits::EdgeRules;
pub use method::Enco;
pub use params::EncoParams;
