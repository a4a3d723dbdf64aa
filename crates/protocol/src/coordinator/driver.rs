//! The coordinator with its journal: what every carrier drives.

use std::collections::BTreeMap;
use std::sync::Arc;

use fedcdi_core::{Belief, ClientId, Dag};

use super::Input;
use super::admit::{Refusal, RefusalKind};
use super::state::{Open, Outcome, State, StudyError};
use super::step::Change;
use crate::addends::PlannedTest;
use crate::codec::Digest;
use crate::event::{Absence, RoundRecord, StudyEvent};
use crate::journal::{Journal, JournalError};
use crate::plan::{CheckedPlan, OpenError, StudyPlan};
use crate::question::{Ask, Question};
use crate::rules::Rules;
use crate::store::Store;

/// A study as it stands, with everything it needs to go on after a restart.
pub struct Coordinator {
    study: CheckedPlan,
    state: State,
    journal: Journal,
    refusals: BTreeMap<RefusalKind, usize>,
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
    /// [`OpenError`] if plan and journal do not fit together.
    pub fn open(plan: StudyPlan, rules: &Rules, store: Box<dyn Store>) -> Result<Self, OpenError> {
        Self::of_study(plan.check(rules)?, store)
    }

    pub(crate) fn of_study(study: CheckedPlan, store: Box<dyn Store>) -> Result<Self, OpenError> {
        let owner = study.plan.coordinator_journal();
        let (journal, records) = Journal::open(store, &owner)?;
        let mut state = State::default();
        for (at, record) in records.iter().enumerate() {
            let input = Input::decode(record).ok();
            let change = input.and_then(|input| study.admit(&state, &input).ok()?);
            let change = change.ok_or(JournalError::Record(at + 1))?;
            (state, _) = study.step(state, change);
        }
        Ok(Self {
            study,
            state,
            journal,
            refusals: BTreeMap::new(),
            // The first record names whose journal it is.
        })
    }

    /// The study.
    pub fn plan(&self) -> &StudyPlan {
        &self.study.plan
    }

    /// The longest message that the study has.
    pub fn longest_message(&self) -> usize {
        self.study.longest_message()
    }

    /// What the study came to, once that is known.
    pub fn end(&self) -> Option<Result<&Outcome, &StudyError>> {
        let end = self.state.end.as_ref()?;
        Some(end.as_ref().map(|outcome| &**outcome))
    }

    /// Where the study is.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The hash of the last record of its journal.
    pub fn head(&self) -> Digest {
        self.journal.head()
    }

    /// How many records its journal has.
    pub fn n_records(&self) -> u64 {
        self.journal.n_records()
    }

    /// What the journal of a site names as its owner.
    pub fn owner_of(&self, site: ClientId) -> String {
        self.study.site_journal(site)
    }

    /// Answers that were refused since this process started, by reason.
    pub fn refusals(&self) -> &BTreeMap<RefusalKind, usize> {
        &self.refusals
    }

    /// Number of the running question.
    pub fn number(&self) -> Option<u32> {
        self.state.open.as_ref().map(Open::number)
    }

    /// The study, and the tests that the running question asks for.
    pub(crate) fn asked(&self) -> (&CheckedPlan, &[PlannedTest]) {
        let open = self.state.open.as_ref();
        (&self.study, open.map_or(&[], |open| &open.asked.tests))
    }

    /// Sites that have answered the running question, in order.
    pub fn answered(&self) -> Vec<ClientId> {
        let open = self.state.open.iter();
        open.flat_map(|open| open.answers.sites()).collect()
    }

    /// The running question.
    pub fn question(&self) -> Option<&Question> {
        let open = self.state.open.as_ref();
        open.map(|open| &open.asked.question)
    }

    /// Answers that a question needs.
    pub fn quorum(&self) -> usize {
        self.study.quorum()
    }

    /// Sites that are still to answer the running question.
    pub fn waiting(&self) -> impl Iterator<Item = ClientId> {
        self.state.open.iter().flat_map(Open::waiting)
    }

    /// Sites that will not answer the running question, and why.
    pub fn absent(&self) -> impl Iterator<Item = (ClientId, Absence)> {
        let open = self.state.open.iter();
        open.flat_map(|open| open.missing.iter().map(|(site, why)| (*site, *why)))
    }

    /// Sites that take part, in order.
    pub fn joined(&self) -> impl Iterator<Item = ClientId> {
        self.state.joined.keys().copied()
    }

    /// The rounds so far.
    pub fn rounds(&self) -> &[RoundRecord] {
        match self.state.outcome() {
            Some(outcome) => &outcome.rounds,
            None => &self.state.history.records,
        }
    }

    /// Belief and graph with which the study would end now; none before the first round is over.
    pub fn so_far(&self) -> Option<(&Belief, &Dag)> {
        match self.state.outcome() {
            Some(outcome) => Some((&outcome.belief, &outcome.dag)),
            None => (self.state.history.so_far.as_ref()).zip(self.state.history.dags.last()),
        }
    }

    /// The graph that a running search over sums has come to.
    pub fn searched(&self) -> Option<Dag> {
        Some(self.state.search.as_ref()?.dag())
    }

    /// Whether the study would go on if the running question were closed now.
    pub fn has_quorum(&self) -> bool {
        let Some(open) = &self.state.open else {
            return true;
        };
        // What moves what is no less true where few can tell.
        let needs_none = matches!(open.asked.question.ask, Ask::Moves | Ask::Finish(_));
        needs_none || self.study.check_quorum(open).is_ok()
    }

    /// What every site that has not answered is to be asked; who has not joined may still do so.
    pub fn questions(&self) -> Vec<(ClientId, Arc<[u8]>)> {
        let sites = self.study.sites();
        sites
            .filter_map(|site| Some((site, self.question_to(site)?)))
            .collect()
    }

    /// What a site is to be asked now; nothing if it has answered.
    pub fn question_to(&self, site: ClientId) -> Option<Arc<[u8]>> {
        let (open, join) = (self.state.open.as_ref()?, self.state.join.as_ref()?);
        if open.waits_for(site) {
            return Some(Arc::clone(&open.asked.bytes));
        }
        let is_late = open.number() > 0 && !self.state.joined.contains_key(&site);
        is_late.then(|| Arc::clone(&join.bytes))
    }

    /// Takes an answer, if it can be used.
    ///
    /// # Errors
    /// [`JournalError`] if it is not safe in the journal; it must not be acknowledged then.
    pub fn receive(&mut self, site: ClientId, answer: &[u8]) -> Result<Receipt, JournalError> {
        let answer = answer.to_vec();
        let input = Input::Received { site, answer };
        match self.study.admit(&self.state, &input) {
            Ok(None) => Ok(Receipt::Repeated),
            Ok(Some(change)) => Ok(Receipt::Taken(self.record(&input, change)?)),
            Err(refusal) => {
                *self.refusals.entry(refusal.kind).or_default() += 1;
                Ok(Receipt::Refused(refusal))
            }
        }
    }

    /// Takes another input than an answer, if it changes something.
    ///
    /// # Errors
    /// [`JournalError`] if it is not safe in the journal.
    pub fn apply(&mut self, input: &Input) -> Result<Vec<StudyEvent>, JournalError> {
        match self.study.admit(&self.state, input) {
            Ok(Some(change)) => self.record(input, change),
            Ok(None) | Err(_) => Ok(Vec::new()),
        }
    }

    /// First the journal, then the state: what anybody was told is never lost.
    fn record(&mut self, input: &Input, change: Change) -> Result<Vec<StudyEvent>, JournalError> {
        self.journal.append(&input.encode())?;
        let (state, events) = (self.study).step(std::mem::take(&mut self.state), change);
        self.state = state;
        Ok(events)
    }
}
