//! Graphs over named variables.
//!
//! | file | holds | an edge is |
//! |---|---|---|
//! | `.json` | `{"variables": [..], "edges": [{"cause": .., "effect": .., "probability": ..}]}` | listed |
//! | `.csv` with columns `cause`, `effect` and perhaps `probability` | edge list; a row without effect names a variable without edges | listed |
//! | `.csv` with the columns of a belief | all ordered pairs | of probability 0.5 or more |
//! | any other `.csv` | matrix: a header of names, one row per cause, perhaps a first column of names | 1, or of probability 0.5 or more |
//! | `.npz`, `.bif` | samples or networks | as there |
//!
//! Probabilities are optional, but either all edges have one or none.

mod csv;
mod dispatch;
mod edge_list;
mod json;

pub use csv::is_matrix_csv;
pub(crate) use dispatch::read_dag;
pub use dispatch::read_graph;

pub(super) use csv::row_place;
pub(crate) use edge_list::NamedEdge;
pub(crate) use json::GraphJson;
