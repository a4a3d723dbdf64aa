//! ENCO (Lippe, Cohen, Gavves, ICLR 2022): existence and orientation of every edge, fitted by
//! comparing conditional networks under sampled graphs on interventional rows.
//!
//! | module | holds |
//! |---|---|
//! | `params`, `choices`, `by_rows` | settings, and what they come to where rows are few |
//! | `paper` | the settings of the paper |
//! | `method` | [`Enco`]: one round, as a [`LocalMethod`](fedcdi_core::LocalMethod) |
//! | `distribution`, `graph_fit` | the two stages |
//! | `estimator`, `regression`, `gradient`, `optimiser` | from likelihoods to moves of the logits |
//! | `prior`, `logits` | the belief a round starts from, and known edges |
//! | `schedule` | which rows feed which step |
//! | `confounder` | scores of latent confounders |

mod by_rows;
pub(crate) mod choices;
pub(crate) mod confounder;
pub(crate) mod distribution;
pub(crate) mod estimator;
pub(crate) mod gradient;
pub(crate) mod graph_fit;
pub(crate) mod logits;
pub(crate) mod method;
pub(crate) mod optimiser;
mod paper;
pub(crate) mod params;
pub(crate) mod prior;
pub(crate) mod regression;
mod round;
pub(crate) mod schedule;
#[cfg(test)]
mod tests;

pub use choices::{Estimator, Holdout, PriorLoss, Start, WeightDecay};
pub use method::Enco;
pub use params::EncoParams;
