//! Replacing a folder whole or not at all.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

use tempfile::TempDir;

use crate::file_error::{FileError, Place};
use crate::write::atomic::Overwrite;

/// Fills a new folder beside `path` and renames it to `path`.
///
/// On any error `path` is as it was. A folder with the same files is left alone; another one is
/// replaced only if it is empty, or if `overwrite` allows it and it has the file `mark`, by which
/// such folders are known.
///
/// # Errors
/// What `fill` returns; [`FileError::Exists`] or a refusal that says why the folder is not
/// replaced; [`FileError::Io`] if the system fails.
pub fn write_folder(
    path: &Path,
    mark: &str,
    overwrite: Overwrite,
    fill: impl FnOnce(&Path) -> Result<(), FileError>,
) -> Result<(), FileError> {
    let io = |error| FileError::io(path, error);
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let beside = || {
        tempfile::Builder::new()
            .prefix(".fedcdi-")
            .tempdir_in(parent)
    };
    let fresh = beside().map_err(|error| FileError::io(parent, error))?;
    let inside = fresh.path().join("new");
    fs::create_dir(&inside).map_err(io)?;
    fill(&inside)?;
    if !path.exists() {
        return fs::rename(&inside, path).map_err(io);
    }
    if path.is_dir() && same_files(&inside, path).map_err(io)? {
        return Ok(());
    }
    if !may_replace(path, mark, overwrite).map_err(io)? {
        return Err(refusal(path, mark));
    }
    swap(&inside, path, &beside().map_err(io)?).map_err(io)
}

fn refusal(path: &Path, mark: &str) -> FileError {
    if path.join(mark).is_file() {
        return FileError::Exists {
            path: path.to_path_buf(),
        };
    }
    let problem = format!("it exists and holds other things (no {mark}), so it is never replaced");
    FileError::content(path, Place::Whole, problem, "name another folder")
}

fn may_replace(path: &Path, mark: &str, overwrite: Overwrite) -> io::Result<bool> {
    let is_marked = || path.join(mark).is_file();
    let is_empty = || Ok::<_, io::Error>(path.is_dir() && fs::read_dir(path)?.next().is_none());
    Ok(is_empty()? || overwrite == Overwrite::Yes && is_marked())
}

/// Moves the old folder away, the new one in, and the old one back should that fail.
fn swap(new: &Path, path: &Path, away: &TempDir) -> io::Result<()> {
    let old = away.path().join("old");
    fs::rename(path, &old)?;
    fs::rename(new, path).inspect_err(|_| {
        // Nothing more can be done if this fails too; the error that led here is reported.
        let _ = fs::rename(&old, path);
    })
}

fn same_files(a: &Path, b: &Path) -> io::Result<bool> {
    let names = |folder: &Path| -> io::Result<BTreeSet<OsString>> {
        fs::read_dir(folder)?
            .map(|entry| Ok(entry?.file_name()))
            .collect()
    };
    let all = names(a)?;
    if all != names(b)? {
        return Ok(false);
    }
    for name in all {
        let (left, right) = (a.join(&name), b.join(&name));
        if !right.is_file() || fs::read(left)? != fs::read(right)? {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARK: &str = "mark.json";

    fn fill(text: &'static str) -> impl Fn(&Path) -> Result<(), FileError> {
        move |folder| {
            fs::write(folder.join(MARK), text).unwrap();
            Ok(())
        }
    }

    fn only_entry(folder: &Path) -> OsString {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().file_name())
            .collect();
        assert_eq!(names.len(), 1, "{names:?}");
        names.remove(0)
    }

    #[test]
    fn the_same_content_twice_is_no_conflict() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("s");
        for _ in 0..2 {
            write_folder(&path, MARK, Overwrite::No, fill("one")).unwrap();
        }
        assert_eq!(only_entry(place.path()), "s");
    }

    #[test]
    fn other_content_needs_permission_and_then_replaces_all() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("s");
        write_folder(&path, MARK, Overwrite::No, fill("one")).unwrap();
        fs::write(path.join("stale.csv"), "old").unwrap();
        let refused = write_folder(&path, MARK, Overwrite::No, fill("two"));
        assert!(matches!(refused, Err(FileError::Exists { .. })));
        assert_eq!(fs::read_to_string(path.join(MARK)).unwrap(), "one");
        write_folder(&path, MARK, Overwrite::Yes, fill("two")).unwrap();
        assert_eq!(fs::read_to_string(path.join(MARK)).unwrap(), "two");
        assert_eq!(only_entry(&path), MARK);
        assert_eq!(only_entry(place.path()), "s");
    }

    #[test]
    fn a_folder_without_the_mark_is_never_replaced() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("thesis");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("chapter.tex"), "words").unwrap();
        let refused = write_folder(&path, MARK, Overwrite::Yes, fill("two")).unwrap_err();
        assert!(refused.to_string().contains("never replaced"), "{refused}");
        assert_eq!(only_entry(&path), "chapter.tex");
    }

    #[test]
    fn a_failure_leaves_nothing_behind() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("s");
        let failed = write_folder(&path, MARK, Overwrite::No, |folder| {
            fs::write(folder.join("half"), "written").unwrap();
            Err(FileError::NotFound { path: "x".into() })
        });
        assert!(failed.is_err());
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }
}
