//! The end of a round: quorum, aggregate, and whether another round follows.

use fedcdi_core::graph::extract::{ExtractParams, OnRemoval, extract, raw};
use fedcdi_core::{
    AggregateError, Belief, ClientReport, Dag, Digraph, Grafting, Pruning, Round, SharedBelief,
};

use super::convergence::{consensus_entropy, largest_change};
use super::message::Output;
use super::params::Coordinator;
use super::state::{Collecting, FederationError, History, Outcome, State};
use super::step::absent;
use super::verdicts::{Changes, Rules};
use crate::client::Tested;
use crate::event::{Absence, RoundEvent, RoundRecord, StopReason};

/// What a round leads to.
struct Closed {
    /// To send on.
    aggregate: Belief,
    /// What the run would end with.
    result: Belief,
    raw: Digraph,
    dag: Dag,
    record: RoundRecord,
}

/// What the reports of a round come to.
struct Pooled {
    aggregate: Belief,
    result: Belief,
    on_removal: OnRemoval,
    changes: Changes,
}

impl Coordinator {
    /// Ends the round with the reports that are there.
    pub(super) fn close(&self, mut state: Collecting, out: &mut Vec<Output>) -> State {
        for client in state.waiting_for(&self.study.clients) {
            absent(&mut state, client, Absence::Late, out);
        }
        let round = state.round;
        match self.aggregate(&mut state) {
            Ok(closed) => {
                out.push(Output::Event(RoundEvent::Aggregated(closed.record)));
                self.go_on(closed, state.history, out)
            }
            Err(error) => {
                let message = error.to_string();
                out.push(Output::Event(RoundEvent::Failed { round, message }));
                State::Failed(error)
            }
        }
    }

    fn aggregate(&self, state: &mut Collecting) -> Result<Closed, FederationError> {
        self.check_quorum(state)?;
        let round = state.round;
        let failed = |source| FederationError::Aggregate { round, source };
        let reports: Vec<ClientReport> = state.reports.values().cloned().collect();
        let pooled = self.pool(&mut state.history, &state.prior, &reports);
        let Pooled {
            aggregate,
            result,
            on_removal,
            changes,
        } = pooled.map_err(failed)?;
        let opinions = opinions(&reports).map_err(failed)?;
        let dag = self.extract(&result, on_removal);
        let raw = raw(&result);
        let record = RoundRecord {
            round,
            n_reports: reports.len(),
            n_refused: state.n_refused,
            n_absent: state.missing.len(),
            belief_change: largest_change(&state.prior, &aggregate),
            consensus_entropy: consensus_entropy(opinions.iter()),
            n_edges_raw: raw.n_edges(),
            n_edges: dag.n_edges(),
            n_pruned: changes.gone.len(),
            n_grafted: changes.new.len(),
        };
        Ok(Closed {
            aggregate,
            result,
            raw,
            dag,
            record,
        })
    }

    /// The aggregate of the reports as their tests change it, and the mean of the last ones.
    fn pool(
        &self,
        history: &mut History,
        prior: &Belief,
        reports: &[ClientReport],
    ) -> Result<Pooled, AggregateError> {
        let aggregate = self.aggregator.aggregate(prior, reports)?;
        let on_removal = removal_rule(&aggregate, reports);
        let rules = self.rules(history);
        let changes = history.verdicts.judge(&rules, prior, reports);
        let aggregate = history.verdicts.on_aggregate(&aggregate, &changes);
        let aggregate = aggregate.map_err(AggregateError::Result)?;
        let mean = history.recent.add(aggregate.clone(), self.params.average);
        let result = mean.and_then(|mean| history.verdicts.on_result(&mean));
        Ok(Pooled {
            aggregate,
            result: result.map_err(AggregateError::Result)?,
            on_removal,
            changes,
        })
    }

    /// The tests that [`Self::rules`] will look at in the round that follows: no client sends more.
    pub(super) fn tested(&self, history: &History) -> Tested {
        let Rules {
            pruning, grafting, ..
        } = self.rules(history);
        Tested {
            edges: pruning != Pruning::Never,
            absent: grafting != Grafting::Never,
        }
    }

    /// What the tests of a round may change: while the graph moves, pairs depend on each other
    /// through edges that are still to be learned, and none comes in.
    fn rules(&self, history: &History) -> Rules<'_> {
        let grafting = if history.quiet.graph_rests() {
            self.params.grafting
        } else {
            Grafting::Never
        };
        Rules {
            pruning: self.params.pruning,
            grafting,
            knowledge: &self.study.knowledge,
        }
    }

    fn check_quorum(&self, state: &Collecting) -> Result<(), FederationError> {
        let (found, needed) = (state.reports.len(), self.quorum());
        if found >= needed {
            return Ok(());
        }
        Err(FederationError::Quorum {
            round: state.round,
            found,
            needed,
            missing: state.missing.clone(),
        })
    }

    /// Starts the next round, or finishes.
    fn go_on(&self, closed: Closed, mut history: History, out: &mut Vec<Output>) -> State {
        let record = closed.record;
        let same_graph = history.dags.last() == Some(&closed.dag);
        history.records.push(record);
        history.dags.push(closed.dag.clone());
        history.raws.push(closed.raw);
        let converged = history.quiet.count(&self.params, &record, same_graph);
        let stop = if converged {
            StopReason::Converged
        } else if record.round >= Round(self.params.rounds) {
            StopReason::RoundLimit
        } else if history.cancelled {
            StopReason::Cancelled
        } else {
            return self.begin(record.round.next(), closed.aggregate, history, out);
        };
        let outcome = Outcome::new(closed.result, closed.dag, stop, history);
        out.push(Output::Event(outcome.event(record.round)));
        State::Finished(outcome)
    }

    /// The graph of a belief; settings, where there are any, overrule `on_removal`.
    pub(super) fn extract(&self, belief: &Belief, on_removal: OnRemoval) -> Dag {
        let params = self.params.extract.unwrap_or(ExtractParams {
            on_removal,
            ..ExtractParams::default()
        });
        extract(belief, &self.study.knowledge, params).dag
    }
}

impl Outcome {
    pub(super) fn new(belief: Belief, dag: Dag, stop: StopReason, history: History) -> Self {
        Self {
            dag,
            raw: raw(&belief),
            belief,
            stop,
            rounds: history.records,
            dags: history.dags,
            raws: history.raws,
            refusals: history.refusals,
        }
    }

    pub(super) fn event(&self, round: Round) -> RoundEvent {
        RoundEvent::Finished {
            round,
            stop: self.stop,
            n_edges: self.dag.n_edges(),
        }
    }
}

/// A removed edge may come back reversed only where existence was learned per direction: not if a
/// client sent psi alone or logits that were split from psi, nor if the aggregate itself was. (Weights
/// that differ by effect hide this in an aggregate.)
fn removal_rule(aggregate: &Belief, reports: &[ClientReport]) -> OnRemoval {
    let of_report = |report: &ClientReport| match &report.belief {
        SharedBelief::Psi(_) => OnRemoval::Drop,
        SharedBelief::Logits(belief) => OnRemoval::suited_to(belief),
    };
    let split = reports.iter().any(|r| of_report(r) == OnRemoval::Drop);
    if split {
        OnRemoval::Drop
    } else {
        OnRemoval::suited_to(aggregate)
    }
}

fn opinions(reports: &[ClientReport]) -> Result<Vec<Belief>, AggregateError> {
    let opinion = |report: &ClientReport| {
        let client = report.client;
        let opinion = report.belief.to_belief();
        opinion.map_err(|source| AggregateError::Belief { client, source })
    };
    reports.iter().map(opinion).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedcdi_core::{ClientId, SampleCounts, Schema, Variable};
    use ndarray::array;

    fn report(belief: SharedBelief) -> ClientReport {
        let variables = vec![Variable::with_codes("a", 2), Variable::with_codes("b", 2)];
        ClientReport {
            client: ClientId(0),
            round: Round::FIRST,
            schema: Schema::new(variables).unwrap().hash(),
            belief,
            samples: SampleCounts {
                n_samples: 1,
                n_observational: 1,
                n_interventional: vec![0, 0],
                n_joint: Vec::new(),
            },
            tests: Vec::new(),
        }
    }

    #[test]
    fn edges_are_reversed_only_where_existence_was_learned_per_direction() {
        let belief = Belief::new(
            array![[0.0, 2.0], [-1.0, 0.0]],
            array![[0.0, 1.0], [-1.0, 0.0]],
        )
        .unwrap();
        let psi = report(SharedBelief::Psi(belief.psi()));
        let logits = report(SharedBelief::Logits(belief.clone()));
        let split = Belief::from_psi(&belief.psi()).unwrap();
        let rule = |belief: &Belief, reports: &[ClientReport]| removal_rule(belief, reports);
        assert_eq!(
            rule(&belief, std::slice::from_ref(&logits)),
            OnRemoval::Reverse
        );
        assert_eq!(rule(&belief, &[logits.clone(), psi]), OnRemoval::Drop);
        let split_logits = report(SharedBelief::Logits(split.clone()));
        assert_eq!(rule(&belief, &[split_logits]), OnRemoval::Drop);
        assert_eq!(rule(&split, &[logits]), OnRemoval::Drop);
    }
}
