//! Tables of samples as CSV.
//!
//! All variables in schema order, then the intervention column. Read back with the same schema the
//! table is exactly the same; without it, labels that look like missing values (`NA`, the empty
//! label) are refused by the reader, never changed.

use std::io::Write;
use std::path::Path;

use csv::{Writer, WriterBuilder};
use fedcdi_core::{Dataset, Regime, Schema};

use super::atomic::{Overwrite, write_atomically};
use crate::file_error::{FileError, Place};
use crate::read::TableOptions;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Writes a CSV table; of the options only the name of the intervention column matters.
///
/// # Errors
/// [`FileError`] if the names cannot be told apart on reading, or the file cannot be written.
pub fn write_csv(
    path: &Path,
    table: &Dataset,
    options: &TableOptions,
    overwrite: Overwrite,
) -> Result<(), FileError> {
    write_atomically(path, overwrite, |out| format_csv(out, path, table, options))
}

fn format_csv(
    mut out: impl Write,
    path: &Path,
    table: &Dataset,
    options: &TableOptions,
) -> Result<(), FileError> {
    let regimes = regime_fields(path, table, &options.intervention_column)?;
    if table.schema().variables()[0]
        .name
        .starts_with(BYTE_ORDER_MARK)
    {
        // Readers drop one mark at the start of a file: this one, not the one of the name.
        write!(out, "{BYTE_ORDER_MARK}").map_err(|e| FileError::io(path, e))?;
    }
    let mut writer = WriterBuilder::new().from_writer(out);
    write_rows(&mut writer, table, &options.intervention_column, &regimes)
        .and_then(|()| writer.flush().map_err(csv::Error::from))
        .map_err(|error| csv_failure(path, error))
}

/// Our writers write equally long records only, so that what fails is the system.
pub(super) fn csv_failure(path: &Path, error: csv::Error) -> FileError {
    match error.into_kind() {
        csv::ErrorKind::Io(source) => FileError::io(path, source),
        other => FileError::io(path, std::io::Error::other(format!("{other:?}"))),
    }
}

fn write_rows(
    writer: &mut Writer<impl Write>,
    table: &Dataset,
    intervention_column: &str,
    regimes: &[String],
) -> csv::Result<()> {
    let variables = table.schema().variables();
    for variable in variables {
        writer.write_field(&variable.name)?;
    }
    writer.write_field(intervention_column)?;
    writer.write_record(None::<&[u8]>)?;
    for (sample, &regime) in table.regime_of().iter().enumerate() {
        for (id, variable) in table.schema().ids().zip(variables) {
            if let Some(values) = table.column(id).reals() {
                writer.write_field(shortest(values[sample]))?;
            } else {
                let code = usize::from(table.value(sample, id));
                writer.write_field(&variable.categories()[code])?;
            }
        }
        writer.write_field(&regimes[regime as usize])?;
        writer.write_record(None::<&[u8]>)?;
    }
    Ok(())
}

/// The shortest text that reads back as the same number.
fn shortest(value: f64) -> String {
    format!("{value:?}")
}

/// The content of the intervention column for each regime of the table.
///
/// # Errors
/// If a variable has the name of the column, or a target's name contains the separator.
pub(super) fn regime_fields(
    path: &Path,
    table: &Dataset,
    intervention_column: &str,
) -> Result<Vec<String>, FileError> {
    let schema = table.schema();
    let error = |name: &str, problem: &str, remedy: &str| {
        let place = Place::Column(name.to_owned());
        FileError::content(path, place, problem, remedy)
    };
    if schema.find(intervention_column).is_some() {
        return Err(error(
            intervention_column,
            "a variable has the name of the intervention column",
            "rename the variable, or choose another name for the intervention column",
        ));
    }
    let regimes = table.regimes().iter();
    let targets = regimes.flat_map(Regime::targets);
    if let Some(&target) = targets.clone().find(|t| schema.name(**t).contains(';')) {
        return Err(error(
            schema.name(target),
            "the name of an intervened variable contains `;`, which separates names",
            "rename the variable",
        ));
    }
    let field = |regime: &Regime| target_names(schema, regime).join(";");
    Ok(table.regimes().iter().map(field).collect())
}

fn target_names<'s>(schema: &'s Schema, regime: &Regime) -> Vec<&'s str> {
    let targets = regime.targets().iter();
    targets.map(|target| schema.name(*target)).collect()
}
