//! One input at a time.

use fedcdi_core::graph::extract::OnRemoval;
use fedcdi_core::{Belief, ClientId, ClientReport, Round};

use super::message::{Input, Output};
use super::params::Coordinator;
use super::refusal::Refusal;
use super::state::{Collecting, History, Outcome, State};
use crate::event::{Absence, RoundEvent, StopReason};

impl Coordinator {
    /// The state after an input, and what the transport must do about it.
    pub fn step(&self, state: State, input: Input) -> (State, Vec<Output>) {
        let mut out = Vec::new();
        let next = match state {
            State::Ready(belief) => self.step_ready(belief, input, &mut out),
            State::Collecting(round) => self.step_collecting(round, input, &mut out),
            over @ (State::Finished(_) | State::Failed(_)) => {
                refuse_out_of_turn(&input, &mut out);
                over
            }
        };
        (next, out)
    }

    fn step_ready(&self, belief: Belief, input: Input, out: &mut Vec<Output>) -> State {
        match input {
            Input::Start => self.begin(Round::FIRST, belief, History::default(), out),
            Input::Cancel => {
                let dag = self.extract(&belief, OnRemoval::default());
                let stop = StopReason::Cancelled;
                let outcome = Outcome::new(belief, dag, stop, History::default());
                out.push(Output::Event(outcome.event(Round::FIRST)));
                State::Finished(outcome)
            }
            other => {
                refuse_out_of_turn(&other, out);
                State::Ready(belief)
            }
        }
    }

    /// Sends the belief of a round to the clients.
    pub(super) fn begin(
        &self,
        round: Round,
        belief: Belief,
        history: History,
        out: &mut Vec<Output>,
    ) -> State {
        let n_clients = self.study.clients.len();
        let started = RoundEvent::RoundStarted { round, n_clients };
        out.push(Output::Event(started));
        out.push(Output::Broadcast {
            round,
            belief: belief.clone(),
            tested: self.tested(&history),
        });
        State::Collecting(Collecting::new(round, belief, history))
    }

    fn step_collecting(&self, mut state: Collecting, input: Input, out: &mut Vec<Output>) -> State {
        match input {
            Input::Report(report) => match self.check_report(&state, &report) {
                Ok(()) => accept(&mut state, *report, out),
                Err(refusal) => refuse(&mut state, report.client, &refusal, out),
            },
            Input::Unreadable { client, round } => {
                let turn = self.check_turn(&state, client, round);
                let refusal = turn.err().unwrap_or(Refusal::Unreadable(client));
                refuse(&mut state, client, &refusal, out);
            }
            Input::Absent { client, round, why } => {
                // A stale or repeated notice changes nothing and is nobody's fault.
                if self.check_turn(&state, client, round).is_ok() {
                    absent(&mut state, client, why, out);
                }
            }
            Input::Close(round) if round == state.round => return self.close(state, out),
            Input::Cancel => {
                state.history.cancelled = true;
                let round = state.round;
                out.push(Output::Event(RoundEvent::CancelRequested { round }));
            }
            Input::Close(_) | Input::Start => {}
        }
        if state.waiting_for(&self.study.clients).is_empty() {
            return self.close(state, out);
        }
        State::Collecting(state)
    }
}

fn accept(state: &mut Collecting, report: ClientReport, out: &mut Vec<Output>) {
    out.push(Output::Event(RoundEvent::ReportAccepted {
        round: state.round,
        client: report.client,
        n_samples: report.samples.n_samples,
    }));
    state.reports.insert(report.client, report);
}

fn refuse(state: &mut Collecting, client: ClientId, refusal: &Refusal, out: &mut Vec<Output>) {
    state.n_refused += 1;
    let kind = refusal.kind();
    *state.history.refusals.entry(kind).or_default() += 1;
    out.push(refused(state.round, client, refusal));
    if let Some(why) = refusal.spoils_the_answer() {
        state.missing.insert(client, why);
    }
}

fn refused(round: Round, client: ClientId, refusal: &Refusal) -> Output {
    Output::Event(RoundEvent::ReportRefused {
        round,
        client,
        kind: refusal.kind(),
        message: refusal.to_string(),
    })
}

/// Counts a client as absent.
pub(super) fn absent(
    state: &mut Collecting,
    client: ClientId,
    why: Absence,
    out: &mut Vec<Output>,
) {
    let round = state.round;
    out.push(Output::Event(RoundEvent::ClientAbsent {
        round,
        client,
        why,
    }));
    state.missing.insert(client, why.to_string());
}

/// Reports before the first round or after the last are refused by name; all else is void.
fn refuse_out_of_turn(input: &Input, out: &mut Vec<Output>) {
    let (client, round) = match input {
        Input::Report(report) => (report.client, report.round),
        Input::Unreadable { client, round } => (*client, *round),
        _ => return,
    };
    out.push(refused(round, client, &Refusal::NotCollecting));
}
