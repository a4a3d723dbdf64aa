//! `fedcdi audit`: what a party's journal says, and whether it is whole.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use fedcdi_data::file_error::FileError;
use fedcdi_protocol::audit::{Audit, Entry, Sent, What};
use fedcdi_protocol::store::read_folder;
use time::OffsetDateTime;

use crate::failure::Failure;
use crate::output::{self, Grid};

/// Check the record of a coordinator or a site, and list what came and left when
///
/// Every record carries a hash of all records before it: one that was changed, removed, added or moved is
/// found. Records that were cut off at the end leave no trace in the journal itself; heads.csv of another
/// party does: parties keep the heads of each other's journals.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fedcdi audit state                         a site: what it was asked, what left
  fedcdi audit ledger                        the coordinator: what it took
  fedcdi audit ledger --witness state/heads.csv
  fedcdi audit state --json

Exit codes: 0 whole, 1 damaged or shortened, 2 not a journal.")]
pub(crate) struct Args {
    /// State folder of a coordinator or a site; it may be in use
    #[arg(value_name = "FOLDER")]
    state: PathBuf,

    /// heads.csv of another party: the journal must once have been as it says
    #[arg(long, value_name = "FILE")]
    witness: Vec<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let bytes = read_folder(&self.state).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                let problem = "there is no journal here";
                let remedy = "name the state folder of a coordinator or a site";
                FileError::whole(&self.state, problem, remedy)
            }
            _ => FileError::io(&self.state, error),
        })?;
        let audit = Audit::of(&bytes);
        let audit = audit.map_err(|why| in_folder(&self.state, why))?;
        let mut n_witnessed = 0;
        for path in &self.witness {
            n_witnessed += check(&audit, path, &self.state)?;
        }
        output::show(self.json, &audit, || text(&audit, n_witnessed))
    }
}

fn in_folder(folder: &Path, why: impl std::fmt::Display) -> Failure {
    Failure::Failed(format!("{}: {why}", folder.display()))
}

/// Holds the journal against what another party noted of it; how often it did.
fn check(audit: &Audit, path: &Path, folder: &Path) -> Result<usize, Failure> {
    let text = fs::read_to_string(path).map_err(|error| FileError::text(path, error))?;
    let mut n_witnessed = 0;
    // The last line may be cut off: nothing depends on it.
    for line in text.split_inclusive('\n').filter(|l| l.ends_with('\n')) {
        let mut fields = line.trim_end().split(',');
        let of_this = fields.next() == Some(&audit.owner);
        let (Some(records), Some(head), true) = (fields.next(), fields.next(), of_this) else {
            continue;
        };
        if !audit.has(records.parse().unwrap_or(0), head) {
            let now = audit.heads.len();
            return Err(in_folder(
                folder,
                format_args!(
                    "{} has seen this journal with {records} records and another head; it has {now} now. Records were cut off or written anew: restore it from a copy",
                    path.display()
                ),
            ));
        }
        n_witnessed += 1;
    }
    if n_witnessed == 0 {
        let problem = format!("no line is about the {}", audit.owner);
        let remedy = "name heads.csv of a party of the same study, the coordinator's for a site";
        return Err(FileError::whole(path, problem, remedy).into());
    }
    Ok(n_witnessed)
}

fn text(audit: &Audit, n_witnessed: usize) -> String {
    let mut grid = Grid::new("record|time (UTC)|what|bytes|SHA-256");
    for entry in &audit.entries {
        for (what, message) in lines(entry) {
            let (bytes, digest) = message.map_or_else(Default::default, |message| {
                (message.bytes.to_string(), message.digest.to_string())
            });
            grid.row(&[&entry.record, &clock(entry.time), &what, &bytes, &digest]);
        }
    }
    let mut text = format!("{}\n\n{}\n", audit.owner, grid.render());
    let _ = writeln!(
        text,
        "{} records, none changed, moved or missing in between; head {}",
        audit.heads.len(),
        audit.head()
    );
    if audit.unfinished > 0 {
        let _ = writeln!(
            text,
            "the last {} bytes are of a record that was never finished, so nobody was told of it",
            audit.unfinished
        );
    }
    if n_witnessed > 0 {
        let _ = writeln!(text, "{n_witnessed} notes of other parties agree with it");
    }
    text
}

fn lines(entry: &Entry) -> Vec<(String, Option<&Sent>)> {
    match &entry.what {
        What::Answered { question, answer } => vec![
            (format!("asked: {}", question.kind), Some(question)),
            (format!("left: {}", answer.kind), Some(answer)),
        ],
        What::Received { site, answer } => {
            vec![(format!("from site {site}: {}", answer.kind), Some(answer))]
        }
        What::Started => vec![("the study began".to_owned(), None)],
        What::Absent {
            site,
            question,
            why,
        } => vec![(
            format!("site {site} is absent from question {question}: {why}"),
            None,
        )],
        What::Closed { question } => {
            vec![(format!("the time for question {question} was over"), None)]
        }
        What::Cancelled => vec![("the study was stopped".to_owned(), None)],
    }
}

/// A time of the journal, as people read it.
fn clock(millis: u64) -> String {
    let at = OffsetDateTime::from_unix_timestamp((millis / 1000).cast_signed());
    at.map_or_else(|_| millis.to_string(), output::clock)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn times_are_in_utc() {
        // date -u -d @1000000000
        assert_eq!(clock(1_000_000_000_999), "2001-09-09 01:46:40");
    }
    #[test]
    fn damaged_notes_of_other_parties_are_refused_or_passed_over() {
        let folder = std::env::temp_dir().join(format!("fedcdi-heads-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("heads.csv");
        let head = fedcdi_protocol::Digest::of(b"x");
        let audit = Audit {
            owner: "site 1 of study s".to_owned(),
            entries: Vec::new(),
            unfinished: 0,
            heads: vec![head],
        };
        let good = format!("owner,records,head\nsite 1 of study s,1,{head}\n");
        fs::write(&path, &good).unwrap();
        assert_eq!(check(&audit, &path, &folder).unwrap(), 1);
        // Every byte is another one, or the last; and 0 records are none.
        for at in 0..good.len() {
            for byte in [0, b',', b'\n', b'0', b'9', 0xff] {
                let mut damaged = good.clone().into_bytes();
                damaged[at] = byte;
                fs::write(&path, &damaged).unwrap();
                let _ = check(&audit, &path, &folder);
                fs::write(&path, &damaged[..at]).unwrap();
                assert!(check(&audit, &path, &folder).is_err());
            }
        }
        for records in ["0", "2", "-1", "18446744073709551616", ""] {
            fs::write(&path, format!("site 1 of study s,{records},{head}\n")).unwrap();
            assert!(check(&audit, &path, &folder).is_err(), "{records}");
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
