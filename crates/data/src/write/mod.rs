//! Writing tables, networks and graphs: whole or not at all, and the same bytes for the same content.

mod atomic;
mod bif;
mod csv;
mod npy;
mod npz;
#[cfg(feature = "parquet")]
mod parquet;

pub use atomic::{Overwrite, write_atomically};
pub use bif::write_bif;
pub use csv::write_csv;
pub use npz::write_npz;
#[cfg(feature = "parquet")]
pub use parquet::write_parquet;
