//! Graphs over named variables, in the formats of other tools.

mod csv;
mod dagitty;
mod dot;
mod format;
mod graphml;
mod json;

pub use format::{GraphFormat, format_graph, format_probabilities, write_graph};

pub(super) use csv::to_text;
