//! Reading tables, networks and graphs. Every error names the file, the place in it, what is wrong
//! and what to do.

#[cfg(feature = "parquet")]
mod arrow;
#[cfg(feature = "parquet")]
mod arrow_text;
mod belief;
mod bif;
mod column_reader;
mod csv;
mod findings;
mod graph;
mod header;
mod label_column;
mod npz;
mod options;
#[cfg(feature = "parquet")]
mod parquet;
mod rows;

pub use crate::formats::read_table;
#[cfg(feature = "parquet")]
pub use arrow::read_arrow;
pub use belief::read_belief;
pub use bif::read_bif;
pub use graph::{is_matrix_csv, read_graph};
pub use options::{Missing, Naming, RealColumns, TableOptions};
pub use rows::{Others, Rows, Table};

pub(crate) use belief::BELIEF_HEADER;
pub(crate) use csv::CSV;
pub(crate) use graph::{GraphJson, NamedEdge, read_dag};
pub(crate) use header::check_header;
pub(crate) use npz::NPZ;
#[cfg(feature = "parquet")]
pub(crate) use parquet::{PARQUET, SCHEMA_KEY};
