//! What can be wrong with a file: which file, where in it, what, and what to do.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use fedcdi_core::{Remedied, Remedy, SchemaError};

use crate::formats::shown;

/// More things than this are counted, not listed.
const MOST_LISTED: usize = 60;

/// Where in a file something is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    Whole,
    /// A line of a text file, from 1.
    Line(u64),
    /// A row of a table.
    Row {
        /// Which data row, from 1; the header does not count.
        row: u64,
        /// The line of the text file on which the row starts, from 1.
        line: Option<u64>,
        /// The column, where one is to blame.
        column: Option<String>,
    },
    /// A column of a table.
    Column(String),
    /// An array of an archive, or one element of it such as `data_obs[3, 4]`.
    Array(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => Ok(()),
            Self::Line(line) => write!(f, ", line {line}"),
            Self::Row { row, line, column } => {
                write!(f, ", row {row}")?;
                if let Some(line) = line {
                    write!(f, " (line {line})")?;
                }
                match column {
                    Some(column) => write!(f, ", column {column:?}"),
                    None => Ok(()),
                }
            }
            Self::Column(column) => write!(f, ", column {column:?}"),
            Self::Array(array) => write!(f, ", array {array}"),
        }
    }
}

/// Why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file holds something it should not, or would have to.
    #[error("{}{place}: {problem}; {remedy}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// Where in it.
        place: Place,
        /// What is wrong.
        problem: String,
        /// What to do.
        remedy: Remedy,
    },
    /// The destination holds something else already.
    #[error("{}: already exists with different content; {}", path.display(), replace())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Several things are wrong with the content of a file.
    #[error("{}", listed(path, found))]
    Several {
        /// The file.
        path: PathBuf,
        /// Each of them; at least two.
        found: Vec<FileError>,
    },
    /// The system failed: disk full, no permission, network drive gone.
    #[error("{}: {source}; check the disk and the permissions", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl FileError {
    /// Whether the person who named or made the file has to act, as opposed to the system failing.
    pub fn is_bad_input(&self) -> bool {
        !matches!(self, Self::Io { .. })
    }

    /// A failure of the system, or a path that leads nowhere.
    pub fn io(path: &Path, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::NotADirectory => {
                let file = path.ancestors().skip(1).find(|part| part.is_file());
                let remedy = "name a place inside a folder";
                Self::whole(file.unwrap_or(path), "this is not a folder", remedy)
            }
            io::ErrorKind::NotFound => {
                Self::whole(path, "no such file or folder", "check the path")
            }
            io::ErrorKind::IsADirectory => {
                let problem = "this is a folder, not a file";
                Self::whole(path, problem, "name a file inside it")
            }
            _ => Self::Io {
                path: path.to_path_buf(),
                source,
            },
        }
    }

    /// The name of a file does not say what kind of file it is.
    pub(crate) fn extension<'a>(
        path: &Path,
        kind: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let problem = match path.extension() {
            Some(extension) => format!("unknown extension .{}", extension.display()),
            None => "the name has no extension".to_owned(),
        };
        let remedy = format!("known for a {kind} are {}", shown(known));
        Self::whole(path, problem, remedy)
    }

    /// A failure to read a file as text.
    pub fn text(path: &Path, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::InvalidData => {
                Self::whole(path, "the text is not UTF-8", "save the file as UTF-8")
            }
            _ => Self::io(path, source),
        }
    }

    /// Something wrong with the content of a file.
    pub fn content(
        path: &Path,
        place: Place,
        problem: impl Into<String>,
        remedy: impl Into<Remedy>,
    ) -> Self {
        Self::Content {
            path: path.to_path_buf(),
            place,
            problem: problem.into(),
            remedy: remedy.into(),
        }
    }

    /// Something wrong with a file as a whole.
    pub fn whole(path: &Path, problem: impl Into<String>, remedy: impl Into<Remedy>) -> Self {
        Self::content(path, Place::Whole, problem, remedy)
    }

    /// Something wrong with a column.
    pub fn column(
        path: &Path,
        name: &str,
        problem: impl Into<String>,
        remedy: impl Into<Remedy>,
    ) -> Self {
        Self::content(path, Place::Column(name.to_owned()), problem, remedy)
    }

    /// Everything that is wrong with a file; none if nothing is.
    pub(crate) fn all(path: &Path, mut found: Vec<Self>) -> Option<Self> {
        match found.len() {
            0 | 1 => found.pop(),
            _ => Some(Self::Several {
                path: path.to_path_buf(),
                found,
            }),
        }
    }

    /// A problem that already says what to do after a semicolon.
    pub(crate) fn from_text(path: &Path, place: Place, error: &impl fmt::Display) -> Self {
        let text = error.to_string();
        let (problem, remedy) = text.rsplit_once("; ").unwrap_or((&text, "correct it"));
        Self::content(path, place, problem, remedy)
    }

    /// What is wrong with the variables of a file.
    pub(crate) fn schema(path: &Path, place: Place, error: &SchemaError) -> Self {
        let text = error.to_string();
        match error.remedy() {
            Some(remedy) => {
                let problem = text.strip_suffix(&format!("; {remedy}")).unwrap_or(&text);
                Self::content(path, place, problem, remedy)
            }
            None => Self::from_text(path, place, error),
        }
    }
}

/// A line for each of the things that are wrong, with settings as a face names them: the whole text is
/// the remedy.
fn listed(path: &Path, found: &[FileError]) -> Remedy {
    let path = path.display().to_string();
    let heading = format!("{path}: {} things are wrong", found.len());
    let mut lines = Remedy::from(heading);
    for error in found.iter().take(MOST_LISTED) {
        let text = error.to_string();
        let remedy = error.remedy().unwrap_or_default();
        let problem = text.strip_suffix(&remedy.to_string()).unwrap_or(&text);
        let place = problem.strip_prefix(&path).unwrap_or(problem);
        let place = place.trim_start_matches([',', ':', ' ']);
        lines = lines.text(format!("\n- {place}")).then(remedy);
    }
    match found.len().saturating_sub(MOST_LISTED) {
        0 => lines,
        rest => lines.text(format!("\n- .. and {rest} more")),
    }
}

fn replace() -> Remedy {
    let remedy = Remedy::from("name another place, or pass ");
    remedy.setting("force").text(" to replace it")
}

impl Remedied for FileError {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Content { remedy, .. } => Some(remedy.clone()),
            Self::Several { path, found } => Some(listed(path, found)),
            Self::Exists { .. } => Some(replace()),
            Self::Io { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_file_place_problem_and_remedy() {
        let place = Place::Row {
            row: 17,
            line: Some(18),
            column: Some("lung".into()),
        };
        let error = FileError::content(
            Path::new("study.csv"),
            place,
            "the value is missing",
            "fill it in",
        );
        assert_eq!(
            error.to_string(),
            "study.csv, row 17 (line 18), column \"lung\": the value is missing; fill it in"
        );
    }

    struct Flags;

    impl fedcdi_core::Face for Flags {
        fn setting(&self, name: &str, _: Option<&str>) -> String {
            format!("--{name}")
        }
    }

    #[test]
    fn several_things_have_a_line_each_and_settings_in_the_words_of_a_face() {
        let path = Path::new("t.csv");
        let missing = Remedy::from("fill it in, or pass ").set("missing", "drop");
        let found = vec![
            FileError::column(path, "a", "the value is missing", missing),
            FileError::whole(path, "no rows", "add one"),
        ];
        let error = FileError::all(path, found).unwrap();
        let text = "t.csv: 2 things are wrong\n- column \"a\": the value is missing; fill it in, or \
                    pass missing = \"drop\"\n- no rows; add one";
        assert_eq!(error.to_string(), text);
        assert!(error.told_by(&Flags).contains("or pass --missing\n- no"));
    }

    #[test]
    fn a_missing_file_is_bad_input_and_a_full_disk_is_not() {
        let error = |kind| FileError::io(Path::new("a.csv"), io::Error::from(kind));
        assert!(error(io::ErrorKind::NotFound).is_bad_input());
        assert!(error(io::ErrorKind::IsADirectory).is_bad_input());
        assert!(!error(io::ErrorKind::StorageFull).is_bad_input());
    }

    #[test]
    fn a_path_through_a_file_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("afile");
        std::fs::write(&file, "").unwrap();
        let inside = file.join("x.csv");
        let error = FileError::io(&inside, io::ErrorKind::NotADirectory.into());
        let text = error.to_string();
        assert!(text.contains("afile: this is not a folder"), "{text}");
        assert!(error.is_bad_input());
    }
}
