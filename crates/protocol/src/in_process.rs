//! The first carrier: all sites on this machine's cores. It really encodes and decodes.
//!
//! The sites of a round run in parallel; their answers reach the coordinator in order of site.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fedcdi_core::ClientId;
use rayon::prelude::*;

use crate::coordinator::{Coordinator, Input, Outcome, Receipt, Refusal, StudyError};
use crate::declined::Declined;
use crate::event::{Absence, StudyEvent};
use crate::journal::JournalError;
use crate::site::{Answered, Site};

/// Is told which site declined which question, and why.
pub type DeclineWatcher<'a> = dyn Fn(ClientId, u32, &Declined) + Sync + 'a;

type RefusalWatcher<'a> = dyn Fn(ClientId, u32, &Refusal) + Sync + 'a;

/// A study on one machine.
#[derive(Default)]
pub struct InProcess<'a> {
    /// Set from outside to stop at the end of the running round.
    pub cancel: Option<&'a AtomicBool>,
    /// Sites that cannot be reached while these questions run: they are neither asked nor heard.
    pub dropped: BTreeSet<(u32, ClientId)>,
    /// What is told at a site, and nowhere else, when it declines a question.
    pub declined: Option<&'a DeclineWatcher<'a>>,
    /// What the coordinator says of an answer that it cannot use.
    pub refused: Option<&'a RefusalWatcher<'a>>,
}

/// Why a study on one machine has no result.
#[derive(Debug, thiserror::Error)]
pub enum CarrierError {
    /// Too few sites, or sums without a belief.
    #[error(transparent)]
    Study(#[from] StudyError),
    /// A journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl InProcess<'_> {
    /// Runs a study from where it is to the end, on rayon's present threads, and tells `observe`
    /// every event. Sites of the study that are not in `sites` are absent.
    ///
    /// # Errors
    /// [`CarrierError`] if the study fails or a journal cannot be written.
    pub fn run(
        &self,
        coordinator: &mut Coordinator,
        sites: &mut [Site],
        observe: &mut dyn FnMut(&StudyEvent),
    ) -> Result<Outcome, CarrierError> {
        let mut tell = |events: Vec<StudyEvent>| events.iter().for_each(&mut *observe);
        tell(coordinator.apply(&Input::Start)?);
        while let Some(number) = coordinator.number() {
            let answers = self.ask(number, &coordinator.questions(), sites);
            if self.cancel.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                tell(coordinator.apply(&Input::Cancel)?);
            }
            for (site, answer) in answers {
                let absent = |why| Input::Absent { site, number, why };
                let Some(answer) = answer.transpose()? else {
                    tell(coordinator.apply(&absent(Absence::Unreachable))?);
                    continue;
                };
                if let (Some(watch), Some(declined)) = (self.declined, &answer.declined) {
                    watch(site, number, declined);
                }
                match coordinator.receive(site, &answer.bytes)? {
                    Receipt::Taken(events) => tell(events),
                    Receipt::Repeated => {}
                    Receipt::Refused(refusal) => {
                        if let Some(watch) = self.refused {
                            watch(site, number, &refusal);
                        }
                        tell(coordinator.apply(&absent(Absence::Refused))?);
                    }
                }
            }
            tell(coordinator.apply(&Input::Close { number })?);
        }
        let end = coordinator.state().end.clone();
        Ok(*end.expect("a study that asks nothing is over")?)
    }

    /// The answers of the sites that are asked, in order; none of those that are not reached.
    fn ask(
        &self,
        number: u32,
        questions: &[(ClientId, Arc<[u8]>)],
        sites: &mut [Site],
    ) -> Vec<(ClientId, Option<Result<Answered, JournalError>>)> {
        let asked = |site: &mut Site| {
            let id = site.id();
            let (_, question) = questions.iter().find(|(asked, _)| *asked == id)?;
            let reached = !self.dropped.contains(&(number, id));
            Some((id, reached.then(|| site.answer(question))))
        };
        sites.par_iter_mut().filter_map(asked).collect()
    }
}
