//! Tables of samples as CSV. Read back with the same schema the table is exactly the same; without
//! it, labels that look like missing values (`NA`, the empty label) are refused by the reader, never
//! changed.

use std::io::Write;
use std::path::Path;

use csv::WriterBuilder;
use fedcdi_core::{Dataset, Digraph};

use super::atomic::{Overwrite, write_atomically};
use super::cells::Cells;
use crate::file_error::FileError;
use crate::read::TableOptions;

const BYTE_ORDER_MARK: &str = "\u{feff}";

pub(crate) fn write_csv(
    path: &Path,
    table: &Dataset,
    _: Option<&Digraph>,
    options: &TableOptions,
    overwrite: Overwrite,
) -> Result<(), FileError> {
    let cells = Cells::new(path, table, options)?;
    let marked = cells
        .header()
        .next()
        .is_some_and(|name| name.starts_with(BYTE_ORDER_MARK));
    // Readers drop one mark at the start of a file: this one, not the one of the name.
    let start = if marked { BYTE_ORDER_MARK } else { "" };
    write_records(path, overwrite, start, |writer| {
        writer.write_record(cells.header())?;
        for sample in 0..table.n_samples() {
            for field in cells.row(sample) {
                writer.write_field(field.as_ref())?;
            }
            writer.write_record(None::<&[u8]>)?;
        }
        Ok(())
    })
}

/// Writes a text and records that are equally long, so that what fails is the system.
fn write_records(
    path: &Path,
    overwrite: Overwrite,
    start: &str,
    fill: impl FnOnce(&mut csv::Writer<&mut dyn Write>) -> csv::Result<()>,
) -> Result<(), FileError> {
    write_atomically(path, overwrite, |out| {
        let started = out.write_all(start.as_bytes());
        started.map_err(|error| FileError::io(path, error))?;
        let mut writer = WriterBuilder::new().from_writer(out as &mut dyn Write);
        let written = fill(&mut writer).and_then(|()| Ok(writer.flush()?));
        written.map_err(|error| match error.into_kind() {
            csv::ErrorKind::Io(source) => FileError::io(path, source),
            other => FileError::io(path, std::io::Error::other(format!("{other:?}"))),
        })
    })
}
