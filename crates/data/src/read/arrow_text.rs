//! One column of a record batch as text fields.

use std::fmt::Write;
use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayAccessor};
use arrow_schema::DataType;

/// Beyond this, whole numbers are no longer told apart by a double.
const LARGEST_WHOLE: f64 = 9_007_199_254_740_992.0;

/// Why a column cannot be categories: the row of the batch, from 0, if one is to blame; what is wrong
/// and what to do.
type NotCategories = (Option<usize>, String, &'static str);

/// The fields of a column; a null has none.
pub(super) struct TextColumn {
    text: String,
    fields: Vec<Option<Range<usize>>>,
}

impl TextColumn {
    /// The text of every value; floating-point numbers must be whole unless the column is `real`.
    pub(super) fn new(array: &dyn Array, real: bool) -> Result<Self, NotCategories> {
        let mut column = Self {
            text: String::new(),
            fields: Vec::with_capacity(array.len()),
        };
        match array.data_type() {
            DataType::Utf8 => column.add_text(array.as_string::<i32>()),
            DataType::LargeUtf8 => column.add_text(array.as_string::<i64>()),
            DataType::Utf8View => column.add_text(array.as_string_view()),
            DataType::Boolean => column.add_display(array.as_boolean()),
            DataType::Int8 => column.add_display(array.as_primitive::<Int8Type>()),
            DataType::Int16 => column.add_display(array.as_primitive::<Int16Type>()),
            DataType::Int32 => column.add_display(array.as_primitive::<Int32Type>()),
            DataType::Int64 => column.add_display(array.as_primitive::<Int64Type>()),
            DataType::UInt8 => column.add_display(array.as_primitive::<UInt8Type>()),
            DataType::UInt16 => column.add_display(array.as_primitive::<UInt16Type>()),
            DataType::UInt32 => column.add_display(array.as_primitive::<UInt32Type>()),
            DataType::UInt64 => column.add_display(array.as_primitive::<UInt64Type>()),
            DataType::Float32 => column.add_floats::<Float32Type>(array, real)?,
            DataType::Float64 => column.add_floats::<Float64Type>(array, real)?,
            DataType::Dictionary(..) => column.add_dictionary(array, real)?,
            DataType::Null => column.fields.resize(array.len(), None),
            other => {
                let problem = format!("values of type {other} are not categories");
                let remedy = "store the column as text or integers, or remove it";
                return Err((None, problem, remedy));
            }
        }
        Ok(column)
    }

    #[inline]
    pub(super) fn get(&self, row: usize) -> Option<&[u8]> {
        Some(&self.text.as_bytes()[self.fields[row].clone()?])
    }

    fn add(&mut self, value: Option<impl std::fmt::Display>) {
        let start = self.text.len();
        let field = value.map(|value| {
            write!(self.text, "{value}").expect("writing to a string does not fail");
            start..self.text.len()
        });
        self.fields.push(field);
    }

    fn add_text<'a>(&mut self, array: impl ArrayAccessor<Item = &'a str>) {
        for row in 0..array.len() {
            let start = self.text.len();
            let field = array.is_valid(row).then(|| {
                self.text.push_str(array.value(row));
                start..self.text.len()
            });
            self.fields.push(field);
        }
    }

    fn add_display(&mut self, array: impl ArrayAccessor<Item = impl std::fmt::Display>) {
        for row in 0..array.len() {
            self.add(array.is_valid(row).then(|| array.value(row)));
        }
    }

    /// The shortest text that reads back as the same number; NaN is missing.
    fn add_floats<T>(&mut self, array: &dyn Array, real: bool) -> Result<(), NotCategories>
    where
        T: ArrowPrimitiveType<Native: Into<f64>>,
    {
        for (row, value) in array.as_primitive::<T>().iter().enumerate() {
            let value: Option<f64> = value.map(Into::into);
            match value.filter(|value| !value.is_nan()) {
                Some(value) if real => self.add(Some(value)),
                Some(value) if value.fract() != 0.0 || value.abs() > LARGEST_WHOLE => {
                    let problem = format!("{value} is not a whole number, so not a category");
                    let remedy =
                        "write \"kind\": \"real\" in the schema, or bin the values of this column";
                    return Err((Some(row), problem, remedy));
                }
                value => self.add(value.map(|value| value as i64)),
            }
        }
        Ok(())
    }

    fn add_dictionary(&mut self, array: &dyn Array, real: bool) -> Result<(), NotCategories> {
        let array = array.as_any_dictionary();
        if array.values().is_empty() {
            self.fields.resize(array.len(), None);
            return Ok(());
        }
        let values = Self::new(array.values().as_ref(), real)
            .map_err(|(_, problem, remedy)| (None, problem, remedy))?;
        self.text = values.text;
        let keys = array.normalized_keys().into_iter().enumerate();
        let field = |(row, key): (usize, usize)| {
            let valid = array.is_valid(row);
            valid.then(|| values.fields[key].clone()).flatten()
        };
        self.fields = keys.map(field).collect();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{
        BooleanArray, DictionaryArray, Float64Array, Int16Array, ListArray, StringViewArray,
    };

    fn fields(array: &dyn Array) -> Vec<Option<String>> {
        let column = TextColumn::new(array, false).map_err(|p| p.1).unwrap();
        let text = |row| {
            column
                .get(row)
                .map(|f| String::from_utf8(f.to_vec()).unwrap())
        };
        (0..array.len()).map(text).collect()
    }

    #[test]
    fn values_become_their_text_and_nulls_stay_null() {
        let some = |text: &str| Some(text.to_owned());
        let text = StringViewArray::from(vec![Some("a"), None]);
        assert_eq!(fields(&text), [some("a"), None]);
        assert_eq!(fields(&Int16Array::from(vec![-3])), [some("-3")]);
        assert_eq!(fields(&BooleanArray::from(vec![true])), [some("true")]);
        let words: DictionaryArray<Int16Type> =
            vec![Some("x"), None, Some("x")].into_iter().collect();
        assert_eq!(fields(&words), [some("x"), None, some("x")]);
        let nothing: DictionaryArray<Int16Type> = vec![None::<&str>].into_iter().collect();
        assert_eq!(fields(&nothing), [None]);
    }

    #[test]
    fn floats_must_be_whole_and_nan_is_missing() {
        let whole = Float64Array::from(vec![Some(2.0), Some(f64::NAN), None, Some(-0.0)]);
        let expected = [Some("2".to_owned()), None, None, Some("0".to_owned())];
        assert_eq!(fields(&whole), expected);
        let error = TextColumn::new(&Float64Array::from(vec![1.0, 0.5]), false)
            .err()
            .unwrap();
        assert_eq!(error.0, Some(1));
        assert!(TextColumn::new(&Float64Array::from(vec![f64::INFINITY]), false).is_err());
    }

    #[test]
    fn nested_columns_are_refused() {
        let list = ListArray::from_iter_primitive::<Int16Type, _, _>([Some(vec![Some(1)])]);
        assert!(TextColumn::new(&list, false).is_err());
    }
}
