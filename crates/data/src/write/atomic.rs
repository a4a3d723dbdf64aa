//! Writing a file whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

use crate::file_error::FileError;

/// What to do if the destination exists and holds something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Overwrite {
    /// Refuse, and leave it as it is.
    #[default]
    No,
    /// Replace it.
    Yes,
}

/// Fills a temporary file in the folder of `path` and renames it to `path`.
///
/// On any error the destination is as it was and nothing else remains. A destination that already
/// holds the same bytes is left alone; one that holds something else is replaced if `overwrite`
/// allows it.
pub(super) fn write_atomically(
    path: &Path,
    overwrite: Overwrite,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result<(), FileError>,
) -> Result<(), FileError> {
    let io = |error| FileError::io(path, error);
    if path.is_dir() {
        return Err(io(io::ErrorKind::IsADirectory.into()));
    }
    let temporary = temporary_beside(path).map_err(io)?;
    let mut out = BufWriter::with_capacity(1 << 18, temporary.reopen().map_err(io)?);
    fill(&mut out)?;
    let file = out.into_inner().map_err(|error| io(error.into_error()))?;
    file.sync_all().map_err(io)?;
    place(temporary, path, overwrite)
}

fn temporary_beside(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".fedcdi-").suffix(".partial");
    // Temporary files are private by default; the finished one follows the user's umask.
    #[cfg(unix)]
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    #[cfg(unix)]
    builder.permissions(mode);
    builder.tempfile_in(parent(path))
}

pub(super) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

fn place(temporary: NamedTempFile, path: &Path, overwrite: Overwrite) -> Result<(), FileError> {
    let io = |error| FileError::io(path, error);
    let exists = || FileError::Exists {
        path: path.to_path_buf(),
    };
    if path.exists() {
        if same_content(temporary.path(), path).map_err(io)? {
            return Ok(());
        }
        if overwrite == Overwrite::No {
            return Err(exists());
        }
    }
    let placed = match overwrite {
        Overwrite::Yes => temporary.persist(path).map(drop),
        Overwrite::No => temporary.persist_noclobber(path).map(drop),
    };
    placed.map_err(|failed| match failed.error.kind() {
        io::ErrorKind::AlreadyExists => exists(),
        _ => io(failed.error),
    })
}

fn same_content(a: &Path, b: &Path) -> io::Result<bool> {
    if fs::metadata(a)?.len() != fs::metadata(b)?.len() {
        return Ok(false);
    }
    let (mut a, mut b) = (File::open(a)?, File::open(b)?);
    let (mut left, mut right) = ([0; 1 << 14], [0; 1 << 14]);
    loop {
        let n = a.read(&mut left)?;
        if n == 0 {
            return Ok(true);
        }
        if b.read_exact(&mut right[..n]).is_err() || left[..n] != right[..n] {
            return Ok(false);
        }
    }
}

/// Writes a text that is already in memory.
///
/// # Errors
/// [`FileError::Exists`] if the destination holds something else and `overwrite` does not allow to
/// replace it; [`FileError::Io`] if the system fails.
pub fn write_text(path: &Path, overwrite: Overwrite, text: &str) -> Result<(), FileError> {
    write_atomically(path, overwrite, |out| {
        out.write_all(text.as_bytes())
            .map_err(|e| FileError::io(path, e))
    })
}

/// Writes bytes, whole or not at all, in the place of what is there.
///
/// # Errors
/// [`FileError::Io`] if the system fails.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    write_atomically(path, Overwrite::Yes, |out| {
        out.write_all(bytes).map_err(|e| FileError::io(path, e))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_error::Place;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_failing_writer_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let error = write_atomically(&path, Overwrite::Yes, |out| {
            out.write_all(b"half").unwrap();
            Err(FileError::content(&path, Place::Whole, "no", "stop"))
        });
        assert!(error.is_err());
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn a_different_file_is_kept_unless_overwriting_is_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        write_text(&path, Overwrite::No, "one").unwrap();
        write_text(&path, Overwrite::No, "one").unwrap();
        let error = write_text(&path, Overwrite::No, "two").unwrap_err();
        assert!(matches!(error, FileError::Exists { .. }) && error.is_bad_input());
        assert_eq!(fs::read(&path).unwrap(), b"one");
        write_text(&path, Overwrite::Yes, "two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names(folder.path()), ["a.csv"]);
    }

    #[test]
    fn a_folder_that_does_not_exist_is_bad_input() {
        let error = write_text(Path::new("/no/such/folder/a"), Overwrite::No, "x").unwrap_err();
        assert!(error.is_bad_input());
    }

    #[cfg(unix)]
    #[test]
    fn the_finished_file_is_not_private() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (plain, ours) = (folder.path().join("plain"), folder.path().join("ours"));
        fs::write(&plain, b"x").unwrap();
        write_text(&ours, Overwrite::No, "x").unwrap();
        let mode = |path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
    }
}
