//! A table format of one's own: text in which tabs separate the fields, `.tsv`.
//!
//! A format is one constant. Names, labels, missing values and interventions are understood by
//! [`Rows`] and written by [`Cells`], as for every other format.
//!
//! Run with `cargo run -p fedcdi-data --example own_format`.

use std::error::Error;
use std::fs;
use std::path::Path;

use fedcdi_core::{Dataset, Digraph, Seed};
use fedcdi_data::formats::Format;
use fedcdi_data::networks::Builtin;
use fedcdi_data::read::{Rows, Table, TableOptions, read_table};
use fedcdi_data::write::{Cells, Overwrite, write_table, write_text};
use fedcdi_data::{FileError, InterventionKind, SamplePlan, Study, sample};

const TSV: Format = Format {
    extension: "tsv",
    columns: |path| Some(fields(fs::read_to_string(path).ok()?.lines().next()?)),
    read,
    write,
};

fn fields(line: &str) -> Vec<String> {
    line.split('\t').map(str::to_owned).collect()
}

fn read(path: &Path, options: &TableOptions) -> Result<Table, FileError> {
    let text = fs::read_to_string(path).map_err(|error| FileError::text(path, error))?;
    let mut lines = text.lines();
    let header = fields(lines.next().unwrap_or_default());
    let mut rows = Rows::new(path, &header, options)?;
    for (line, number) in lines.zip(2..) {
        let row = line.split('\t').map(|field| Some(field.as_bytes()));
        if row.clone().count() != header.len() {
            let problem = format!("line {number} has another number of fields than the header");
            return Err(FileError::whole(path, problem, "complete the line"));
        }
        rows.push(row, Some(number))?;
    }
    rows.finish()
}

fn write(
    path: &Path,
    table: &Dataset,
    _: Option<&Digraph>,
    options: &TableOptions,
    overwrite: Overwrite,
) -> Result<(), FileError> {
    let cells = Cells::new(path, table, options)?;
    let mut text = cells.header().collect::<Vec<_>>().join("\t") + "\n";
    for sample in 0..table.n_samples() {
        text += &(cells.row(sample).collect::<Vec<_>>().join("\t") + "\n");
    }
    write_text(path, overwrite, &text)
}

/// Writes samples of a known network in the new format, and reads them again.
pub fn main() -> Result<(), Box<dyn Error>> {
    let network = Builtin::Asia.load();
    let regimes = SamplePlan::every_variable(network.schema().n_vars());
    let plan = SamplePlan::even(200, 80, regimes, InterventionKind::Perfect)?;
    let data = sample(&network, &plan, Seed::new(1), &|_| ());

    let mut options = TableOptions::with_schema(network.schema().clone());
    options.formats.push(TSV);
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("hospital.tsv");
    write_table(&path, &data, None, &options, Overwrite::No)?;
    assert_eq!(read_table(&path, &options)?.dataset, data);
    // A folder of such files is a study.
    let study = Study::read(folder.path(), &options)?;
    assert_eq!(study.clients()[0].name, "hospital");
    println!("{} rows were written and read as .tsv", data.n_samples());
    Ok(())
}
