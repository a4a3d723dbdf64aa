//! Tables of samples as CSV.
//!
//! A header of column names, one row per sample; the intervention column is empty for an
//! observational row, else it names the intervened variables, joined by `;`. Labels are taken as
//! they stand: `1` and `1.0` are two labels, spaces count.

use std::io::Read;
use std::path::Path;

use csv::{ByteRecord, ErrorKind, ReaderBuilder};

use super::Table;
use super::options::TableOptions;
use super::rows::Rows;
use crate::file_error::{FileError, Place};
use crate::formats::{Format, open};
use crate::write::write_csv;

pub(crate) const CSV: Format = Format {
    extension: "csv",
    columns: csv_columns,
    read: |path, options| parse_csv(open(path)?, path, options),
    write: write_csv,
};

/// Reads a CSV table from any source; `path` is its name in messages.
fn parse_csv(source: impl Read, path: &Path, options: &TableOptions) -> Result<Table, FileError> {
    let mut reader = ReaderBuilder::new()
        .buffer_capacity(1 << 18)
        .from_reader(source);
    let header = reader.byte_headers().map_err(|e| describe(path, e))?;
    if header.is_empty() {
        let remedy = "it needs a line of column names and one row per sample";
        return Err(FileError::whole(path, "the table is empty", remedy));
    }
    let header = header_names(path, header)?;
    refuse_other_separators(path, &header)?;
    let mut rows = Rows::new(path, &header, options)?;
    let mut record = ByteRecord::new();
    while reader
        .read_byte_record(&mut record)
        .map_err(|e| rows.end_with(vec![describe(path, e)]))?
    {
        let line = record.position().map(csv::Position::line);
        rows.push(record.iter().map(Some), line)?;
    }
    rows.finish()
}

fn csv_columns(path: &Path) -> Option<Vec<String>> {
    let mut reader = ReaderBuilder::new().from_reader(open(path).ok()?);
    let header = header_names(path, reader.byte_headers().ok()?).ok()?;
    refuse_other_separators(path, &header).ok()?;
    Some(header)
}

fn header_names(path: &Path, header: &ByteRecord) -> Result<Vec<String>, FileError> {
    let names = header.iter().enumerate().map(|(at, name)| {
        String::from_utf8(name.to_vec()).map_err(|_| {
            let problem = format!("the name of column number {} is not UTF-8", at + 1);
            FileError::content(path, Place::Line(1), problem, "save the file as UTF-8")
        })
    });
    names.collect()
}

/// One column whose name holds a semicolon or tab is a file with another separator: reading it as
/// one variable would be a silent mistake.
fn refuse_other_separators(path: &Path, header: &[String]) -> Result<(), FileError> {
    let [only] = header else { return Ok(()) };
    let Some(separator) = only.chars().find(|c| [';', '\t'].contains(c)) else {
        return Ok(());
    };
    let problem = format!("the table has one column, and its name holds {separator:?}");
    let remedy = "separate the fields with commas: save the file as comma-separated CSV";
    Err(FileError::content(path, Place::Line(1), problem, remedy))
}

/// What the CSV reader objects to, in our words.
pub(super) fn describe(path: &Path, error: csv::Error) -> FileError {
    let text = error.to_string();
    match error.into_kind() {
        ErrorKind::Io(source) => FileError::io(path, source),
        ErrorKind::UnequalLengths {
            pos,
            expected_len,
            len,
        } => {
            let few = if len < expected_len { "few" } else { "many" };
            let place = pos.map_or(Place::Whole, |pos| Place::Row {
                row: pos.record(),
                line: Some(pos.line()),
                column: None,
            });
            let problem =
                format!("the row has too {few} fields: {len}, the header has {expected_len}");
            let remedy = "complete the row, and quote values that contain commas";
            FileError::content(path, place, problem, remedy)
        }
        _ => FileError::whole(path, text, "save the file as plain CSV"),
    }
}

#[cfg(test)]
mod tests {
    use fedcdi_core::Dataset;

    use super::*;
    use crate::read::Missing;
    use fedcdi_core::{Column, Schema, VarId, Variable};
    use std::sync::Arc;

    fn parse(text: &[u8], options: &TableOptions) -> Result<Dataset, String> {
        let table = parse_csv(text, Path::new("t.csv"), options);
        table.map(|table| table.dataset).map_err(|e| e.to_string())
    }

    fn refused(text: &str) -> String {
        parse(text.as_bytes(), &TableOptions::default()).unwrap_err()
    }

    #[test]
    fn other_separators_are_pointed_out() {
        for text in ["a;b\n0;1\n", "a\tb\n0\t1\n"] {
            let message = refused(text);
            assert!(
                message.contains("line 1") && message.contains("commas"),
                "{message}"
            );
        }
    }

    #[test]
    fn rows_labels_and_interventions_are_read() {
        let text = b"smoke,intervention,lung\nyes,,1\nno,lung,0\nno,\"smoke; lung\",10\n";
        let table = parse(text, &TableOptions::default()).unwrap();
        assert_eq!(
            table.schema().variables()[0],
            Variable::new("smoke", ["no", "yes"])
        );
        assert_eq!(
            table.schema().variables()[1],
            Variable::new("lung", ["0", "1", "10"])
        );
        assert_eq!(table.column(VarId(0)), &Column::U8(vec![1, 0, 0]));
        assert_eq!(table.column(VarId(1)), &Column::U8(vec![1, 0, 2]));
        assert!(table.regime(0).is_observational());
        assert_eq!(table.regime(1).targets(), [VarId(1)]);
        assert_eq!(table.regime(2).targets(), [VarId(0), VarId(1)]);
    }

    #[test]
    fn without_an_intervention_column_all_rows_are_observational() {
        let table = parse(b"\xef\xbb\xbfa,b\r\n0,1\r\n", &TableOptions::default()).unwrap();
        assert_eq!(table.observational(), [0]);
        assert_eq!(table.schema().names(), ["a", "b"]);
    }

    #[test]
    fn a_schema_orders_columns_and_categories() {
        let b = Variable::new("b", ["LOW", "HIGH", "NA"]);
        let schema = Schema::new(vec![b, Variable::new("a", ["0", "1"])]).unwrap();
        let options = TableOptions::with_schema(Arc::new(schema));
        let table = parse(b"a,b\n1,HIGH\n1,NA\n", &options).unwrap();
        assert_eq!(table.column(VarId(0)), &Column::U8(vec![1, 2]));
        let error = |text: &[u8]| parse(text, &options).unwrap_err();
        assert_eq!(
            error(b"a,b\n1,HIGH\n1,high\n"),
            "t.csv, row 2 (line 3), column \"b\": the schema has no category \"high\" here; \
             correct the value, or add the category to the schema of all sites"
        );
        assert!(error(b"a\n1\n").starts_with("t.csv, column \"b\": the schema lists it"));
        assert!(error(b"a,b,c\n1,LOW,1\n").starts_with("t.csv, column \"c\": the schema does"));
    }

    #[test]
    fn bad_tables_are_refused_by_place() {
        assert!(refused("").contains("the table is empty"));
        assert!(refused("a,b\n").contains("no rows"));
        assert!(refused("intervention\n\n").contains("no variables"));
        assert!(refused("a,a\n0,0\n").starts_with("t.csv, column \"a\": the name occurs twice"));
        assert!(refused(",a\n0,0\n").contains("column number 1 has no name"));
        assert_eq!(
            refused("a,b\n0,1\n0\n"),
            "t.csv, row 2 (line 3): the row has too few fields: 1, the header has 2; complete the \
             row, and quote values that contain commas"
        );
        assert!(refused("a,b\n0,1,2\n").contains("row 1 (line 2): the row has too many fields: 3"));
        assert_eq!(
            refused("a,lung\n0,1\n0,NA\n"),
            "t.csv, row 2 (line 3), column \"lung\": the value is missing; fill it in, or pass \
             missing = \"drop\" or missing = \"category\""
        );
        assert!(
            refused("a,intervention\n0,b\n").starts_with(
                "t.csv, row 1 (line 2), column \"intervention\": unknown variable \"b\""
            )
        );
        let latin1 = parse(b"a\nna\xefve\n", &TableOptions::default()).unwrap_err();
        assert!(latin1.contains("row 1 (line 2), column \"a\": the text is not UTF-8"));
    }

    #[test]
    fn a_named_intervention_column_must_exist() {
        let options = TableOptions {
            intervention_column: "do".into(),
            ..TableOptions::default()
        };
        assert!(
            parse(b"a,intervention\n0,a\n", &options)
                .unwrap_err()
                .contains("\"do\"")
        );
        assert_eq!(
            parse(b"a,do\n0,a\n", &options)
                .unwrap()
                .interventional_counts(),
            [1]
        );
    }

    #[test]
    fn missing_rows_can_be_dropped_and_leave_no_category() {
        let options = |missing| TableOptions {
            missing,
            ..TableOptions::default()
        };
        let text = b"a,b\n0,x\nNA,only_here\n1,\n1,y\n";
        let table = parse(text, &options(Missing::DropRow)).unwrap();
        assert_eq!(
            table.schema().variables()[1],
            Variable::new("b", ["x", "y"])
        );
        assert_eq!(table.column(VarId(0)), &Column::U8(vec![0, 1]));
        let table = parse(text, &options(Missing::Category)).unwrap();
        assert_eq!(
            table.schema().variables()[0],
            Variable::new("a", ["0", "1", "NA"])
        );
        let error = parse(b"a\n?\n", &options(Missing::DropRow)).unwrap_err();
        assert!(error.contains("every row has a missing value"));
    }
}
