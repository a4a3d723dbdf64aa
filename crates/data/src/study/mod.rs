//! A study on disk: one table per client, what they share, and the truth if it is known.

mod columns;
mod read;
mod types;
mod write;

pub use read::{SchemaFile, read_schema};
pub use types::{Client, Study, TableFormat};
