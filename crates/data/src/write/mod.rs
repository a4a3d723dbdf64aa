//! Writing tables, networks and graphs: whole or not at all, and the same bytes for the same content.

mod atomic;
mod belief;
mod bif;
mod csv;
mod dispatch;
mod graph;
mod npy;
mod npz;
#[cfg(feature = "parquet")]
mod parquet;

pub(crate) use atomic::write_bytes;
pub use atomic::{Overwrite, write_atomically};
pub use belief::write_belief;
pub use bif::write_bif;
pub use csv::write_csv;
pub use dispatch::write_table;
pub use graph::{GraphFormat, write_graph};
pub use npz::write_npz;
#[cfg(feature = "parquet")]
pub use parquet::write_parquet;

#[cfg(test)]
pub(crate) use {npy::NpyBytes, npz::format_npz};
