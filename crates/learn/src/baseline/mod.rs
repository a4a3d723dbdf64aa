//! The rivals: causal discovery from pooled rows, by score or by test.
//!
//! | module | holds |
//! |---|---|
//! | [`gies`] | greedy interventional equivalence search (Hauser and Bühlmann 2012); GES without interventions |
//! | [`score`] | decomposable scores of a variable with its parents |
//! | [`logistic`] | the additive multinomial logistic model that a score and a test share |
//! | [`counted`], [`real_samples`], [`linear`] | samples as tables and as numbers; small linear algebra |
//! | [`target_family`] | which variables the regimes intervene on |

pub mod counted;
pub mod gies;
pub mod linear;
pub mod logistic;
pub mod real_samples;
pub mod score;
pub mod target_family;

pub use counted::Counted;
pub use real_samples::RealSamples;
pub use target_family::TargetFamily;
