//! Tables of samples as Parquet.
//!
//! The same columns as in CSV. Text, dictionary, integer and boolean columns are categories, and
//! floating-point columns are real. Where a schema lists categories for a floating-point column,
//! every value must be a whole number (what data frames make of integers with gaps), and then means
//! that integer. A null, and NaN, is a missing value; in the intervention column a null is an
//! observational row.
//!
//! Files written by fedcdi carry their schema as metadata, so categories keep their order and
//! those without samples are not lost.

use std::path::Path;
use std::sync::Arc;

use fedcdi_core::Schema;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};

use super::Table;
use super::arrow::read_arrow;
use super::options::TableOptions;
use crate::file_error::FileError;
use crate::formats::{Format, open};
use crate::write::write_parquet;

pub(crate) const SCHEMA_KEY: &str = "fedcdi.schema";

pub(crate) const PARQUET: Format = Format {
    extension: "parquet",
    columns: parquet_columns,
    read: read_parquet,
    write: write_parquet,
};

fn read_parquet(path: &Path, options: &TableOptions) -> Result<Table, FileError> {
    // The library panics on some damaged files (version 60.1 asserts on offsets, for one). Nothing
    // outlives the call, so that a broken state cannot be seen.
    let read = std::panic::AssertUnwindSafe(|| read_columns(path, options));
    std::panic::catch_unwind(read).unwrap_or_else(|_| Err(damaged(path, "its parts disagree")))
}

fn parquet_columns(path: &Path) -> Option<Vec<String>> {
    // As in `read_parquet`, which will say what is wrong.
    let read = std::panic::AssertUnwindSafe(|| {
        let builder = ParquetRecordBatchReaderBuilder::try_new(open(path).ok()?).ok()?;
        let fields = builder.schema().fields().iter();
        Some(fields.map(|field| field.name().clone()).collect())
    });
    std::panic::catch_unwind(read).ok().flatten()
}

fn read_columns(path: &Path, options: &TableOptions) -> Result<Table, FileError> {
    let file = open(path)?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|e| describe(path, &e))?;
    check_offsets(path, builder.metadata())?;
    let fields = builder.schema().fields().iter();
    let header: Vec<String> = fields.map(|field| field.name().clone()).collect();
    let mut options = options.clone();
    if options.schema.is_none() {
        options.schema = stored_schema(builder.metadata(), &header, &options);
    }
    let schema = Arc::clone(builder.schema());
    let batches = builder.with_batch_size(1 << 14).build();
    let batches = batches.map_err(|e| describe(path, &e))?;
    let batches = batches.map(|batch| batch.map_err(|e| describe(path, &e)));
    read_arrow(path, &schema, batches, &options)
}

/// Refuses what the library would panic over.
fn check_offsets(path: &Path, metadata: &ParquetMetaData) -> Result<(), FileError> {
    let groups = metadata.row_groups().iter();
    for chunk in groups.flat_map(RowGroupMetaData::columns) {
        let start = chunk.dictionary_page_offset().unwrap_or(0);
        if start < 0 || chunk.data_page_offset() < 0 || chunk.compressed_size() < 0 {
            return Err(damaged(path, "an offset is negative"));
        }
    }
    Ok(())
}

/// The schema in the file's own metadata, if it is about exactly these columns.
fn stored_schema(
    metadata: &ParquetMetaData,
    header: &[String],
    options: &TableOptions,
) -> Option<Arc<Schema>> {
    let pairs = metadata.file_metadata().key_value_metadata()?;
    let text = pairs.iter().find(|pair| pair.key == SCHEMA_KEY)?;
    let schema: Schema = serde_json::from_str(text.value.as_ref()?).ok()?;
    let regimes = &options.intervention_column;
    let mut variables = header.iter().filter(|name| *name != regimes);
    let same = variables.clone().count() == schema.n_vars()
        && variables.all(|name| schema.find(name).is_some());
    same.then(|| Arc::new(schema))
}

fn describe(path: &Path, error: &(dyn std::error::Error + 'static)) -> FileError {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(io) = error.downcast_ref::<std::io::Error>()
            && io.raw_os_error().is_some()
        {
            return FileError::io(path, std::io::Error::new(io.kind(), io.to_string()));
        }
        cause = match error.downcast_ref::<ParquetError>() {
            Some(ParquetError::External(inner)) => Some(inner.as_ref()),
            _ => error.source(),
        };
    }
    damaged(path, &error.to_string())
}

fn damaged(path: &Path, why: &str) -> FileError {
    let why = why.replace("; ", ", ");
    let problem = format!("this is not a whole Parquet file ({why})");
    FileError::whole(path, problem, "write it again")
}
