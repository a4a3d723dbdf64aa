//! The end of a round: quorum, sums, what tests change, and whether another round follows.
//!
//! Paper: FedCDI Algorithm 1, aggregation and "T iterations or convergence".

use fedcdi_core::graph::extract::{ExtractParams, OnRemoval, extract};
use fedcdi_core::graph::vote_entropy;
use fedcdi_core::{Belief, BeliefError, Dag, Grafting, Knowledge, Round, Tested};

use super::convergence::largest_change;
use super::state::{History, Open, Outcome, State, StudyError};
use super::verdicts::Limits;
use crate::addends::Layout;
use crate::event::{RoundRecord, StopReason, StudyEvent};
use crate::plan::CheckedPlan;
use crate::question::{Ask, Believe, Finish};
use crate::scored::Scored;

/// What a study ends with.
pub(super) struct Ending {
    pub(super) belief: Belief,
    pub(super) stop: StopReason,
    /// Graph and gains, where scores decided.
    pub(super) scored: Option<(Dag, Scored)>,
}

impl Ending {
    /// Without scores: the graph is that of the belief.
    pub(super) fn of(belief: Belief, stop: StopReason) -> Self {
        Self {
            belief,
            stop,
            scored: None,
        }
    }
}

impl CheckedPlan {
    /// Ends the round with the answers that are there: what is asked next.
    pub(super) fn close_round(
        &self,
        state: &mut State,
        asked: &Believe,
        open: &Open,
    ) -> Result<Ask, StudyError> {
        self.check_quorum(open)?;
        let history = &mut state.history;
        let (aggregate, result) = (self.aggregate(history, asked, open))
            .map_err(|source| StudyError::Aggregate(asked.round, source))?;
        let (record, dags) = (history.records[history.records.len() - 1], &history.dags);
        state.events.push(StudyEvent::Aggregated(record));
        let same_graph = matches!(&dags[..], [.., before, last] if before == last);
        let converged = history.quiet.count(&self.plan.rounds, &record, same_graph);
        let stop = if converged {
            StopReason::Converged
        } else if record.round >= Round(self.plan.most_rounds()) {
            StopReason::RoundLimit
        } else if state.cancelled {
            StopReason::Cancelled
        } else {
            return Ok(self.begin(state, record.round.next(), aggregate));
        };
        Ok(match &self.plan.score {
            Some(score) if !state.cancelled => self.begin_search(state, score, (result, stop)),
            _ => self.finish(state, Ending::of(result, stop)),
        })
    }

    /// The belief to send on, and the one that the study would end with.
    fn aggregate(
        &self,
        history: &mut History,
        asked: &Believe,
        open: &Open,
    ) -> Result<(Belief, Belief), BeliefError> {
        let layout = Layout::new(self, &open.asked.tests);
        let single = || open.answers.single().into_iter().flatten();
        let pooled = layout.pool(open.answers.sum(), single())?;
        self.remember_voices(history, &layout, open);
        let mut verdicts = std::mem::take(&mut history.verdicts);
        let changes = verdicts.judge(&self.limits(history), &asked.prior, pooled.tests);
        history.verdicts = verdicts;
        let aggregate = history.verdicts.on_aggregate(&pooled.aggregate, &changes);
        let aggregate = history.weighed(&aggregate);
        let mean = (history.recent).add(aggregate.clone(), self.plan.rounds.average)?;
        let result = history.weighed(&history.verdicts.on_result(&mean));
        let dag = self.extract(&result, history.knowledge(self));
        let raw = self.raw_graph(&result);
        history.records.push(RoundRecord {
            round: asked.round,
            n_answers: pooled.n_answers as usize,
            n_absent: self.n_sites() - open.answers.len(),
            belief_change: largest_change(&asked.prior, &aggregate),
            consensus_entropy: vote_entropy(&pooled.votes, pooled.n_answers),
            n_edges_raw: raw.n_edges(),
            n_edges: dag.n_edges(),
            n_pruned: changes.gone.len(),
            n_grafted: changes.new.len(),
        });
        history.so_far = Some(result.clone());
        history.dags.push(dag);
        history.raws.push(raw);
        Ok((aggregate, result))
    }

    /// What only a clear study sees: who said what, and how much it counted.
    fn remember_voices(&self, history: &mut History, layout: &Layout<'_>, open: &Open) {
        history.voices = open.answers.voices();
        let terms = |addends: &Vec<i64>| layout.terms(addends);
        let each = (open.answers.single()).map(|single| single.map(terms).collect::<Vec<_>>());
        history.shares = each.and_then(|each| self.rule.shares(self.n_vars(), &each));
    }

    /// The tests that can change something in a round: no more are asked for.
    pub(super) fn tested(&self, round: Round, history: &History) -> Tested {
        let planned = self.plan.tests_in(round.0);
        let absent = planned.absent && history.quiet.graph_rests();
        Tested { absent, ..planned }
    }

    /// What the tests of a round may change: while the graph moves, pairs depend on each other
    /// through edges that are still to be learned, and none comes in.
    fn limits<'a>(&'a self, history: &'a History) -> Limits<'a> {
        let (pruning, grafting) = self.plan.tests();
        let grafting = if history.quiet.graph_rests() {
            grafting
        } else {
            Grafting::Never
        };
        Limits {
            pruning,
            grafting,
            knowledge: history.knowledge(self),
        }
    }

    pub(super) fn check_quorum(&self, open: &Open) -> Result<(), StudyError> {
        let (found, needed) = (open.answers.len(), self.quorum());
        if found >= needed {
            return Ok(());
        }
        let missing = open.missing.iter();
        Err(StudyError::Quorum {
            number: open.number(),
            asked: open.asked.question.ask.words(open.number()),
            found,
            needed,
            missing: missing.map(|(s, why)| (*s, why.to_string())).collect(),
        })
    }

    /// Keeps the result, and tells it to the sites.
    pub(super) fn finish(&self, state: &mut State, ending: Ending) -> Ask {
        let Ending {
            belief,
            stop,
            scored,
        } = ending;
        let history = std::mem::take(&mut state.history);
        let (dag, raw, scored) = match scored {
            // The graph was not made from the belief, so it is also the raw one.
            Some((dag, scored)) => (Some(dag.clone()), Some(dag.into_digraph()), Some(scored)),
            None => (
                history.dags.last().cloned(),
                history.raws.last().cloned(),
                None,
            ),
        };
        let profiles = state.joined.iter().filter(|(_, j)| !j.profile.is_empty());
        let outcome = Outcome {
            dag: dag.unwrap_or_else(|| self.extract(&belief, history.knowledge(self))),
            raw: raw.unwrap_or_else(|| self.raw_graph(&belief)),
            belief,
            stop,
            rounds: history.records,
            scored,
            moved: history.moved.map(|ruled_out| ruled_out.moved),
            dags: history.dags,
            raws: history.raws,
            voices: history.voices,
            shares: history.shares,
            profiles: profiles.map(|(s, j)| (*s, j.profile.clone())).collect(),
        };
        state.events.push(StudyEvent::Finished {
            round: Round(outcome.rounds.len() as u32),
            stop,
            n_edges: outcome.dag.n_edges(),
        });
        let finish = Finish {
            belief: outcome.belief.clone(),
            edges: outcome.dag.edges().collect(),
            stop,
            rounds: outcome.rounds.clone(),
            scored: outcome.scored.clone(),
            moved: outcome.moved.clone(),
        };
        state.end = Some(Ok(Box::new(outcome)));
        Ask::Finish(finish)
    }

    /// The graph of a belief.
    fn extract(&self, belief: &Belief, knowledge: &Knowledge) -> Dag {
        let suited = || ExtractParams {
            on_removal: OnRemoval::suited_to(belief),
            ..ExtractParams::default()
        };
        let params = self.plan.rounds.extract.unwrap_or_else(suited);
        extract(belief, knowledge, params).dag
    }
}
