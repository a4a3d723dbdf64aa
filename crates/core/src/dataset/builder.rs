//! Row-by-row construction of a [`Dataset`].

use std::collections::HashMap;
use std::sync::Arc;

use super::check::check_code;
use super::{Column, Dataset, DatasetError};
use crate::regime::Regime;
use crate::schema::Schema;

/// Collects samples one row at a time.
pub struct DatasetBuilder {
    schema: Arc<Schema>,
    columns: Vec<Column>,
    regimes: Vec<Regime>,
    regime_numbers: HashMap<Regime, u32>,
    regime_of: Vec<u32>,
}

impl DatasetBuilder {
    /// An empty table with room for `capacity` samples.
    pub fn with_capacity(schema: Arc<Schema>, capacity: usize) -> Self {
        let variables = schema.variables().iter();
        let columns = variables.map(|v| Column::of(v, capacity)).collect();
        Self {
            schema,
            columns,
            regimes: Vec::new(),
            regime_numbers: HashMap::new(),
            regime_of: Vec::with_capacity(capacity),
        }
    }

    /// Appends a sample: one code per variable, in schema order.
    ///
    /// # Errors
    /// [`DatasetError`] if the number of codes is wrong, a code has no category or a variable is
    /// real; nothing is added.
    pub fn push(&mut self, codes: &[u16], regime: &Regime) -> Result<(), DatasetError> {
        if codes.len() != self.columns.len() {
            return Err(DatasetError::Columns(codes.len(), self.columns.len()));
        }
        for (variable, &code) in self.schema.variables().iter().zip(codes) {
            check_code(variable, self.regime_of.len(), code)?;
        }
        for (column, &code) in self.columns.iter_mut().zip(codes) {
            column.push(code);
        }
        let number = self.regime_number(regime);
        self.regime_of.push(number);
        Ok(())
    }

    fn regime_number(&mut self, regime: &Regime) -> u32 {
        if let Some(&number) = self.regime_numbers.get(regime) {
            return number;
        }
        let number = self.regimes.len() as u32;
        self.regimes.push(regime.clone());
        self.regime_numbers.insert(regime.clone(), number);
        number
    }

    /// The finished table.
    ///
    /// # Errors
    /// [`DatasetError`] if a regime names a variable outside the schema.
    pub fn finish(self) -> Result<Dataset, DatasetError> {
        Dataset::new(self.schema, self.columns, self.regimes, self.regime_of)
    }
}
