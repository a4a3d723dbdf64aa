//! Tables of samples as Parquet.
//!
//! Variables whose labels are all integers become 64-bit integer columns, others dictionaries of
//! text; the intervention column is null for observational rows. The schema travels as metadata,
//! so reading gives exactly the same table. No time stamp, no version: the same table is always
//! the same bytes.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Float64Array, Int32Array, Int64Array, PrimitiveArray, RecordBatch,
    StringArray,
};
use arrow_schema::{DataType, Field, Schema as ArrowSchema, SchemaRef};
use fedcdi_core::{Dataset, Digraph, Variable};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use super::atomic::{Overwrite, write_atomically};
use super::cells::Cells;
use crate::file_error::FileError;
use crate::read::{SCHEMA_KEY, TableOptions};

/// Samples per record batch; bounds the memory beside the table itself.
const BATCH: usize = 1 << 16;

pub(crate) fn write_parquet(
    path: &Path,
    table: &Dataset,
    _: Option<&Digraph>,
    options: &TableOptions,
    overwrite: Overwrite,
) -> Result<(), FileError> {
    let regimes = Cells::new(path, table, options)?.regimes;
    let variables = table.schema().variables().iter();
    let (mut fields, mut columns): (Vec<Field>, Vec<Values>) = variables.map(column).unzip();
    fields.push(Field::new(&options.intervention_column, words(), true));
    columns.push(Values::Regimes(texts(&regimes)));
    let schema = Arc::new(ArrowSchema::new(fields));
    write_atomically(path, overwrite, |out| {
        format_parquet(out, table, &columns, &schema)
            .map_err(|error| FileError::io(path, std::io::Error::other(error.to_string())))
    })
}

fn format_parquet(
    out: impl Write + Send,
    table: &Dataset,
    columns: &[Values],
    schema: &SchemaRef,
) -> parquet::errors::Result<()> {
    let text = serde_json::to_string(table.schema().as_ref())
        .map_err(|e| parquet::errors::ParquetError::External(Box::new(e)))?;
    let properties = WriterProperties::builder()
        .set_created_by("fedcdi".to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_key_value_metadata(Some(vec![KeyValue::new(SCHEMA_KEY.to_owned(), text)]))
        .build();
    let mut writer = ArrowWriter::try_new(out, Arc::clone(schema), Some(properties))?;
    for start in (0..table.n_samples()).step_by(BATCH) {
        let samples = start..(start + BATCH).min(table.n_samples());
        let mut arrays: Vec<ArrayRef> = Vec::with_capacity(columns.len());
        for (id, column) in table.schema().ids().zip(columns) {
            let values = table.column(id);
            arrays.push(match values.reals() {
                Some(reals) => Arc::new(Float64Array::from(reals[samples.clone()].to_vec())),
                None => column.array(samples.clone().map(|s| usize::from(values.get(s)))),
            });
        }
        let regimes = &table.regime_of()[samples];
        arrays.push(columns[table.n_vars()].array(regimes.iter().map(|r| *r as usize)));
        writer.write(&RecordBatch::try_new(Arc::clone(schema), arrays)?)?;
    }
    writer.close().map(drop)
}

/// How the codes of one column become values.
enum Values {
    Reals,
    Integers(Vec<i64>),
    Texts(Arc<StringArray>),
    /// Texts, but an empty one is a null.
    Regimes(Arc<StringArray>),
}

fn column(variable: &Variable) -> (Field, Values) {
    let labels = variable.categories();
    let integers: Option<Vec<i64>> = labels.iter().map(|l| canonical_integer(l)).collect();
    let (kind, values) = match integers {
        _ if variable.is_real() => (DataType::Float64, Values::Reals),
        Some(integers) => (DataType::Int64, Values::Integers(integers)),
        None => (words(), Values::Texts(texts(labels))),
    };
    (Field::new(&variable.name, kind, false), values)
}

fn words() -> DataType {
    DataType::Dictionary(DataType::Int32.into(), DataType::Utf8.into())
}

fn texts(texts: &[String]) -> Arc<StringArray> {
    Arc::new(StringArray::from_iter_values(texts))
}

impl Values {
    fn array(&self, codes: impl Iterator<Item = usize>) -> ArrayRef {
        match self {
            Self::Reals => unreachable!("real columns have no codes"),
            Self::Integers(integers) => {
                Arc::new(Int64Array::from_iter_values(codes.map(|c| integers[c])))
            }
            Self::Texts(texts) => {
                dictionary(PrimitiveArray::from_iter_values(codes.map(key)), texts)
            }
            Self::Regimes(texts) => {
                let known = |code: usize| (!texts.value(code).is_empty()).then(|| key(code));
                dictionary(codes.map(known).collect(), texts)
            }
        }
    }
}

fn key(code: usize) -> i32 {
    i32::try_from(code).expect("there are fewer categories and regimes than that")
}

fn dictionary(keys: Int32Array, texts: &Arc<StringArray>) -> ArrayRef {
    let texts = Arc::clone(texts) as ArrayRef;
    Arc::new(DictionaryArray::<Int32Type>::new(keys, texts))
}

/// The integer that prints as exactly this label.
fn canonical_integer(label: &str) -> Option<i64> {
    let value: i64 = label.parse().ok()?;
    (value.to_string() == label).then_some(value)
}
