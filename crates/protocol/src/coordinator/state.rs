//! Where a study is.

use std::collections::{BTreeMap, BTreeSet};

use fedcdi_core::{Belief, BeliefError, ClientId, Dag, Digraph, Round};

use super::average::Recent;
use super::convergence::Quiet;
use super::verdicts::Verdicts;
use crate::addends::PlannedTests;
use crate::answer::Joined;
use crate::codec::Digest;
use crate::event::{Absence, RoundRecord, StopReason};
use crate::plan::Study;
use crate::question::{Ask, Question};
use crate::rules::Shares;

/// Where a study is: everything about it that changes. It is the fold of the inputs so far.
#[derive(Clone, Debug, Default)]
pub struct State {
    pub(super) phase: Phase,
    /// The question to join, as long as the study runs.
    pub(super) join: Option<Asked>,
    /// Sites that take part.
    pub(super) joined: BTreeMap<ClientId, Joined>,
    /// Digest of every answer that was taken, by site and question.
    pub(super) accepted: BTreeMap<(ClientId, Digest), Digest>,
    /// What carries over from round to round.
    pub(super) history: History,
    pub(super) cancelled: bool,
}

/// What is being done.
#[derive(Clone, Debug, Default)]
pub(super) enum Phase {
    /// Nothing yet.
    #[default]
    Ready,
    /// Sites are asked to join.
    Joining(Missing),
    /// A round.
    Round(Collecting),
    /// The result is known, and sites are told.
    Finishing {
        asked: Asked,
        outcome: Box<Outcome>,
        told: BTreeSet<ClientId>,
        missing: Missing,
    },
    /// The result is known, and nobody is waited for.
    Over(Box<Outcome>),
    /// Ended with an error.
    Failed(StudyError),
}

/// Sites that will not answer, and why.
pub(super) type Missing = BTreeMap<ClientId, Absence>;

/// A question with its bytes' digest.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) question: Question,
    pub(super) bytes: Vec<u8>,
    pub(super) digest: Digest,
    /// Tests that it asks for.
    pub(super) tests: PlannedTests,
}

impl Asked {
    pub(super) fn new(study: &Study, ask: Ask, number: u32) -> Self {
        let tests = match &ask {
            Ask::Believe(believe) => PlannedTests::of(study, believe),
            Ask::Join | Ask::Finish(_) => PlannedTests::default(),
        };
        let question = Question {
            plan: study.digest,
            number,
            ask,
        };
        let bytes = question.encode();
        let digest = Digest::of(&bytes);
        Self {
            question,
            bytes,
            digest,
            tests,
        }
    }
}

/// A round in progress.
#[derive(Clone, Debug)]
pub(super) struct Collecting {
    pub(super) asked: Asked,
    /// Sites that are asked.
    pub(super) members: BTreeSet<ClientId>,
    pub(super) answers: BTreeMap<ClientId, Vec<i64>>,
    pub(super) missing: Missing,
}

/// What carries over from round to round.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    pub(super) records: Vec<RoundRecord>,
    pub(super) dags: Vec<Dag>,
    pub(super) raws: Vec<Digraph>,
    pub(super) quiet: Quiet,
    pub(super) recent: Recent,
    pub(super) verdicts: Verdicts,
    pub(super) voices: Vec<SiteVoice>,
    pub(super) shares: Option<Shares>,
}

/// What one site said in the last round, as far as the coordinator sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteVoice {
    /// Who.
    pub site: ClientId,
    /// The graph that it believes in by itself; it may have cycles.
    pub graph: Digraph,
}

impl State {
    /// What is being asked, but for a late joiner.
    pub(super) fn asked(&self) -> Option<&Asked> {
        match &self.phase {
            Phase::Joining(_) => self.join.as_ref(),
            Phase::Round(round) => Some(&round.asked),
            Phase::Finishing { asked, .. } => Some(asked),
            Phase::Ready | Phase::Over(_) | Phase::Failed(_) => None,
        }
    }

    /// The open question with this digest: the running one, or the one to join.
    pub(super) fn asked_for(&self, question: Digest) -> Option<&Asked> {
        let running = self.asked()?;
        let open = [Some(running), self.join.as_ref()];
        let mut open = open.into_iter().flatten();
        open.find(|asked| asked.digest == question)
    }

    /// Sites that the running question still waits for.
    pub(super) fn waiting_for(&self, n_sites: usize) -> BTreeSet<ClientId> {
        let all = || (1..=n_sites as u32).map(ClientId);
        match &self.phase {
            Phase::Joining(missing) => all()
                .filter(|site| !self.joined.contains_key(site) && !missing.contains_key(site))
                .collect(),
            Phase::Round(round) => {
                let open = |site: &&ClientId| {
                    !round.answers.contains_key(site) && !round.missing.contains_key(site)
                };
                round.members.iter().filter(open).copied().collect()
            }
            Phase::Finishing { told, missing, .. } => {
                let open = |site: &&ClientId| !told.contains(site) && !missing.contains_key(site);
                self.joined.keys().filter(open).copied().collect()
            }
            Phase::Ready | Phase::Over(_) | Phase::Failed(_) => BTreeSet::new(),
        }
    }

    /// The result, once it is known.
    pub fn outcome(&self) -> Option<&Outcome> {
        match &self.phase {
            Phase::Finishing { outcome, .. } | Phase::Over(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// Why there is no result.
    pub fn error(&self) -> Option<&StudyError> {
        match &self.phase {
            Phase::Failed(error) => Some(error),
            _ => None,
        }
    }

    /// Whether nothing more will happen.
    pub fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Over(_) | Phase::Failed(_))
    }

    /// Whether nothing has happened yet.
    pub fn is_ready(&self) -> bool {
        matches!(self.phase, Phase::Ready)
    }
}

/// What a study came to, from what travelled.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The mean of the last aggregates.
    pub belief: Belief,
    /// The graph of the belief.
    pub dag: Dag,
    /// The raw graph of the belief, which may have cycles.
    pub raw: Digraph,
    /// Why the study ended.
    pub stop: StopReason,
    /// Every round.
    pub rounds: Vec<RoundRecord>,
    /// The graph that the study would have ended with after every round.
    pub dags: Vec<Dag>,
    /// Its raw graph after every round.
    pub raws: Vec<Digraph>,
    /// What every site said in the last round, in order.
    pub voices: Vec<SiteVoice>,
    /// How much each of them counted, in the same order, where the rule can tell.
    pub shares: Option<Shares>,
    /// How sites describe their data, where the plan asks for it.
    pub profiles: BTreeMap<ClientId, Vec<u8>>,
}

/// Why a study could not end normally.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StudyError {
    /// Too few answers.
    #[error("{} has {found} usable answers, {needed} are needed; {}", of_question(*number), reasons(.missing))]
    Quorum {
        /// Number of the question.
        number: u32,
        /// Accepted answers.
        found: usize,
        /// Answers that the quorum asks for.
        needed: usize,
        /// Who is missing, and why.
        missing: BTreeMap<ClientId, String>,
    },
    /// The sums have no belief.
    #[error("round {round} has no belief: {source}")]
    Aggregate {
        /// The round.
        round: Round,
        /// Why.
        source: BeliefError,
    },
}

fn of_question(number: u32) -> String {
    match number {
        0 => "the question who takes part".to_owned(),
        round => format!("round {round}"),
    }
}

fn reasons(missing: &BTreeMap<ClientId, String>) -> String {
    let reason = |(site, why): (&ClientId, &String)| format!("site {site}: {why}");
    missing.iter().map(reason).collect::<Vec<_>>().join("; ")
}
