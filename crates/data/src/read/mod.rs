//! Reading tables, networks and graphs. Every error names the file, the place in it, what is wrong
//! and what to do.

#[cfg(feature = "parquet")]
mod arrow_text;
mod bif;
mod csv;
mod label_column;
mod labels;
mod npz;
mod options;
#[cfg(feature = "parquet")]
mod parquet;
mod rows;

pub use bif::read_bif;
pub use csv::read_csv;
pub use npz::{Table, read_npz};
pub use options::{Missing, TableOptions};
#[cfg(feature = "parquet")]
pub use parquet::read_parquet;

#[cfg(feature = "parquet")]
pub(crate) use parquet::SCHEMA_KEY;
