//! Statistical tests: whether two variables are independent given others, in observational samples,
//! and whether a variable's law given others is the same in two regimes.
//!
//! | test | file | independence | invariance |
//! |---|---|---|---|
//! | G | [`g_test`] | G in every combination of the given variables | of the variable and a label of the regime |
//! | additive logistic | [`logistic`] | likelihood ratio with and without one term | the same with the label |
//! | Gaussian | [`gaussian`] | partial correlation, Fisher z | variance ratio and regression coefficients |
//! | HSIC | [`hsic`] | kernel statistic of residuals, gamma null | of the variable and the label |
//!
//! A test that the samples are too few for says independent, or invariant.

pub mod counted;
pub mod disclosed;
pub mod edge_tests;
mod evidence;
pub mod g_test;
pub mod gaussian;
pub mod hsic;
pub mod logistic;
mod memo;
mod params;
pub mod real_samples;
pub mod strata;
pub mod tail;
pub mod target_family;

pub use counted::Counted;
pub use evidence::Evidence;
pub use g_test::GTest;
pub use gaussian::GaussianTest;
pub use hsic::Hsic;
pub use logistic::LogisticTest;
pub use memo::TestMemo;
pub use params::TestParams;
pub use real_samples::RealSamples;
pub use target_family::TargetFamily;
