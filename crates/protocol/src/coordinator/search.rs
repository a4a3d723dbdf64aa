//! The search over sums: one question after another, all of them to the same sites.
//!
//! Ours. The sums of one search must be over the same rows. So its sites are those that answered its first
//! question, and only they are asked again. A site that is lost on the way takes its rows with it: the
//! search begins anew over those that remain, if they are a quorum. Each such restart costs the questions
//! that were asked before, and there are never more restarts than sites.
//!
//! | event | next |
//! |---|---|
//! | all of its sites answered | the search takes the sums, and asks or ends |
//! | one of them is lost, or gives no sums | a new search, over those that remain |
//! | half of them or more give no sums, or too few are left for a quorum | after rounds: what they came to is the result |
//! | the plan's questions are used up, or the study is cancelled | the graph so far is the result |

use std::collections::BTreeSet;

use fedcdi_core::{Belief, ClientId, Dag};
use fedcdi_score::Search;

use super::close::Ending;
use super::refined::refined;
use super::state::{History, Open, State, StudyError};
use crate::event::{Absence, StopReason, StudyEvent};
use crate::plan::CheckedPlan;
use crate::question::Ask;
use crate::score_plan::{ScorePlan, Start};
use crate::scored::{Changes, Scored};

/// A search that runs.
#[derive(Clone, Debug)]
pub(super) struct Searching {
    search: Search,
    /// Sites whose rows are summed; before the first sums those that are asked for them.
    pub(super) sites: BTreeSet<ClientId>,
    /// Questions that were asked, those of searches that were broken off included.
    n_asked: u32,
    /// Numbers that a site which answered all of them has told.
    n_numbers: u64,
    /// Questions that this search has the sums of.
    n_taken: u32,
    /// The graph that it started from.
    before: Dag,
    /// What the study would have ended with.
    belief: Belief,
    stop: StopReason,
}

impl CheckedPlan {
    /// Begins a search after the rounds, or without any.
    pub(super) fn begin_search(
        &self,
        state: &mut State,
        plan: &ScorePlan,
        (belief, stop): (Belief, StopReason),
    ) -> Ask {
        let dag = match plan.start {
            Start::Nothing => None,
            Start::Belief => state.history.dags.last().cloned(),
        };
        let before = dag.unwrap_or_else(|| Dag::empty(self.n_vars()));
        let sites: BTreeSet<ClientId> = state.joined.keys().copied().collect();
        state.events.push(StudyEvent::SearchStarted {
            n_sites: sites.len(),
            n_edges: before.n_edges(),
        });
        let searching = Searching {
            search: self.search_from(plan, &before, &state.history),
            sites,
            n_asked: 0,
            n_numbers: 0,
            n_taken: 0,
            before,
            belief,
            stop,
        };
        self.go_on_searching(state, plan, searching)
    }

    fn search_from(&self, plan: &ScorePlan, before: &Dag, history: &History) -> Search {
        let start = (plan.start == Start::Belief).then(|| before.clone());
        let (outline, knowledge) = (self.outline.clone(), self.knowledge.clone());
        let ruled_out = history.moved.iter().flat_map(|moved| &moved.edges);
        Search::new(outline, knowledge, plan.search, start).without(ruled_out.copied())
    }

    /// Ends a question about sums with the answers that are there: what is asked next.
    pub(super) fn close_sums(&self, state: &mut State, open: &Open) -> Result<Ask, StudyError> {
        let plan = self.plan.score.as_ref();
        let plan = plan.expect("sums are asked for where the plan has scores");
        let searching = state.search.take();
        let mut searching = searching.expect("sums are asked for while a search runs");
        if is_refused(open, plan, self.quorum()) {
            let ending = Ending::of(searching.belief, searching.stop);
            return Ok(self.finish(state, ending));
        }
        self.check_quorum(open)?;
        let answered: BTreeSet<ClientId> = open.answers.sites().collect();
        if searching.n_taken > 0 && answered != searching.sites {
            let n_sites = answered.len();
            state.events.push(StudyEvent::SearchRestarted { n_sites });
            searching.search = self.search_from(plan, &searching.before, &state.history);
            searching.n_taken = 0;
        } else {
            searching.search.take(open.answers.sum());
            searching.n_taken += 1;
            state.events.push(searching.event());
        }
        searching.n_numbers += open.answers.sum().len() as u64;
        searching.sites = answered;
        Ok(self.go_on_searching(state, plan, searching))
    }

    /// The next question of a search, or the result.
    fn go_on_searching(
        &self,
        state: &mut State,
        plan: &ScorePlan,
        mut searching: Searching,
    ) -> Ask {
        let may_ask = !state.cancelled && searching.n_asked < plan.search.questions;
        if let Some(ask) = searching.search.ask().filter(|_| may_ask) {
            let ask = Ask::Sum(ask.clone());
            searching.n_asked += 1;
            state.search = Some(searching);
            return ask;
        }
        let ending = Self::end_of_search(searching, plan, state.cancelled);
        self.finish(state, ending)
    }

    /// What a search came to; without any sums, what the study had before.
    fn end_of_search(searching: Searching, plan: &ScorePlan, cancelled: bool) -> Ending {
        let has_ended = searching.search.has_ended();
        let stop = if cancelled {
            StopReason::Cancelled
        } else if plan.start == Start::Nothing && !has_ended {
            StopReason::RoundLimit
        } else {
            searching.stop
        };
        let belief = searching.belief.clone();
        if searching.n_taken == 0 {
            return Ending::of(belief, stop);
        }
        let found = searching.search.found();
        let scored = Scored {
            changes: Changes::between(&searching.before, &found.dag),
            n_questions: searching.n_asked,
            n_numbers: searching.n_numbers,
            n_sites: searching.sites.len(),
            class: found.class,
            gains: found.gains,
            odds: found.odds,
            set: found.set,
            score: found.score,
            has_ended,
        };
        Ending {
            belief: refined(&belief, &found.dag, &scored),
            stop,
            scored: Some((found.dag, scored)),
        }
    }
}

/// Whether so many sites do not give sums that there is no search. What the rounds came to then
/// stands.
fn is_refused(open: &Open, plan: &ScorePlan, quorum: usize) -> bool {
    let declined = (open.missing.values()).filter(|why| **why == Absence::Declined);
    let (n_declined, n_answered) = (declined.count(), open.answers.len());
    let are_few = n_declined >= n_answered || n_answered < quorum;
    plan.start == Start::Belief && n_declined > 0 && are_few
}

impl Searching {
    fn event(&self) -> StudyEvent {
        let dag = self.search.dag();
        StudyEvent::Searched {
            question: self.n_asked,
            n_edges: dag.n_edges(),
            changes: Changes::between(&self.before, &dag),
        }
    }

    /// The graph so far.
    pub(super) fn dag(&self) -> Dag {
        self.search.dag()
    }
}
