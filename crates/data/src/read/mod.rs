//! Reading tables, networks and graphs. Every error names the file, the place in it, what is wrong
//! and what to do.

#[cfg(feature = "parquet")]
mod arrow_text;
mod belief;
mod bif;
mod column_reader;
mod csv;
mod dispatch;
mod graph;
mod header;
mod label_column;
mod labels;
mod npz;
mod open;
mod options;
#[cfg(feature = "parquet")]
mod parquet;
mod real_column;
mod rows;

pub use belief::read_belief;
pub use bif::read_bif;
pub use csv::read_csv;
pub use dispatch::{read_dag, read_graph, read_table};
pub use graph::is_matrix_csv;
pub use npz::{Table, read_npz};
pub use options::{Missing, RealColumns, TableOptions};
#[cfg(feature = "parquet")]
pub use parquet::read_parquet;

pub(crate) use belief::BELIEF_HEADER;
pub(crate) use dispatch::{TABLES, extension, variable_names};
pub(crate) use graph::{EdgeJson, GraphJson};
#[cfg(feature = "parquet")]
pub(crate) use parquet::SCHEMA_KEY;
