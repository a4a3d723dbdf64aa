//! What other parties said of their journals, so that none can be shortened or written anew unnoticed.
//!
//! A line of `heads.csv` is a witness: at some time the journal of `owner` had so many records, the last of
//! them with this hash. `fedcdi audit` holds a journal against the witnesses of others.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use crate::wire::Head;

/// The name of the file in a party's state folder.
pub const HEADS: &str = "heads.csv";
/// Its first line.
const HEADING: &str = "owner,records,head\n";

/// A file of witnesses that grows.
pub(crate) struct Heads {
    file: File,
    last: Option<(String, Head)>,
}

impl Heads {
    /// Opens the file in a state folder, and begins it if it is not there.
    pub(crate) fn open(state: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let mut file = options.create(true).append(true).open(state.join(HEADS))?;
        if file.metadata()?.len() == 0 {
            file.write_all(HEADING.as_bytes())?;
        }
        Ok(Self { file, last: None })
    }

    /// Notes what somebody said. A witness that cannot be written is lost, and nothing else.
    pub(crate) fn note(&mut self, owner: &str, head: &Head) {
        let is_news = (self.last.as_ref()).is_none_or(|(o, h)| o != owner || h != head);
        if is_news && head.hash.len() == 32 {
            let mut line = format!("{owner},{},", head.records);
            let _ = head
                .hash
                .iter()
                .try_for_each(|byte| write!(line, "{byte:02x}"));
            line.push('\n');
            let _ = self.file.write_all(line.as_bytes());
            self.last = Some((owner.to_owned(), head.clone()));
        }
    }
}
