//! The formats of tables: one file and one line of [`Format::BUILT_IN`] each.

use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

use fedcdi_core::{Dataset, Digraph};

use crate::file_error::FileError;
use crate::read::{Table, TableOptions, check_header};
use crate::write::Overwrite;

/// A file format of tables.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// The extension of its files, in lower case and without the dot.
    pub extension: &'static str,
    /// The names of all columns, where a header has them and it can be read.
    pub columns: fn(&Path) -> Option<Vec<String>>,
    /// Reads a table. An error names the place of the first thing that is wrong.
    pub read: fn(&Path, &TableOptions) -> Result<Table, FileError>,
    /// Writes samples, and their true graph where the format can hold it.
    pub write: WriteTable,
}

/// Writes samples, and their true graph where the format can hold it.
pub type WriteTable =
    fn(&Path, &Dataset, Option<&Digraph>, &TableOptions, Overwrite) -> Result<(), FileError>;

impl Format {
    /// The formats that come with fedcdi; [`TableOptions::formats`] may have more.
    pub const BUILT_IN: [Self; 3] = [
        crate::read::CSV,
        #[cfg(feature = "parquet")]
        crate::read::PARQUET,
        #[cfg(not(feature = "parquet"))]
        NO_PARQUET,
        crate::read::NPZ,
    ];

    pub(crate) fn of(path: &Path, formats: &[Self]) -> Option<Self> {
        let extension = extension(path);
        let mut formats = formats.iter().copied();
        formats.find(|format| format.extension == extension)
    }
}

#[cfg(not(feature = "parquet"))]
const NO_PARQUET: Format = Format {
    extension: "parquet",
    columns: |_| None,
    read: |path, _| Err(no_parquet(path)),
    write: |path, _, _, _, _| Err(no_parquet(path)),
};

#[cfg(not(feature = "parquet"))]
fn no_parquet(path: &Path) -> FileError {
    let problem = "this build of fedcdi has no support for Parquet";
    let remedy = "build it with the cargo feature `parquet`, or convert the file to CSV";
    FileError::whole(path, problem, remedy)
}

pub(crate) fn open(path: &Path) -> Result<File, FileError> {
    let io = |error| FileError::io(path, error);
    let file = File::open(path).map_err(io)?;
    // Opening a folder works on some systems, and reading it fails in ways that name no folder.
    if file.metadata().map_err(io)?.is_dir() {
        return Err(io(ErrorKind::IsADirectory.into()));
    }
    Ok(file)
}

/// The extension in lower case, without the dot.
pub(crate) fn extension(path: &Path) -> String {
    let extension = path.extension().and_then(|e| e.to_str());
    extension.unwrap_or_default().to_ascii_lowercase()
}

/// Extensions as they are shown: `.csv, .npz`.
pub(crate) fn shown<'a>(extensions: impl IntoIterator<Item = &'a str>) -> String {
    let dotted: Vec<String> = extensions.into_iter().map(|e| format!(".{e}")).collect();
    dotted.join(", ")
}

fn unknown(path: &Path, options: &TableOptions) -> FileError {
    let known = options.formats.iter().map(|format| format.extension);
    FileError::extension(path, "table", known)
}

/// Reads samples from a file of a known extension; some formats hold their graph, too.
///
/// # Errors
/// [`FileError`] naming the place of the first thing that is wrong, or the known extensions.
pub fn read_table(path: &Path, options: &TableOptions) -> Result<Table, FileError> {
    match Format::of(path, &options.formats) {
        Some(format) => (format.read)(path, options),
        // A file that cannot be opened is not to blame for its extension.
        None => Err(open(path).err().unwrap_or_else(|| unknown(path, options))),
    }
}

/// Writes samples to a file of a known extension; some formats hold their true graph, too.
///
/// # Errors
/// [`FileError`] if the format cannot hold the table, the extension is unknown, or the file cannot
/// be written.
pub fn write_table(
    path: &Path,
    table: &Dataset,
    truth: Option<&Digraph>,
    options: &TableOptions,
    overwrite: Overwrite,
) -> Result<(), FileError> {
    match Format::of(path, &options.formats) {
        Some(format) => (format.write)(path, table, truth, options, overwrite),
        None => Err(unknown(path, options)),
    }
}

/// The names of a table's variables, where its header can be read and is one: those that cannot
/// are refused by [`read_table`], with the reason.
pub(crate) fn variable_names(path: &Path, options: &TableOptions) -> Option<Vec<String>> {
    let mut header = (Format::of(path, &options.formats)?.columns)(path)?;
    check_header(path, &header, options).ok()?;
    header.retain(|name| *name != options.intervention_column);
    Some(header)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_extensions_get_the_list_of_known_ones() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.xlsx");
        std::fs::write(&path, "").unwrap();
        let text = read_table(&path, &TableOptions::default()).unwrap_err();
        let told = "a.xlsx: unknown extension .xlsx; known for a table are .csv, .parquet, .npz";
        assert!(text.to_string().ends_with(told), "{text}");
    }

    #[test]
    fn a_missing_file_is_called_that_in_every_format() {
        for name in ["a.csv", "a.parquet", "a.npz", "a.xlsx", "a"] {
            let error = read_table(&Path::new("/none").join(name), &TableOptions::default());
            let text = error.unwrap_err().to_string();
            assert!(
                text.ends_with(": no such file or folder; check the path"),
                "{text}"
            );
        }
    }

    #[test]
    fn a_folder_is_called_that_in_every_format() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.csv", "a.parquet", "a.npz", "a"] {
            let path = folder.path().join(name);
            std::fs::create_dir(&path).unwrap();
            let error = read_table(&path, &TableOptions::default()).unwrap_err();
            let text = error.to_string();
            assert!(text.contains(": this is a folder, not a file;"), "{text}");
        }
    }
}
