//! The data dictionary of a study: which variables there are, and which labels they have.
//!
//! Every site makes its [`Part`] from its own table: rare labels are hidden, because a label of one row
//! may be about one person. The parts are merged into the study's dictionary, or every difference
//! between them is named.

mod differences;
mod merge;
mod part;

pub use differences::Differences;
pub use merge::{Merged, merge};
pub use part::{Hidden, Part, PartVariable};
