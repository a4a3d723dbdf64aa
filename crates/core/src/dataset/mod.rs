//! Categorical and real samples: a [`Dataset`] of compact [`Column`]s, each sample with its regime.

mod builder;
mod check;
mod column;
mod table;

pub use builder::DatasetBuilder;
pub use check::DatasetError;
pub use column::Column;
pub use table::Dataset;
