//! What a site runs: methods that learn from rows, and the tests and scores of rows.
//!
//! | module | holds |
//! |---|---|
//! | [`registry`] | local methods by name |
//! | [`enco`] | ENCO: the usual local method |
//! | [`dcdi`] | DCDI: networks and logits together, under a constraint against cycles |
//! | [`sdi`] | SDI: the same with one logit per edge |
//! | `nn` | masked per-variable networks: layers, loss head, optimiser |
//! | [`predict`] | variables predicted from others, for DCDI and FedDAG |
//! | [`fit`] | rows, draws, optimisers and models that methods share |
//! | [`independence`] | tests of independence and invariance, and the rows counted for them |
//! | [`score`] | decomposable scores of a variable with its parents |
//! | [`sufficiency`] | is the data enough? |
//! | [`Observer`] | watching a run |
//! | [`LearnError`] | how learning can fail |
//!
//! The same seed gives the same bytes at any number of threads.

mod about;
#[doc(hidden)]
pub mod bench;
pub mod dcdi;
pub mod enco;
pub mod fit;
mod in_order;
pub mod independence;
mod learn_error;
mod nn;
pub mod predict;
mod progress;
pub mod registry;
pub mod score;
pub mod sdi;
pub mod sufficiency;

pub use about::{About, TableKind};
pub use learn_error::LearnError;
pub use progress::{Observer, Progress, Stage};
