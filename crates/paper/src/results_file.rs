//! `results.jsonl`: one line per finished job, appended as jobs finish.
//!
//! A line is written whole and synced before a job counts as finished, so a run that is killed at
//! any moment loses the jobs in flight and nothing else. The one thing that a kill can leave is a
//! last line without its end; it is cut off when the run is resumed.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use fedcdi_core::Remedy;
use fedcdi_data::file_error::{FileError, Place};
use serde::{Deserialize, Serialize};

use super::job::Job;
use super::result::JobResult;

pub(crate) const RESULTS: &str = "results.jsonl";

/// Number of the format: raised whenever a line means something else than before.
pub(crate) const FORMAT: u32 = 3;

/// What to do if there are results already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Refuse.
    Refuse,
    /// Keep them and run what is missing.
    Resume,
}

#[derive(Serialize)]
struct Line<'a> {
    format: u32,
    fedcdi: &'static str,
    fingerprint: &'a str,
    job: &'a Job,
    result: &'a JobResult,
}

#[derive(Deserialize)]
struct Known {
    fingerprint: String,
    result: JobResult,
}

#[derive(Deserialize)]
struct Format {
    format: u32,
}

/// The open file and what it holds.
#[derive(Debug)]
pub struct ResultsFile {
    path: PathBuf,
    file: File,
    finished: BTreeMap<String, JobResult>,
}

impl ResultsFile {
    /// Opens the results of a folder, which is made if it does not exist.
    ///
    /// # Errors
    /// [`FileError`] if the folder cannot be written, another run writes to it, there are results
    /// and they may not be kept, or a line of them is damaged or of another format.
    pub fn open(folder: &Path, existing: Existing) -> Result<Self, FileError> {
        let path = folder.join(RESULTS);
        let io = |error| FileError::io(&path, error);
        if existing == Existing::Refuse && fs::metadata(&path).is_ok_and(|file| file.len() > 0) {
            let keep = Remedy::from("pass ").setting("resume");
            let keep = keep.text(" to keep them and run what is missing, or ");
            let remedy = keep
                .setting("out")
                .text(" with another folder for a new run");
            return Err(refused(&path, "there are results already", remedy));
        }
        // Tables beside a schema are clients of a study: ours would be taken for one.
        if folder.join("schema.json").exists() {
            return Err(refused(folder, "this folder holds a study", another()));
        }
        let mut file = locked(folder, &path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        let last = bytes.iter().rposition(|b| *b == b'\n');
        let whole = last.map_or(0, |at| at + 1);
        let finished = read(&path, &bytes[..whole])?;
        if whole < bytes.len() {
            file.set_len(whole as u64).map_err(io)?;
        }
        Ok(Self {
            path,
            file,
            finished,
        })
    }

    /// Results by fingerprint.
    pub fn finished(&self) -> &BTreeMap<String, JobResult> {
        &self.finished
    }

    /// Appends a finished job; on return it is on the disk.
    ///
    /// # Errors
    /// [`FileError::Io`] if the system fails.
    pub fn append(&mut self, job: &Job, result: JobResult) -> Result<(), FileError> {
        let line = Line {
            format: FORMAT,
            fedcdi: env!("CARGO_PKG_VERSION"),
            fingerprint: job.fingerprint(),
            job,
            result: &result,
        };
        let mut text = serde_json::to_string(&line).expect("a line has nothing that JSON lacks");
        text.push('\n');
        let written = self.file.write_all(text.as_bytes());
        let written = written.and_then(|()| self.file.sync_data());
        written.map_err(|error| FileError::io(&self.path, error))?;
        self.finished.insert(job.fingerprint().to_owned(), result);
        Ok(())
    }
}

fn another() -> Remedy {
    Remedy::from("name another folder with ").setting("out")
}

fn refused(path: &Path, problem: impl Into<String>, remedy: impl Into<Remedy>) -> FileError {
    FileError::content(path, Place::Whole, problem, remedy)
}

fn locked(folder: &Path, path: &Path) -> Result<File, FileError> {
    let mut options = OpenOptions::new();
    options.create(true).read(true).append(true);
    let file = fs::create_dir_all(folder).and_then(|()| options.open(path));
    let file = file.map_err(|error| {
        let problem = format!("this folder cannot be written ({error})");
        refused(folder, problem, another())
    })?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(refused(
            path,
            "another run is writing to it",
            Remedy::from("wait for its end, or name another folder with ").setting("out"),
        )),
        Err(TryLockError::Error(error)) if error.kind() != ErrorKind::Unsupported => {
            Err(FileError::io(path, error))
        }
        // Some network drives have no locks; two runs at once are then up to the user.
        Err(TryLockError::Error(_)) | Ok(()) => Ok(file),
    }
}

fn read(path: &Path, bytes: &[u8]) -> Result<BTreeMap<String, JobResult>, FileError> {
    let mut finished = BTreeMap::new();
    for (at, line) in bytes.split_inclusive(|b| *b == b'\n').enumerate() {
        let place = Place::Line(at as u64 + 1);
        let damaged = |error: serde_json::Error| {
            let problem = format!("this is not the result of a job ({error})");
            let remedy = Remedy::from("delete the line and run again with ").setting("resume");
            let remedy = remedy.text(": that job alone is repeated");
            FileError::content(path, place.clone(), problem, remedy)
        };
        let Format { format } = serde_json::from_slice(line).map_err(damaged)?;
        if format != FORMAT {
            let problem = format!(
                "these results have format {format}, this version of fedcdi writes format {FORMAT}"
            );
            let remedy = another().text(", or resume with the version that began");
            return Err(FileError::content(path, place, problem, remedy));
        }
        let known: Known = serde_json::from_slice(line).map_err(damaged)?;
        finished.insert(known.fingerprint, known.result);
    }
    Ok(finished)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Size;
    use crate::experiments::named;

    fn result(shd: usize) -> JobResult {
        JobResult {
            shd,
            shd_raw: shd,
            sid: None,
            true_edges: 4,
            precision: 0.1 + 0.2,
            recall: 1.0,
            f1: 0.5,
            auroc: Some(1.0 / 3.0),
            missing: 0,
            extra: shd,
            reversed: 0,
            rounds: Vec::new(),
            stop: "converged".to_owned(),
            seconds: 0.25,
        }
    }

    fn jobs() -> Vec<Job> {
        let points = named("smoke").unwrap().points(Size::Quick, 1);
        points.into_iter().map(|point| point.job).collect()
    }

    /// A folder with the results of two jobs.
    fn two_results() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let mut file = ResultsFile::open(folder.path(), Existing::Refuse).unwrap();
        for (shd, job) in jobs()[..2].iter().enumerate() {
            file.append(job, result(shd)).unwrap();
        }
        let path = folder.path().join(RESULTS);
        (folder, path)
    }

    fn resume(folder: &Path) -> Result<ResultsFile, FileError> {
        ResultsFile::open(folder, Existing::Resume)
    }

    #[test]
    fn what_was_appended_is_read_back() {
        let (folder, _) = two_results();
        let file = resume(folder.path()).unwrap();
        let jobs = jobs();
        assert_eq!(file.finished()[jobs[0].fingerprint()], result(0));
        assert_eq!(file.finished()[jobs[1].fingerprint()], result(1));
    }

    #[test]
    fn a_last_line_without_an_end_is_cut_off_wherever_it_was_torn() {
        let (folder, path) = two_results();
        let whole = fs::read(&path).unwrap();
        let first = whole.iter().position(|b| *b == b'\n').unwrap() + 1;
        for torn in [first + 1, first + 40, whole.len() - 1] {
            fs::write(&path, &whole[..torn]).unwrap();
            let mut file = resume(folder.path()).unwrap();
            assert_eq!(file.finished().len(), 1, "{torn}");
            file.append(&jobs()[1], result(1)).unwrap();
            assert_eq!(fs::read(&path).unwrap(), whole, "{torn}");
        }
        fs::write(&path, &whole[..5]).unwrap();
        assert!(resume(folder.path()).unwrap().finished().is_empty());
    }

    #[test]
    fn a_damaged_line_is_named_with_what_to_do() {
        let (folder, path) = two_results();
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{{\"format\": 1, \"fing\n{text}")).unwrap();
        let error = resume(folder.path()).unwrap_err();
        let text = error.to_string();
        for part in ["results.jsonl, line 1", "delete the line", "resume"] {
            assert!(text.contains(part), "{text}");
        }
        assert!(error.is_bad_input());
    }

    #[test]
    fn results_of_another_format_are_refused() {
        let (folder, path) = two_results();
        let text = fs::read_to_string(&path).unwrap();
        let ours = format!("{{\"format\":{FORMAT},");
        fs::write(&path, text.replace(&ours, "{\"format\":7,")).unwrap();
        let text = resume(folder.path()).unwrap_err().to_string();
        assert!(text.contains("format 7") && text.contains("out"), "{text}");
    }

    #[test]
    fn results_are_not_added_to_by_accident_nor_by_two_at_once() {
        let (folder, _) = two_results();
        let refused = ResultsFile::open(folder.path(), Existing::Refuse).unwrap_err();
        assert!(refused.to_string().contains("resume"), "{refused}");
        let open = resume(folder.path()).unwrap();
        let refused = resume(folder.path()).unwrap_err().to_string();
        assert!(refused.contains("another run is writing"), "{refused}");
        drop(open);
        assert!(resume(folder.path()).is_ok());
    }
}
