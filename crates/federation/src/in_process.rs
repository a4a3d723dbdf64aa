//! All clients on this machine's cores.
//!
//! The clients of a round run in parallel; their answers reach the coordinator in order of client,
//! so a run does not depend on the number of threads.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use fedcdi_core::{Belief, ClientId, LocalMethodError, Round};
use rayon::prelude::*;

use crate::client::{Client, Tested};
use crate::coordinator::{Coordinator, FederationError, Input, Outcome, Output, State};
use crate::event::{Absence, RoundEvent};

/// Is told which client failed in which round, and why.
pub type FailureWatcher<'a> = dyn Fn(ClientId, Round, &LocalMethodError) + Sync + 'a;

/// A run on one machine.
#[derive(Default)]
pub struct InProcess<'a> {
    /// Set from outside to stop at the end of the running round.
    pub cancel: Option<&'a AtomicBool>,
    /// Clients that cannot be reached in these rounds: they are neither asked nor heard.
    pub dropped: BTreeSet<(Round, ClientId)>,
    /// What is told at a client, and nowhere else, when it has no posterior.
    pub failed: Option<&'a FailureWatcher<'a>>,
}

impl InProcess<'_> {
    /// Runs a study from its first round to the end, on rayon's present threads, and tells
    /// `observe` every event. Clients of the study that are not in `clients` are absent.
    ///
    /// # Errors
    /// [`FederationError`] if a round fails.
    pub fn run(
        &self,
        coordinator: &Coordinator,
        clients: &mut [Client],
        observe: &mut dyn FnMut(&RoundEvent),
    ) -> Result<Outcome, FederationError> {
        let (mut state, mut outputs) = coordinator.step(coordinator.ready(), Input::Start);
        while let Some((round, belief, tested)) = deliver(outputs, observe) {
            let answers = self.answers(round, (&belief, tested), clients);
            let cancel = self.cancelled().then_some(Input::Cancel);
            outputs = Vec::new();
            for input in cancel
                .into_iter()
                .chain(answers)
                .chain([Input::Close(round)])
            {
                let (next, more) = coordinator.step(state, input);
                state = next;
                outputs.extend(more);
            }
        }
        match state {
            State::Finished(outcome) => Ok(outcome),
            State::Failed(error) => Err(error),
            State::Ready(_) | State::Collecting(_) => {
                unreachable!("closing a round ends the run or starts the next round")
            }
        }
    }

    fn cancelled(&self) -> bool {
        self.cancel.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    fn answers(
        &self,
        round: Round,
        (prior, tested): (&Belief, Tested),
        clients: &mut [Client],
    ) -> Vec<Input> {
        clients
            .par_iter_mut()
            .map(|client| {
                if self.dropped.contains(&(round, client.id)) {
                    return Err((client.id, None));
                }
                let answer = client.answer(round, prior, tested);
                answer.map_err(|error| (client.id, Some(error)))
            })
            .collect::<Vec<_>>()
            .into_iter()
            .map(|answer| match answer {
                Ok(report) => Input::Report(Box::new(report)),
                Err((client, error)) => self.absent(client, round, error),
            })
            .collect()
    }

    /// Without an error the client was not reached.
    fn absent(&self, client: ClientId, round: Round, error: Option<LocalMethodError>) -> Input {
        let why = match error {
            None => Absence::Unreachable,
            Some(error) => {
                if let Some(tell) = self.failed {
                    tell(client, round, &error);
                }
                Absence::Failed
            }
        };
        Input::Absent { client, round, why }
    }
}

/// Tells the events, and gives back the belief to send and the tests to ask for, if a round starts.
fn deliver(
    outputs: Vec<Output>,
    observe: &mut dyn FnMut(&RoundEvent),
) -> Option<(Round, Belief, Tested)> {
    let mut broadcast = None;
    for output in outputs {
        match output {
            Output::Event(event) => observe(&event),
            Output::Broadcast {
                round,
                belief,
                tested,
            } => broadcast = Some((round, belief, tested)),
        }
    }
    broadcast
}
