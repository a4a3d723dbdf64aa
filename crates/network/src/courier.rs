//! Questions and answers as files, for sites whose machine has no network: somebody carries them.
//!
//! | file | who writes it | what becomes of it |
//! |---|---|---|
//! | `SITE.question` | the coordinator | changes with every question; gone while the site has nothing to answer |
//! | `SITE.answer` | the courier brings it | read, then removed; what cannot be used stays as `SITE.refused` |
//!
//! Whoever can write into the folder can answer for these sites: it belongs to the coordinator alone.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use fedcdi_core::ClientId;

use crate::coordinator::Event;
use crate::hall::Hall;
use crate::wire::Receipt;

/// How often the folder is looked at.
const EVERY: Duration = Duration::from_millis(500);

/// A folder through which sites are asked.
pub(crate) struct Courier {
    hall: Arc<Hall>,
    folder: PathBuf,
    /// What lies in the folder for each site.
    asked: BTreeMap<ClientId, Arc<[u8]>>,
}

impl Courier {
    /// A courier's folder, made if it is not there.
    pub(crate) fn new(hall: Arc<Hall>, folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        Ok(Self {
            hall,
            folder: folder.to_owned(),
            asked: BTreeMap::new(),
        })
    }

    /// Looks at the folder again and again.
    pub(crate) async fn carry(mut self) {
        loop {
            let hall = Arc::clone(&self.hall);
            {
                let _desk = hall.desk().await;
                tokio::task::block_in_place(|| self.look());
            }
            tokio::time::sleep(EVERY).await;
        }
    }

    /// Reads the answers that have come, and lays out what is asked now.
    fn look(&mut self) {
        for (site, name) in self.hall.sites() {
            let answer = self.folder.join(format!("{name}.answer"));
            let taken = self.take(site, &answer);
            // An answer goes after its question has: who sees no answer sees a question that has none.
            let done = self.lay_out(site, &name).and_then(|()| match taken {
                None => Ok(()),
                Some(true) => fs::remove_file(&answer),
                Some(false) => {
                    self.hall.tell(Event::Courier(format!(
                        "the answer of {name} cannot be used; it is now {name}.refused"
                    )));
                    fs::rename(&answer, self.folder.join(format!("{name}.refused")))
                }
            });
            if let Err(error) = done {
                let why = format!("the files of {name} cannot be written: {error}");
                self.hall.tell(Event::Courier(why));
            }
        }
    }

    /// Whether the answer in a file was taken; none if there is no file, or the disk failed.
    fn take(&self, site: ClientId, path: &Path) -> Option<bool> {
        let longest = self.hall.longest_message() as u64;
        let is_short = fs::metadata(path).ok()?.len() <= longest;
        let answer = if is_short {
            fs::read(path).ok()?
        } else {
            return Some(false);
        };
        let reply = self.hall.receive(site, &answer).ok()?;
        Some(reply.receipt() != Receipt::Refused)
    }

    fn lay_out(&mut self, site: ClientId, name: &str) -> io::Result<()> {
        let path = self.folder.join(format!("{name}.question"));
        let question = self.hall.question_to(site);
        match (&question, self.asked.get(&site)) {
            (Some(now), Some(before)) if now == before => return Ok(()),
            (Some(now), _) => {
                let part = self.folder.join(format!("{name}.part"));
                let mut file = fs::File::create(&part)?;
                file.write_all(now)?;
                file.sync_all()?;
                fs::rename(part, path)?;
            }
            (None, _) if path.exists() => fs::remove_file(path)?,
            (None, _) => {}
        }
        match question {
            Some(now) => self.asked.insert(site, now),
            None => self.asked.remove(&site),
        };
        Ok(())
    }
}
