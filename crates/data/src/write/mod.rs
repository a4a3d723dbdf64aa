//! Writing tables, networks and graphs: whole or not at all, and the same bytes for the same content.

mod atomic;
mod belief;
mod bif;
mod cells;
mod csv;
mod folder;
mod graph;
pub(crate) mod npy;
mod npz;
#[cfg(feature = "parquet")]
mod parquet;

pub use crate::formats::write_table;
pub use atomic::{Overwrite, write_bytes, write_text};
pub use belief::{format_belief, write_belief};
pub use bif::write_bif;
pub use cells::Cells;
pub use folder::{FolderKind, check_folder_place, write_folder};
pub use graph::{GraphFormat, format_graph, format_probabilities, write_graph};

pub(crate) use csv::write_csv;
pub(crate) use npz::write_npz;
#[cfg(feature = "parquet")]
pub(crate) use parquet::write_parquet;

#[cfg(test)]
pub(crate) use npz::format_npz;
