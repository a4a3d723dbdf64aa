//! Which writer a table needs, by the extension of its file.

use std::path::Path;

use fedcdi_core::{Dataset, Digraph};

use super::atomic::Overwrite;
use super::csv::write_csv;
use super::npz::write_npz;
use crate::file_error::FileError;
use crate::read::{TABLES, TableOptions, extension};

/// Writes samples to a `.csv`, `.parquet` or `.npz` file; the last holds their true graph, too.
///
/// # Errors
/// [`FileError`] if the format cannot hold the table, the extension is unknown, or the file cannot
/// be written.
pub fn write_table(
    path: &Path,
    table: &Dataset,
    truth: Option<&Digraph>,
    options: &TableOptions,
    overwrite: Overwrite,
) -> Result<(), FileError> {
    match extension(path).as_str() {
        "csv" => write_csv(path, table, options, overwrite),
        "parquet" => write_parquet_table(path, table, options, overwrite),
        "npz" => write_npz(path, table, truth, overwrite),
        _ => Err(FileError::Extension {
            path: path.to_path_buf(),
            kind: "table",
            known: TABLES,
        }),
    }
}

#[cfg(feature = "parquet")]
use super::parquet::write_parquet as write_parquet_table;

#[cfg(not(feature = "parquet"))]
fn write_parquet_table(
    path: &Path,
    _: &Dataset,
    _: &TableOptions,
    _: Overwrite,
) -> Result<(), FileError> {
    Err(FileError::Unsupported {
        path: path.to_path_buf(),
        format: "Parquet",
        feature: "parquet",
    })
}
