//! The end of a round: quorum, sums, what tests change, and whether another round follows.

use fedcdi_core::graph::extract::{ExtractParams, OnRemoval, extract, raw};
use fedcdi_core::graph::vote_entropy;
use fedcdi_core::{Belief, BeliefError, Dag, Grafting, Pruning, Round, Tested};

use super::convergence::largest_change;
use super::state::{
    Asked, Collecting, History, Missing, Outcome, Phase, SiteVoice, State, StudyError,
};
use super::step::failed;
use super::verdicts::Rules;
use crate::addends::Layout;
use crate::event::{RoundRecord, StopReason, StudyEvent};
use crate::plan::Study;
use crate::question::{Ask, Finish};

/// What a round leads to.
struct Closed {
    /// To send on.
    aggregate: Belief,
    /// What the study would end with.
    result: Belief,
    dag: Dag,
    record: RoundRecord,
}

impl Study {
    /// Ends the round with the answers that are there.
    pub(super) fn close_round(
        &self,
        state: &mut State,
        round: Collecting,
        out: &mut Vec<StudyEvent>,
    ) -> Phase {
        let number = round.asked.question.number;
        let quorum = self.check_quorum(number, round.answers.len(), &round.missing);
        let closed = quorum.and_then(|()| {
            let round = self.aggregate(&mut state.history, &round);
            round.map_err(|source| StudyError::Aggregate {
                round: Round(number),
                source,
            })
        });
        match closed {
            Ok(closed) => {
                out.push(StudyEvent::Aggregated(closed.record));
                self.after_round(state, closed, out)
            }
            Err(error) => failed(number, error, out),
        }
    }

    fn aggregate(&self, history: &mut History, round: &Collecting) -> Result<Closed, BeliefError> {
        let Ask::Believe(asked) = &round.asked.question.ask else {
            unreachable!("a round asks for beliefs");
        };
        let layout = Layout::new(self, &round.asked.tests);
        let pooled = layout.pool(round.answers.values())?;
        self.remember_voices(history, &layout, round);
        let rules = self.rules(history);
        let changes = history.verdicts.judge(&rules, &asked.prior, pooled.tests);
        let aggregate = history.verdicts.on_aggregate(&pooled.aggregate, &changes)?;
        let mean = (history.recent).add(aggregate.clone(), self.plan.rounds.average)?;
        let result = history.verdicts.on_result(&mean)?;
        let (dag, raw) = (self.extract(&result), self.raw_graph(&result));
        let record = RoundRecord {
            round: asked.round,
            n_answers: pooled.n_answers as usize,
            n_absent: self.n_sites() - round.answers.len(),
            belief_change: largest_change(&asked.prior, &aggregate),
            consensus_entropy: vote_entropy(&pooled.votes, pooled.n_answers),
            n_edges_raw: raw.n_edges(),
            n_edges: dag.n_edges(),
            n_pruned: changes.gone.len(),
            n_grafted: changes.new.len(),
        };
        history.raws.push(raw);
        Ok(Closed {
            aggregate,
            result,
            dag,
            record,
        })
    }

    /// What only a clear study sees: who said what, and how much it counted.
    fn remember_voices(&self, history: &mut History, layout: &Layout<'_>, round: &Collecting) {
        let voice = |(site, addends): (&_, &Vec<i64>)| SiteVoice {
            site: *site,
            graph: layout.vote(addends),
        };
        history.voices = round.answers.iter().map(voice).collect();
        let each: Vec<Vec<f64>> = round.answers.values().map(|a| layout.terms(a)).collect();
        history.shares = self.rule.shares(self.n_vars(), &each);
    }

    /// The tests that [`Self::rules`] will look at in a round: no more are asked for.
    pub(super) fn tested(&self, round: Round, history: &History) -> Tested {
        let planned = self.plan.tests_in(round.0);
        let Rules {
            pruning, grafting, ..
        } = self.rules(history);
        Tested {
            edges: planned.edges && pruning != Pruning::Never,
            absent: planned.absent && grafting != Grafting::Never,
        }
    }

    /// What the tests of a round may change: while the graph moves, pairs depend on each other
    /// through edges that are still to be learned, and none comes in.
    fn rules(&self, history: &History) -> Rules<'_> {
        let grafting = if history.quiet.graph_rests() {
            self.plan.rounds.grafting
        } else {
            Grafting::Never
        };
        Rules {
            pruning: self.plan.rounds.pruning,
            grafting,
            knowledge: &self.knowledge,
        }
    }

    pub(super) fn check_quorum(
        &self,
        number: u32,
        found: usize,
        missing: &Missing,
    ) -> Result<(), StudyError> {
        let needed = self.quorum();
        if found >= needed {
            return Ok(());
        }
        let missing = missing.iter().map(|(site, why)| (*site, why.to_string()));
        Err(StudyError::Quorum {
            number,
            found,
            needed,
            missing: missing.collect(),
        })
    }

    /// Starts the next round, or finishes.
    fn after_round(&self, state: &mut State, closed: Closed, out: &mut Vec<StudyEvent>) -> Phase {
        let record = closed.record;
        let history = &mut state.history;
        let same_graph = history.dags.last() == Some(&closed.dag);
        history.records.push(record);
        history.dags.push(closed.dag.clone());
        let converged = history.quiet.count(&self.plan.rounds, &record, same_graph);
        let stop = if converged {
            StopReason::Converged
        } else if record.round >= Round(self.plan.rounds.rounds) {
            StopReason::RoundLimit
        } else if state.cancelled {
            StopReason::Cancelled
        } else {
            return self.begin(record.round.next(), closed.aggregate, state, out);
        };
        let history = std::mem::take(&mut state.history);
        let outcome = Outcome::new((closed.result, closed.dag), stop, history, state);
        self.finish(outcome, out)
    }

    /// Tells the sites the result.
    pub(super) fn finish(&self, outcome: Outcome, out: &mut Vec<StudyEvent>) -> Phase {
        let rounds = outcome.rounds.len() as u32;
        out.push(StudyEvent::Finished {
            round: Round(rounds),
            stop: outcome.stop,
            n_edges: outcome.dag.n_edges(),
        });
        let ask = Ask::Finish(Finish {
            belief: outcome.belief.clone(),
            edges: outcome.dag.edges().collect(),
            stop: outcome.stop,
            rounds,
        });
        let asked = Asked::new(self, ask, rounds + 1);
        Phase::Finishing {
            asked,
            outcome: Box::new(outcome),
            told: std::collections::BTreeSet::new(),
            missing: Missing::new(),
        }
    }

    /// The graph of a belief.
    pub(super) fn extract(&self, belief: &Belief) -> Dag {
        let suited = || ExtractParams {
            on_removal: OnRemoval::suited_to(belief),
            ..ExtractParams::default()
        };
        let params = self.plan.rounds.extract.unwrap_or_else(suited);
        extract(belief, &self.knowledge, params).dag
    }
}

impl Outcome {
    pub(super) fn new(
        (belief, dag): (Belief, Dag),
        stop: StopReason,
        history: History,
        state: &State,
    ) -> Self {
        let profiles = state.joined.iter();
        let profiles = profiles.filter(|(_, joined)| !joined.profile.is_empty());
        Self {
            dag,
            raw: history.raws.last().cloned().unwrap_or_else(|| raw(&belief)),
            belief,
            stop,
            rounds: history.records,
            dags: history.dags,
            raws: history.raws,
            voices: history.voices,
            shares: history.shares,
            profiles: profiles
                .map(|(site, joined)| (*site, joined.profile.clone()))
                .collect(),
        }
    }
}
