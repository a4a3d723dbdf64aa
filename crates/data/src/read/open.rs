//! Opening files; a folder is told apart from a broken file.

use std::fs::File;
use std::path::Path;

use crate::file_error::FileError;

/// Opens a file for reading.
pub(crate) fn open(path: &Path) -> Result<File, FileError> {
    let io = |error| FileError::io(path, error);
    let file = File::open(path).map_err(io)?;
    // Opening a folder works on some systems, and reading it fails in ways that name no folder.
    if file.metadata().map_err(io)?.is_dir() {
        let path = path.to_path_buf();
        return Err(FileError::Folder { path });
    }
    Ok(file)
}
