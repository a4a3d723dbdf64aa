//! Graphs over named variables, in the formats of other tools.

mod csv;
mod dagitty;
mod dot;
mod format;
mod graphml;
mod json;

pub use format::{GraphFormat, write_graph, write_probabilities};
