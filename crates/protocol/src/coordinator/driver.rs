//! The coordinator with its journal: what every carrier drives.

use std::collections::BTreeMap;
use std::sync::Arc;

use fedcdi_core::ClientId;

use super::Input;
use super::refusal::{Admitted, Refusal, RefusalKind};
use super::state::State;
use crate::codec::Digest;
use crate::event::{Absence, StudyEvent};
use crate::journal::{Journal, JournalError};
use crate::plan::{PlanError, Study, StudyPlan};
use crate::rules::Rules;
use crate::store::Store;

/// A study as it stands, with everything it needs to go on after a restart.
pub struct Coordinator {
    study: Study,
    state: State,
    journal: Journal,
    refusals: BTreeMap<RefusalKind, usize>,
}

/// Why a coordinator cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum CoordinatorError {
    /// The plan is none.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Its journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// What became of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Receipt {
    /// It is in the journal and will count.
    Taken(Vec<StudyEvent>),
    /// The same answer was taken before, or it says nothing that is not known.
    Repeated,
    /// It changed nothing.
    Refused(Refusal),
}

impl Coordinator {
    /// The coordinator of a study, as it was when its journal was last written.
    ///
    /// # Errors
    /// [`CoordinatorError`] if plan and journal do not fit together.
    pub fn open(
        plan: StudyPlan,
        rules: &Rules,
        store: Box<dyn Store>,
    ) -> Result<Self, CoordinatorError> {
        let study = plan.check(rules)?;
        let owner = format!("coordinator of study {}", study.digest);
        let (journal, records) = Journal::open(store, &owner)?;
        let mut state = State::default();
        for (at, record) in records.iter().enumerate() {
            let input = Input::decode(record).ok();
            let input = input.filter(|input| study.matters(&state, input));
            let input = input.ok_or(JournalError::Record(at + 1))?;
            (state, _) = study.step(state, input);
        }
        Ok(Self {
            study,
            state,
            journal,
            refusals: BTreeMap::new(),
        })
    }

    /// The study.
    pub fn study(&self) -> &Study {
        &self.study
    }

    /// Where it is.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The hash of the last record of its journal.
    pub fn head(&self) -> Digest {
        self.journal.head()
    }

    /// Answers that were refused since this process started, by reason.
    pub fn refusals(&self) -> &BTreeMap<RefusalKind, usize> {
        &self.refusals
    }

    /// Number of the running question.
    pub fn number(&self) -> Option<u32> {
        self.state.asked().map(|asked| asked.question.number)
    }

    /// What every site that has not answered is to be asked, with the number of the question.
    pub fn questions(&self) -> Vec<(ClientId, Arc<[u8]>)> {
        let Some(asked) = self.state.asked() else {
            return Vec::new();
        };
        let bytes: Arc<[u8]> = asked.bytes.as_slice().into();
        let waiting = self.state.waiting_for(self.study.n_sites()).into_iter();
        let mut questions: Vec<_> = waiting.map(|site| (site, Arc::clone(&bytes))).collect();
        if let Some(join) = self
            .state
            .join
            .as_ref()
            .filter(|_| asked.question.number > 0)
        {
            let bytes: Arc<[u8]> = join.bytes.as_slice().into();
            let all = (1..=self.study.n_sites() as u32).map(ClientId);
            let late = all.filter(|site| !self.state.joined.contains_key(site));
            questions.extend(late.map(|site| (site, Arc::clone(&bytes))));
        }
        questions
    }

    /// Takes an answer, if it can be used.
    ///
    /// # Errors
    /// [`JournalError`] if it is not safe in the journal; it must not be acknowledged then.
    pub fn receive(&mut self, site: ClientId, answer: &[u8]) -> Result<Receipt, JournalError> {
        match self.study.admit(&self.state, site, answer) {
            Ok(Admitted::Repeated) => Ok(Receipt::Repeated),
            Ok(Admitted::New(read)) => {
                let input = Input::Received {
                    site,
                    answer: answer.to_vec(),
                };
                self.journal.append(&input.encode())?;
                let state = std::mem::take(&mut self.state);
                let digest = Digest::of(answer);
                let (state, events) = self.study.step_admitted(state, read, digest);
                self.state = state;
                Ok(Receipt::Taken(events))
            }
            Err(refusal) => {
                *self.refusals.entry(refusal.kind()).or_default() += 1;
                Ok(Receipt::Refused(refusal))
            }
        }
    }

    /// Begins the study, if it has not begun.
    ///
    /// # Errors
    /// [`JournalError`] if that is not safe in the journal.
    pub fn start(&mut self) -> Result<Vec<StudyEvent>, JournalError> {
        self.apply(Input::Start)
    }

    /// Counts a site as absent from a question.
    ///
    /// # Errors
    /// [`JournalError`] if that is not safe in the journal.
    pub fn absent(
        &mut self,
        site: ClientId,
        number: u32,
        why: Absence,
    ) -> Result<Vec<StudyEvent>, JournalError> {
        self.apply(Input::Absent { site, number, why })
    }

    /// Ends the wait for answers to a question.
    ///
    /// # Errors
    /// [`JournalError`] if that is not safe in the journal.
    pub fn close(&mut self, number: u32) -> Result<Vec<StudyEvent>, JournalError> {
        self.apply(Input::Close { number })
    }

    /// Ends the study after the running round.
    ///
    /// # Errors
    /// [`JournalError`] if that is not safe in the journal.
    pub fn cancel(&mut self) -> Result<Vec<StudyEvent>, JournalError> {
        self.apply(Input::Cancel)
    }

    /// First the journal, then the state: what anybody was told is never lost.
    fn apply(&mut self, input: Input) -> Result<Vec<StudyEvent>, JournalError> {
        if !self.study.matters(&self.state, &input) {
            return Ok(Vec::new());
        }
        self.journal.append(&input.encode())?;
        let state = std::mem::take(&mut self.state);
        let (state, events) = self.study.step(state, input);
        self.state = state;
        Ok(events)
    }
}
