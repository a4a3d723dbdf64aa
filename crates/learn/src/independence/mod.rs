//! Statistical tests: whether two variables are independent given others, in observational samples,
//! and whether a variable's law given others is the same in two regimes.
//!
//! | test | file | independence | invariance |
//! |---|---|---|---|
//! | G | `g_test` | G in every combination of the given variables | of the variable and a label of the regime |
//! | additive logistic | `logistic` | likelihood ratio with and without one term | the same with the label |
//! | Gaussian | `gaussian` | partial correlation, Fisher z | variance ratio and regression coefficients |
//! | HSIC | `hsic` | kernel statistic of residuals, gamma null | of the variable and the label |
//!
//! A test that the samples are too few for says independent, or invariant.

pub mod counts;
pub mod disclosed;
pub mod edge_tests;
mod g_test;
mod gaussian;
mod hsic;
mod independence_tests;
mod logistic;
mod params;
pub(crate) mod reals;
pub mod strata;
mod summed;
mod tail;
mod targets;

pub use independence_tests::IndependenceTests;
pub use params::TestParams;
pub use reals::{reals_by_regime, reals_of};
pub use targets::{check_conservative, target_sets};
