//! Everything of fedcdi that fits.
//!
//! | module | holds |
//! |---|---|
//! | [`aggregate`] | rules that turn the reports of a round into one belief |
//! | [`baseline`] | rivals: GIES, IGSP, NOTEARS-ADMM, and the scores and tests they search by |
//! | [`learn_error`] | [`LearnError`]: how learning can fail |
//! | [`enco`] | ENCO: the local method, and centralised discovery |
//! | [`nn`] | masked per-variable networks: layers, loss head, optimiser |
//! | [`conditional`] | one variable's network in training and in use |
//! | [`parent_sets`] | distinct sampled parent sets |
//! | [`samples`], [`batches`], [`draws`] | data, batches, random draws as the loops want them |
//! | [`exponential`] | the matrix exponential, for penalties of cycles |
//! | [`strata`] | the G statistic, for pruning and for tests |
//! | [`progress`] | watching a run |
//!
//! The same seed gives the same bytes at any number of threads.

pub mod aggregate;
pub mod baseline;
pub mod batches;
pub mod conditional;
pub mod draws;
pub mod enco;
pub mod exponential;
pub mod learn_error;
pub mod nn;
pub mod parent_sets;
mod pool;
pub mod progress;
pub mod samples;
pub mod strata;

pub use learn_error::LearnError;
pub use pool::Pool;
pub use progress::{Observer, Progress, Stage};
