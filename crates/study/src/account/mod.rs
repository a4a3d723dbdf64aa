//! What would leave a site: the bytes, and an account of them for people who decide whether it takes part.
//!
//! | file | holds |
//! |---|---|
//! | `what-would-leave.html` | every answer in words, with its size and digest |
//! | `00-join.bin`, `01-moves.bin`, `02-round-1.bin`, .. | the answers, to the byte |
//! | `01-moves.csv`, `02-round-1.csv`, `06-sums.csv`, .. | the numbers of such an answer, each with what it is |

mod numbers;
mod page;
mod sums;

use std::fs;
use std::path::Path;

use fedcdi_core::Schema;
use fedcdi_data::file_error::FileError;
use fedcdi_data::write::{FolderKind, Overwrite, write_folder, write_text};
use fedcdi_protocol::{Exchanged, JournalError, Rehearsal, Site, StudyPlan, Told};

/// The page to read.
pub const ACCOUNT: &str = "what-would-leave.html";

const ACCOUNT_FOLDER: FolderKind = FolderKind {
    mark: ACCOUNT,
    may_hold: |name| {
        let (_, ending) = name.rsplit_once('.').unwrap_or_default();
        name == ACCOUNT || ["bin", "csv"].contains(&ending)
    },
};

/// Everything that would leave a site.
pub struct Account {
    site: Site,
    /// Variables without their labels: as the coordinator knows them.
    schema: Schema,
    exchanged: Vec<Exchanged>,
}

impl Account {
    /// Rehearses the study to its end. `tell` hears the name of every answer before it is computed next.
    ///
    /// # Errors
    /// [`JournalError`] if a journal cannot be kept.
    pub fn of(
        mut rehearsal: Rehearsal,
        mut tell: impl FnMut(&Exchanged),
    ) -> Result<Self, JournalError> {
        let mut exchanged = Vec::new();
        while let Some(next) = rehearsal.step()? {
            tell(&next);
            exchanged.push(next);
        }
        let site = rehearsal.into_site();
        let schema = site
            .plan()
            .outline()
            .expect("the plan of a site is checked");
        Ok(Self {
            site,
            schema,
            exchanged,
        })
    }

    /// The answers, in the order in which they would leave.
    pub fn exchanged(&self) -> &[Exchanged] {
        &self.exchanged
    }

    /// The page.
    pub fn page(&self) -> String {
        page::page(self)
    }

    /// Writes the folder, whole or not at all.
    ///
    /// # Errors
    /// [`FileError`] if something else is there, or the system fails.
    pub fn write(&self, folder: &Path, overwrite: Overwrite) -> Result<(), FileError> {
        write_folder(folder, &ACCOUNT_FOLDER, overwrite, |inside| {
            write_text(&inside.join(ACCOUNT), Overwrite::No, &self.page())?;
            for exchanged in &self.exchanged {
                let path = inside.join(file_name(exchanged, "bin"));
                fs::write(&path, &exchanged.answer).map_err(|error| FileError::io(&path, error))?;
                if let Some(numbers) = self.numbers(exchanged) {
                    let path = inside.join(file_name(exchanged, "csv"));
                    write_text(&path, Overwrite::No, &numbers)?;
                }
            }
            Ok(())
        })
    }

    /// The numbers of an answer as a table, if it has some.
    fn numbers(&self, exchanged: &Exchanged) -> Option<String> {
        match &exchanged.told {
            Told::Believed(believed) => Some(numbers::table(self.plan(), &self.schema, believed)),
            Told::Moved(moved) => Some(numbers::moved(&self.schema, moved)),
            Told::Summed(ask, sums) => {
                let meanings = sums::meanings(ask, &self.schema);
                Some(numbers::listed(&meanings, sums))
            }
            _ => None,
        }
    }

    /// Whether round 1 asks every site the same, whoever takes part: not where masses of rows are
    /// compared between sites.
    fn same_first_round(&self) -> bool {
        let joined = self
            .exchanged
            .iter()
            .find_map(|exchanged| match &exchanged.told {
                Told::Joined(joined) => Some(joined),
                _ => None,
            });
        joined.is_some_and(|joined| joined.largest == 0)
    }

    fn plan(&self) -> &StudyPlan {
        self.site.plan()
    }

    fn site_name(&self) -> &str {
        &self.plan().sites[self.site.id().0 as usize - 1]
    }
}

/// `02-round-2.bin`.
fn file_name(exchanged: &Exchanged, ending: &str) -> String {
    let number = exchanged.number;
    let what = match &exchanged.told {
        Told::Joined(_) => "join".to_owned(),
        Told::Finished => "result".to_owned(),
        Told::Moved(_) => "moves".to_owned(),
        Told::Believed(believed) => format!("round-{}", believed.round),
        Told::Refused(..) => "refused".to_owned(),
        Told::Summed(..) => "sums".to_owned(),
    };
    format!("{number:02}-{what}.{ending}")
}
