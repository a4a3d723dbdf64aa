//! Everything of fedcdi that fits.
//!
//! | module | holds |
//! |---|---|
//! | [`baseline`] | rivals: GIES, IGSP, NOTEARS-ADMM, FedDAG, and the scores and tests they search by |
//! | [`learn_error`] | [`LearnError`]: how learning can fail |
//! | [`enco`] | ENCO: the local method, and centralised discovery |
//! | [`dcdi`] | DCDI: networks and logits together, under a constraint against cycles |
//! | [`sdi`] | SDI: the same with one logit per edge |
//! | [`nn`] | masked per-variable networks: layers, loss head, optimiser |
//! | [`predict`] | variables predicted from others, for DCDI and FedDAG |
//! | [`conditional`] | one variable's network in training and in use |
//! | [`parent_sets`] | distinct sampled parent sets |
//! | [`samples`], [`batches`], [`draws`] | data, batches, random draws as the loops want them |
//! | [`exponential`] | the matrix exponential, for penalties of cycles |
//! | [`disclosed`] | the same of what may leave a site |
//! | [`strata`] | the G statistic, for pruning and for tests |
//! | [`edge_rules`] | known edges, as logits that never move |
//! | [`logit_adam`] | the optimiser of a matrix of logits |
//! | [`pruning`], [`grafting`] | edges taken back or brought in, and the tests behind it |
//! | `setup` | what ENCO and SDI keep from round to round |
//! | [`rounds`] | discovery on one dataset, round by round |
//! | [`progress`] | watching a run |
//! | [`registry`] | local methods by name |
//!
//! The same seed gives the same bytes at any number of threads.

pub mod baseline;
pub mod batches;
pub mod conditional;
pub mod dcdi;
pub mod disclosed;
pub mod draws;
pub mod edge_rules;
pub mod enco;
pub mod exponential;
pub mod grafting;
pub mod learn_error;
pub mod logit_adam;
pub mod nn;
pub mod parent_sets;
mod pool;
pub mod predict;
pub mod progress;
pub mod pruning;
pub mod registry;
pub mod rounds;
pub mod samples;
pub mod sdi;
mod setup;
pub mod strata;

pub use learn_error::LearnError;
pub use pool::Pool;
pub use progress::{Observer, Progress, Stage};
