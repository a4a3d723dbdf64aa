//! Replacing a folder whole or not at all.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

use tempfile::TempDir;

use crate::file_error::FileError;
use crate::write::atomic::{Overwrite, parent};

/// What a kind of folder that fedcdi writes is known by.
#[derive(Clone, Copy, Debug)]
pub struct FolderKind {
    /// A file that every folder of the kind has.
    pub mark: &'static str,
    /// Whether it may hold a file of this name.
    pub may_hold: fn(&str) -> bool,
}

/// Refuses a place that [`write_folder`] could not write to whatever the content: known before the
/// work whose result goes there.
///
/// # Errors
/// [`FileError`] if there is no folder to put it in, or something is there that is never replaced.
pub fn check_folder_place(path: &Path, kind: &FolderKind) -> Result<(), FileError> {
    let parent = parent(path);
    let io = |error| FileError::io(parent, error);
    if parent.is_file() {
        return Err(io(io::ErrorKind::NotADirectory.into()));
    }
    if !parent.is_dir() {
        return Err(io(io::ErrorKind::NotFound.into()));
    }
    let here = std::env::current_dir().and_then(fs::canonicalize);
    if let (Ok(here), Ok(place)) = (here, fs::canonicalize(path))
        && here.starts_with(&place)
    {
        let problem = "it is the folder that the program runs in, which cannot be replaced";
        let remedy = "name a folder inside of it";
        return Err(FileError::whole(path, problem, remedy));
    }
    // Whether it may be written to is found out by doing so.
    beside(path).map_err(io)?.close().map_err(io)?;
    if !path.exists() {
        return Ok(());
    }
    foreign(path, kind)
        .map_err(|error| FileError::io(path, error))?
        .map_or(Ok(()), |what| Err(never_replaced(path, &what)))
}

/// A new folder that can be renamed to `path`.
fn beside(path: &Path) -> io::Result<TempDir> {
    tempfile::Builder::new()
        .prefix(".fedcdi-")
        .tempdir_in(parent(path))
}

/// Fills a new folder beside `path` and renames it to `path`.
///
/// On any error `path` is as it was. A folder with the same files is left alone; another one is
/// replaced only if it is empty, or if `overwrite` allows it and it is a folder of this `kind` that
/// holds nothing else.
///
/// # Errors
/// What `fill` returns; [`FileError::Exists`] or a refusal that says why the folder is not
/// replaced; [`FileError::Io`] if the system fails.
pub fn write_folder(
    path: &Path,
    kind: &FolderKind,
    overwrite: Overwrite,
    fill: impl FnOnce(&Path) -> Result<(), FileError>,
) -> Result<(), FileError> {
    let io = |error| FileError::io(path, error);
    let fresh = beside(path).map_err(|error| FileError::io(parent(path), error))?;
    let inside = fresh.path().join("new");
    fs::create_dir(&inside).map_err(io)?;
    fill(&inside)?;
    if !path.exists() {
        return fs::rename(&inside, path).map_err(io);
    }
    if path.is_dir() && same_files(&inside, path).map_err(io)? {
        return Ok(());
    }
    if let Some(what) = foreign(path, kind).map_err(io)? {
        return Err(never_replaced(path, &what));
    }
    if overwrite == Overwrite::No && fs::read_dir(path).map_err(io)?.next().is_some() {
        return Err(FileError::Exists {
            path: path.to_path_buf(),
        });
    }
    swap(&inside, path, beside(path).map_err(io)?).map_err(io)
}

/// What keeps this place from ever being replaced, if anything does: it is no folder of the kind, or
/// one that holds more.
fn foreign(path: &Path, kind: &FolderKind) -> io::Result<Option<String>> {
    if !path.is_dir() {
        return Ok(Some("a file".to_owned()));
    }
    let entries: Vec<fs::DirEntry> = fs::read_dir(path)?.collect::<io::Result<_>>()?;
    let is_foreign = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        let known = name.to_str().is_some_and(kind.may_hold);
        !known || !entry.path().is_file()
    };
    let mut found: Vec<_> = entries.iter().filter(|entry| is_foreign(entry)).collect();
    found.sort_by_key(|entry| entry.file_name());
    if let Some(entry) = found.first() {
        return Ok(Some(entry.file_name().display().to_string()));
    }
    let is_marked = entries.is_empty() || path.join(kind.mark).is_file();
    Ok((!is_marked).then(|| format!("no {}", kind.mark)))
}

fn never_replaced(path: &Path, what: &str) -> FileError {
    let problem =
        format!("already exists and holds other things ({what}), so it is never replaced");
    FileError::whole(path, problem, "name another folder")
}

/// Moves the old folder away, the new one in, and the old one back should that fail.
fn swap(new: &Path, path: &Path, away: TempDir) -> io::Result<()> {
    let old = away.path().join("old");
    fs::rename(path, &old)?;
    let Err(error) = fs::rename(new, path) else {
        return Ok(());
    };
    if fs::rename(&old, path).is_err() {
        // The old folder stays where it is, under a name that the error cannot tell: better than gone.
        let _kept = away.keep();
    }
    Err(error)
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
    const KIND: FolderKind = FolderKind {
        mark: MARK,
        may_hold: |name| [MARK, "stale.csv", "run.csv"].contains(&name),
    };

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
            write_folder(&path, &KIND, Overwrite::No, fill("one")).unwrap();
        }
        assert_eq!(only_entry(place.path()), "s");
    }

    #[test]
    fn other_content_needs_permission_and_then_replaces_all() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("s");
        write_folder(&path, &KIND, Overwrite::No, fill("one")).unwrap();
        fs::write(path.join("stale.csv"), "old").unwrap();
        let refused = write_folder(&path, &KIND, Overwrite::No, fill("two"));
        assert!(matches!(refused, Err(FileError::Exists { .. })));
        assert_eq!(fs::read_to_string(path.join(MARK)).unwrap(), "one");
        write_folder(&path, &KIND, Overwrite::Yes, fill("two")).unwrap();
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
        let refused = write_folder(&path, &KIND, Overwrite::Yes, fill("two")).unwrap_err();
        assert!(refused.to_string().contains("never replaced"), "{refused}");
        assert!(check_folder_place(&path, &KIND).is_err());
        assert_eq!(only_entry(&path), "chapter.tex");
    }

    #[test]
    fn a_folder_that_holds_more_is_never_replaced() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("s");
        write_folder(&path, &KIND, Overwrite::No, fill("one")).unwrap();
        assert!(check_folder_place(&path, &KIND).is_ok());
        fs::create_dir(path.join("run.csv")).unwrap();
        let refused = write_folder(&path, &KIND, Overwrite::Yes, fill("two")).unwrap_err();
        assert!(refused.to_string().contains("run.csv"), "{refused}");
        assert_eq!(fs::read_to_string(path.join(MARK)).unwrap(), "one");
    }

    #[test]
    fn a_place_inside_of_nothing_is_known_beforehand() {
        let refused = check_folder_place(Path::new("/no/such/folder/s"), &KIND).unwrap_err();
        assert!(
            refused.to_string().starts_with("/no/such/folder:"),
            "{refused}"
        );
    }

    #[test]
    fn a_failure_leaves_nothing_behind() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("s");
        let failed = write_folder(&path, &KIND, Overwrite::No, |folder| {
            fs::write(folder.join("half"), "written").unwrap();
            Err(FileError::whole(folder, "full", "stop"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }
}
