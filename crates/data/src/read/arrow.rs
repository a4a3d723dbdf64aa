//! Tables in Arrow's memory format: Parquet files, and data frames of other programs.

use std::path::Path;

use arrow_array::RecordBatch;

use super::Table;
use super::arrow_text::TextColumn;
use super::options::{RealColumns, TableOptions};
use super::rows::Rows;
use crate::file_error::{FileError, Place};

/// A table of batches with these columns; `path` is its name in messages. Columns are understood as in
/// Parquet files: floating-point ones are real, the others are categories.
///
/// # Errors
/// [`FileError`] naming row and column of the first value that is wrong; what a batch fails with.
pub fn read_arrow(
    path: &Path,
    schema: &arrow_schema::Schema,
    batches: impl IntoIterator<Item = Result<RecordBatch, FileError>>,
    options: &TableOptions,
) -> Result<Table, FileError> {
    let fields = schema.fields().iter();
    let header: Vec<String> = fields.map(|field| field.name().clone()).collect();
    let mut options = options.clone();
    if options.schema.is_none() {
        options.real = with_floats(options.real, schema);
    }
    let mut rows = Rows::new(path, &header, &options)?;
    let mut n_read = 0;
    for batch in batches {
        let batch = batch?;
        push_batch(&mut rows, &options, path, (&batch, n_read))?;
        n_read += batch.num_rows() as u64;
    }
    rows.finish()
}

fn push_batch(
    rows: &mut Rows<'_>,
    options: &TableOptions,
    path: &Path,
    (batch, n_read): (&RecordBatch, u64),
) -> Result<(), FileError> {
    let (mut columns, mut wrong) = (Vec::with_capacity(batch.num_columns()), Vec::new());
    for (at, array) in batch.columns().iter().enumerate() {
        let name = batch.schema_ref().field(at).name().clone();
        let column = TextColumn::new(array.as_ref(), options.is_real(&name));
        let column = column.map_err(|(row, problem, remedy)| {
            let place = match row {
                None => Place::Column(name),
                Some(row) => Place::Row {
                    row: n_read + row as u64 + 1,
                    line: None,
                    column: Some(name),
                },
            };
            FileError::content(path, place, problem, remedy)
        });
        match column {
            Ok(column) => columns.push(column),
            Err(error) => wrong.push(error),
        }
    }
    if !wrong.is_empty() {
        return Err(rows.end_with(wrong));
    }
    for row in 0..batch.num_rows() {
        rows.push(columns.iter().map(|column| column.get(row)), None)?;
    }
    Ok(())
}

/// What was declared, and the columns that are real by their type.
fn with_floats(declared: RealColumns, schema: &arrow_schema::Schema) -> RealColumns {
    let fields = schema.fields().iter();
    let floats = fields.filter(|field| field.data_type().is_floating());
    let floats = floats.map(|field| field.name().clone());
    match declared {
        RealColumns::All => RealColumns::All,
        RealColumns::ByType => RealColumns::Named(floats.collect()),
        RealColumns::Named(names) => RealColumns::Named(names.into_iter().chain(floats).collect()),
    }
}
