//! One input at a time: a pure function from state and input to state and events.

use fedcdi_core::{Belief, ClientId, Round};

use super::Input;
use super::refusal::Admitted;
use super::state::{Asked, Collecting, Missing, Outcome, Phase, State};
use crate::answer::{Answer, Refused, Reply};
use crate::codec::Digest;
use crate::event::{Absence, StopReason, StudyEvent};
use crate::plan::Study;
use crate::question::{Ask, Believe};

impl Study {
    /// The state after an input, and what happened. What cannot be taken changes nothing.
    pub fn step(&self, mut state: State, input: Input) -> (State, Vec<StudyEvent>) {
        let mut events = Vec::new();
        match input {
            Input::Start => self.start(&mut state),
            Input::Received { site, answer } => {
                if let Ok(Admitted::New(read)) = self.admit(&state, site, &answer) {
                    return self.step_admitted(state, read, Digest::of(&answer));
                }
            }
            Input::Absent { site, number, why } => {
                self.absent(&mut state, site, (number, why), &mut events);
            }
            Input::Close { number } => {
                if is_running(&state, number) {
                    for site in state.waiting_for(self.n_sites()) {
                        self.absent(&mut state, site, (number, Absence::Late), &mut events);
                    }
                }
            }
            Input::Cancel => {
                if !state.cancelled && !state.is_over() {
                    state.cancelled = true;
                    events.push(StudyEvent::CancelRequested);
                }
            }
        }
        self.go_on(&mut state, &mut events);
        (state, events)
    }

    /// The same for an answer that was looked at already.
    pub(super) fn step_admitted(
        &self,
        mut state: State,
        answer: Answer,
        digest: Digest,
    ) -> (State, Vec<StudyEvent>) {
        let mut events = Vec::new();
        self.take(&mut state, answer, digest, &mut events);
        self.go_on(&mut state, &mut events);
        (state, events)
    }

    /// Whether an input would change the state: only those are worth keeping.
    pub(super) fn matters(&self, state: &State, input: &Input) -> bool {
        match input {
            Input::Start => state.is_ready(),
            Input::Received { site, answer } => {
                matches!(self.admit(state, *site, answer), Ok(Admitted::New(_)))
            }
            Input::Absent { site, number, .. } => {
                let waiting = state.waiting_for(self.n_sites());
                is_running(state, *number) && waiting.contains(site)
            }
            Input::Close { number } => is_running(state, *number),
            Input::Cancel => !state.cancelled && !state.is_over(),
        }
    }

    fn start(&self, state: &mut State) {
        if state.is_ready() {
            state.join = Some(Asked::new(self, Ask::Join, 0));
            state.phase = Phase::Joining(Missing::new());
        }
    }

    /// Counts an answer that was admitted.
    fn take(&self, state: &mut State, answer: Answer, digest: Digest, out: &mut Vec<StudyEvent>) {
        let Answer {
            site,
            question,
            reply,
            ..
        } = answer;
        let number = state.asked().map_or(0, |asked| asked.question.number);
        match (reply, &mut state.phase) {
            (Reply::Refused(why), _) => {
                let why = match why {
                    Refused::Failed => Absence::Failed,
                    Refused::Question | Refused::NotAllowed => Absence::Declined,
                };
                return self.absent(state, site, (number, why), out);
            }
            (Reply::Joined(joined), _) => {
                state.joined.insert(site, joined);
                out.push(StudyEvent::Joined { site });
            }
            (Reply::Believed(addends), Phase::Round(round)) => {
                // One that was given up, and answers after all.
                round.missing.remove(&site);
                round.answers.insert(site, addends);
                let round = Round(number);
                out.push(StudyEvent::Answered { round, site });
            }
            (Reply::Finished, Phase::Finishing { told, missing, .. }) => {
                missing.remove(&site);
                told.insert(site);
            }
            (Reply::Believed(_) | Reply::Finished, _) => {
                unreachable!("an answer was admitted that nobody asked for")
            }
        }
        state.accepted.insert((site, question), digest);
    }

    /// Counts a site as absent from the running question, if that is the one meant.
    fn absent(
        &self,
        state: &mut State,
        site: ClientId,
        (number, why): (u32, Absence),
        out: &mut Vec<StudyEvent>,
    ) {
        // A stale or repeated notice changes nothing and is nobody's fault.
        let waiting = state.waiting_for(self.n_sites()).contains(&site);
        if !is_running(state, number) || !waiting {
            return;
        }
        match &mut state.phase {
            Phase::Joining(missing) | Phase::Finishing { missing, .. } => missing.insert(site, why),
            Phase::Round(round) => round.missing.insert(site, why),
            Phase::Ready | Phase::Over(_) | Phase::Failed(_) => return,
        };
        out.push(StudyEvent::SiteAbsent { number, site, why });
    }

    /// Ends what nobody is waited for any more.
    fn go_on(&self, state: &mut State, out: &mut Vec<StudyEvent>) {
        while state.waiting_for(self.n_sites()).is_empty() {
            state.phase = match std::mem::take(&mut state.phase) {
                Phase::Joining(missing) => self.close_joining(state, &missing, out),
                Phase::Round(round) => self.close_round(state, round, out),
                Phase::Finishing { outcome, .. } => Phase::Over(outcome),
                over @ (Phase::Ready | Phase::Over(_) | Phase::Failed(_)) => {
                    state.phase = over;
                    return;
                }
            };
        }
    }

    fn close_joining(
        &self,
        state: &mut State,
        missing: &Missing,
        out: &mut Vec<StudyEvent>,
    ) -> Phase {
        if let Err(error) = self.check_quorum(0, state.joined.len(), missing) {
            return failed(0, error, out);
        }
        let belief = Belief::uninformed(self.n_vars());
        if state.cancelled {
            let dag = self.extract(&belief);
            let history = std::mem::take(&mut state.history);
            let outcome = Outcome::new((belief, dag), StopReason::Cancelled, history, state);
            return self.finish(outcome, out);
        }
        self.begin(Round::FIRST, belief, state, out)
    }

    /// Asks the sites that have joined about a belief.
    pub(super) fn begin(
        &self,
        round: Round,
        prior: Belief,
        state: &State,
        out: &mut Vec<StudyEvent>,
    ) -> Phase {
        let largest = state.joined.values().map(|joined| joined.largest).max();
        let ask = Ask::Believe(Believe {
            round,
            prior,
            tested: self.tested(round, &state.history),
            reference: largest.unwrap_or(0),
        });
        let asked = Asked::new(self, ask, round.0);
        let n_sites = state.joined.len();
        out.push(StudyEvent::RoundStarted { round, n_sites });
        Phase::Round(Collecting {
            asked,
            members: state.joined.keys().copied().collect(),
            answers: std::collections::BTreeMap::new(),
            missing: Missing::new(),
        })
    }
}

fn is_running(state: &State, number: u32) -> bool {
    let running = state.asked();
    running.is_some_and(|asked| asked.question.number == number)
}

/// The end of a study that has no result.
pub(super) fn failed(number: u32, error: super::StudyError, out: &mut Vec<StudyEvent>) -> Phase {
    let message = error.to_string();
    out.push(StudyEvent::Failed { number, message });
    Phase::Failed(error)
}
