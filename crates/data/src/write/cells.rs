//! A table as text: what every writer of fields shares.

use std::borrow::Cow;
use std::path::Path;

use fedcdi_core::{Dataset, Regime, VarId};

use crate::file_error::FileError;
use crate::read::TableOptions;

/// The fields of a table: all variables in schema order, then the intervention column.
pub struct Cells<'a> {
    table: &'a Dataset,
    intervention_column: &'a str,
    /// The content of the intervention column for each regime of the table.
    pub(super) regimes: Vec<String>,
}

impl<'a> Cells<'a> {
    /// The fields of this table; of the options only the name of the intervention column matters.
    ///
    /// # Errors
    /// [`FileError`] if a variable has the name of the intervention column, or the name of a target
    /// contains the separator.
    pub fn new(
        path: &Path,
        table: &'a Dataset,
        options: &'a TableOptions,
    ) -> Result<Self, FileError> {
        let (schema, column) = (table.schema(), options.intervention_column.as_str());
        if schema.find(column).is_some() {
            let problem = "a variable has the name of the intervention column";
            let remedy = "rename the variable, or choose another name for the intervention column";
            return Err(FileError::column(path, column, problem, remedy));
        }
        let mut targets = table.regimes().iter().flat_map(Regime::targets);
        if let Some(&target) = targets.find(|t| schema.name(**t).contains(';')) {
            let problem = "the name of an intervened variable contains `;`, which separates names";
            let (name, remedy) = (schema.name(target), "rename the variable");
            return Err(FileError::column(path, name, problem, remedy));
        }
        let name = |target: &VarId| schema.name(*target);
        let joined = |r: &Regime| r.targets().iter().map(name).collect::<Vec<_>>().join(";");
        let regimes = table.regimes().iter().map(joined).collect();
        Ok(Self {
            table,
            intervention_column: column,
            regimes,
        })
    }

    /// The names of the columns.
    pub fn header(&self) -> impl Iterator<Item = &str> {
        let variables = self.table.schema().variables().iter();
        let names = variables.map(|variable| variable.name.as_str());
        names.chain([self.intervention_column])
    }

    /// The fields of one sample. Numbers are as short as they can be and read back the same.
    pub fn row(&self, sample: usize) -> impl Iterator<Item = Cow<'_, str>> {
        let schema = self.table.schema();
        let values = schema.ids().map(move |var| {
            if let Some(values) = self.table.column(var).reals() {
                return Cow::Owned(format!("{:?}", values[sample]));
            }
            let code = usize::from(self.table.value(sample, var));
            Cow::Borrowed(schema.variable(var).categories()[code].as_str())
        });
        let regime = self.table.regime_of()[sample] as usize;
        values.chain([Cow::Borrowed(self.regimes[regime].as_str())])
    }
}
