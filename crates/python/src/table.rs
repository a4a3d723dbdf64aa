//! Data frames and arrays as tables: by Arrow's C stream where the object has one, else column by column.

use std::path::Path;
use std::sync::Arc;

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchReader, StringArray,
    UInt64Array,
};
use fedcdi_data::FileError;
use fedcdi_data::read::{Table, TableOptions, read_arrow};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};

use crate::failure::Failure;

/// A table of the caller: batches that share their memory with it, or copies of its columns.
pub(crate) struct Batches {
    schema: Arc<arrow_schema::Schema>,
    batches: Vec<RecordBatch>,
}

impl Batches {
    /// From an object with `__arrow_c_stream__`, or a list of `(name, kind, values)`.
    pub(crate) fn of(source: &Bound<'_, PyAny>) -> Result<Self, Failure> {
        if source.hasattr("__arrow_c_stream__")? {
            Self::shared(source)
        } else {
            Self::copied(source.extract()?)
        }
    }

    /// No copy: the batches keep the caller's memory alive.
    #[allow(unsafe_code)]
    fn shared(source: &Bound<'_, PyAny>) -> Result<Self, Failure> {
        let capsule = source.call_method0("__arrow_c_stream__")?;
        let capsule = capsule.cast_into::<PyCapsule>().map_err(PyErr::from)?;
        let stream = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
        // SAFETY: the capsule's name says that it holds an ArrowArrayStream. `from_raw` moves it out and
        // leaves a released one behind, so the capsule's destructor has nothing left to do.
        let reader = unsafe {
            RecordBatchStreamReader::from_raw(stream.cast::<FFI_ArrowArrayStream>().as_ptr())
        };
        let unreadable = |error: arrow_schema::ArrowError| {
            Failure::input(format!("the table cannot be read: {error}"))
        };
        let reader = reader.map_err(unreadable)?;
        Ok(Self {
            schema: reader.schema(),
            batches: reader.collect::<Result<_, _>>().map_err(unreadable)?,
        })
    }

    fn copied(columns: Vec<(String, String, Bound<'_, PyAny>)>) -> Result<Self, Failure> {
        let mut arrays: Vec<(String, ArrayRef, bool)> = Vec::with_capacity(columns.len());
        for (name, kind, values) in columns {
            let values = array(&name, &kind, &values)?;
            arrays.push((name, values, true));
        }
        if arrays.is_empty() {
            return Err(Failure::input(
                "the table has no columns; pass one per variable",
            ));
        }
        let lengths: Vec<usize> = arrays.iter().map(|(_, array, _)| array.len()).collect();
        if let Some(at) = lengths.iter().position(|length| *length != lengths[0]) {
            let (first, other) = (&arrays[0].0, &arrays[at].0);
            return Err(Failure::input(format!(
                "column {other:?} has {} rows, column {first:?} has {}; columns must be equally long",
                lengths[at], lengths[0]
            )));
        }
        let batch = RecordBatch::try_from_iter_with_nullable(arrays)
            .map_err(|error| Failure::input(error.to_string()))?;
        let schema = batch.schema();
        let batches = vec![batch];
        Ok(Self { schema, batches })
    }

    /// The table; `name` is what messages call it.
    pub(crate) fn read(self, name: &Path, options: &TableOptions) -> Result<Table, FileError> {
        read_arrow(
            name,
            &self.schema,
            self.batches.into_iter().map(Ok),
            options,
        )
    }
}

/// One column: the bytes of its numbers, or a list of texts.
fn array(name: &str, kind: &str, values: &Bound<'_, PyAny>) -> Result<ArrayRef, Failure> {
    if kind == "text" {
        let texts: Vec<Option<String>> = values.extract().map_err(|_| {
            Failure::input(format!(
                "column {name:?} holds text that is not Unicode; read it again with the right encoding"
            ))
        })?;
        return Ok(Arc::new(StringArray::from(texts)));
    }
    let bytes = values.cast::<PyBytes>().map_err(PyErr::from)?.as_bytes();
    let (words, _) = bytes.as_chunks::<8>();
    let words = words.iter().copied();
    Ok(match kind {
        "float" => Arc::new(Float64Array::from_iter_values(
            words.map(f64::from_le_bytes),
        )),
        "int" => Arc::new(Int64Array::from_iter_values(words.map(i64::from_le_bytes))),
        "uint" => Arc::new(UInt64Array::from_iter_values(words.map(u64::from_le_bytes))),
        _ => {
            let values: BooleanArray = bytes.iter().map(|byte| Some(*byte != 0)).collect();
            Arc::new(values)
        }
    })
}
