//! One change at a time: a pure function from state and change to state and events.

use fedcdi_core::{Belief, ClientId, Round};

use super::close::Ending;
use super::state::{Asked, Open, RuledOut, State, StudyError};
use crate::addends::Layout;
use crate::answer::{Answer, Refused, Reply};
use crate::codec::Digest;
use crate::event::{Absence, StopReason, StudyEvent};
use crate::moves::{Moved, Moves};
use crate::plan::CheckedPlan;
use crate::question::{Ask, Believe};
use crate::score_plan::Start;

/// What an input changes; see [`CheckedPlan::admit`].
pub(super) enum Change {
    /// The sites are asked to join.
    Start,
    /// An answer counts; with the digest of its bytes.
    Answer(Answer, Digest),
    /// Sites will not answer the running question.
    Absent(Vec<ClientId>, Absence),
    /// The study ends with the running round.
    Cancel,
}

impl CheckedPlan {
    /// The state after a change, and what happened.
    pub(super) fn step(&self, mut state: State, change: Change) -> (State, Vec<StudyEvent>) {
        match change {
            Change::Start => {
                let join = Asked::new(self, Ask::Join, 0);
                state.open = Some(Open::new(join.clone(), self.sites().collect()));
                state.join = Some(join);
            }
            Change::Answer(answer, digest) => self.take(&mut state, answer, digest),
            Change::Absent(sites, why) => {
                for site in sites {
                    give_up(&mut state, site, why);
                }
            }
            Change::Cancel => {
                state.cancelled = true;
                state.events.push(StudyEvent::CancelRequested);
            }
        }
        self.go_on(&mut state);
        let events = std::mem::take(&mut state.events);
        (state, events)
    }

    /// Ends what nobody is waited for any more, and asks what follows.
    fn go_on(&self, state: &mut State) {
        while let Some(open) = (state.open).take_if(|open| open.waiting().next().is_none()) {
            let number = open.number();
            match self.after(state, &open) {
                Ok(None) => {}
                Ok(Some(ask)) => {
                    let members = match (&ask, &state.search) {
                        (Ask::Sum(_), Some(searching)) => searching.sites.clone(),
                        _ => state.joined.keys().copied().collect(),
                    };
                    state.open = Some(Open::new(Asked::new(self, ask, number + 1), members));
                }
                Err(error) => {
                    let message = error.to_string();
                    state.events.push(StudyEvent::Failed { number, message });
                    state.end = Some(Err(error));
                }
            }
        }
    }

    /// What is asked after a question; nothing after the last.
    fn after(&self, state: &mut State, open: &Open) -> Result<Option<Ask>, StudyError> {
        match &open.asked.question.ask {
            Ask::Join => {
                self.check_quorum(open)?;
                let asks = self.plan.moves == Moves::Use && !state.cancelled;
                Ok(Some(if asks {
                    Ask::Moves
                } else {
                    self.begin_learning(state)
                }))
            }
            Ask::Moves => {
                self.close_moves(state, open);
                Ok(Some(self.begin_learning(state)))
            }
            Ask::Believe(asked) => self.close_round(state, asked, open).map(Some),
            Ask::Sum(_) => self.close_sums(state, open).map(Some),
            Ask::Finish(_) => Ok(None),
        }
    }

    /// Adds up what moves what; nothing follows where no site told.
    fn close_moves(&self, state: &mut State, open: &Open) {
        let n_sites = open.answers.len();
        if n_sites == 0 {
            return;
        }
        let moved = Moved::of(open.answers.sum(), self.n_vars(), n_sites);
        let edges = moved.ruled_out(&self.knowledge);
        let n_ruled_out = edges.len();
        let told = StudyEvent::Moved {
            n_sites,
            n_ruled_out,
        };
        state.events.push(told);
        state.history.moved = Some(RuledOut {
            knowledge: self.knowledge.without(edges.iter().copied()),
            moved,
            edges,
        });
    }

    /// The first round, or the first question of a search without rounds.
    fn begin_learning(&self, state: &mut State) -> Ask {
        let belief = state.history.weighed(&Belief::uninformed(self.n_vars()));
        match &self.plan.score {
            _ if state.cancelled => self.finish(state, Ending::of(belief, StopReason::Cancelled)),
            Some(score) if score.start == Start::Nothing => {
                self.begin_search(state, score, (belief, StopReason::Converged))
            }
            _ => self.begin(state, Round::FIRST, belief),
        }
    }

    /// Asks the sites that have joined about a belief.
    pub(super) fn begin(&self, state: &mut State, round: Round, prior: Belief) -> Ask {
        let n_sites = state.joined.len();
        state
            .events
            .push(StudyEvent::RoundStarted { round, n_sites });
        let largest = state.joined.values().map(|joined| joined.largest).max();
        Ask::Believe(Believe {
            round,
            prior,
            tested: self.tested(round, &state.history),
            reference: largest.unwrap_or(0),
        })
    }

    /// Counts an answer that was admitted.
    fn take(&self, state: &mut State, answer: Answer, digest: Digest) {
        let (site, question) = (answer.site, answer.question);
        let open = (state.open.as_mut()).expect("an answer is admitted while something is asked");
        let addends = match answer.reply {
            Reply::Refused(why) => {
                let why = match why {
                    Refused::Failed => Absence::Failed,
                    Refused::Question | Refused::NotAllowed => Absence::Declined,
                };
                return give_up(state, site, why);
            }
            Reply::Joined(joined) => {
                state.joined.insert(site, joined);
                state.events.push(StudyEvent::Joined { site });
                None
            }
            Reply::Believed(addends) => {
                if let Ask::Believe(Believe { round, .. }) = open.asked.question.ask {
                    state.events.push(StudyEvent::Answered { round, site });
                }
                Some(addends)
            }
            Reply::Moved(numbers) | Reply::Summed(numbers) => Some(numbers),
            Reply::Finished => None,
        };
        state.accepted.insert((site, question), digest);
        if open.asked.digest == question {
            // It may be one that was given up, and answers after all.
            open.missing.remove(&site);
            match (addends, &open.asked.question.ask) {
                (None, _) => open.answers.add(site),
                (Some(numbers), Ask::Sum(_) | Ask::Moves) => {
                    open.answers.add_numbers(site, &numbers);
                }
                (Some(addends), _) => {
                    let layout = Layout::new(self, &open.asked.tests);
                    open.answers.add_up(&layout, site, addends);
                }
            }
        } else if let Ask::Finish(_) = open.asked.question.ask {
            // Who joins at the very end is told the result.
            open.members.insert(site);
        }
    }
}

/// Counts a site as absent from the running question.
fn give_up(state: &mut State, site: ClientId, why: Absence) {
    if let Some(open) = &mut state.open {
        let number = open.number();
        open.missing.insert(site, why);
        state
            .events
            .push(StudyEvent::SiteAbsent { number, site, why });
    }
}
