//! Where a study is.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fedcdi_core::{Belief, BeliefError, ClientId, Dag, Digraph, Knowledge, Round, VarId};

use super::answers::Answers;
use super::average::Recent;
use super::convergence::Quiet;
use super::search::Searching;
use super::verdicts::Verdicts;
use crate::addends::PlannedTest;
use crate::answer::Joined;
use crate::codec::Digest;
use crate::event::{Absence, RoundRecord, StopReason, StudyEvent};
use crate::moves::{self, Moved};
use crate::plan::CheckedPlan;
use crate::question::{Ask, Question};
use crate::rules::Shares;
use crate::scored::Scored;

/// Where a study is: everything about it that changes. It is the fold of the inputs so far.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The question to join, once the study has begun.
    pub(super) join: Option<Asked>,
    /// The running question: to join, then what moves what, a round after another, then the result.
    pub(super) open: Option<Open>,
    /// Sites that take part.
    pub(super) joined: BTreeMap<ClientId, Joined>,
    /// Digest of every answer that was taken, by site and question.
    pub(super) accepted: BTreeMap<(ClientId, Digest), Digest>,
    pub(super) history: History,
    /// The search, while it runs.
    pub(super) search: Option<Searching>,
    /// What the study came to, once it is known.
    pub(crate) end: Option<Result<Box<Outcome>, StudyError>>,
    pub(super) cancelled: bool,
    /// What happened in this step.
    pub(super) events: Vec<StudyEvent>,
}

/// A question with its bytes and their digest.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) question: Question,
    pub(super) bytes: Arc<[u8]>,
    pub(super) digest: Digest,
    /// Tests that it asks for.
    pub(super) tests: Vec<PlannedTest>,
}

impl Asked {
    pub(super) fn new(study: &CheckedPlan, ask: Ask, number: u32) -> Self {
        let tests = match &ask {
            Ask::Believe(believe) => PlannedTest::all(study, believe),
            Ask::Join | Ask::Moves | Ask::Sum(_) | Ask::Finish(_) => Vec::new(),
        };
        let question = Question {
            plan: study.digest,
            number,
            ask,
        };
        let bytes = question.encode();
        Self {
            question,
            digest: Digest::of(&bytes),
            bytes: bytes.into(),
            tests,
        }
    }
}

/// The running question, and who has answered it.
#[derive(Clone, Debug)]
pub(super) struct Open {
    pub(super) asked: Asked,
    /// Sites that are asked.
    pub(super) members: BTreeSet<ClientId>,
    pub(super) answers: Answers,
    /// Sites that will not answer, and why.
    pub(super) missing: BTreeMap<ClientId, Absence>,
}

impl Open {
    pub(super) fn new(asked: Asked, members: BTreeSet<ClientId>) -> Self {
        Self {
            asked,
            members,
            answers: Answers::default(),
            missing: BTreeMap::new(),
        }
    }

    pub(super) fn number(&self) -> u32 {
        self.asked.question.number
    }

    /// Sites that have neither answered nor been given up.
    pub(super) fn waiting(&self) -> impl Iterator<Item = ClientId> {
        let members = self.members.iter().copied();
        members.filter(|site| self.waits_for(*site))
    }

    /// Whether a site is asked, and has neither answered nor been given up.
    pub(super) fn waits_for(&self, site: ClientId) -> bool {
        let has_ended = self.answers.has(site) || self.missing.contains_key(&site);
        self.members.contains(&site) && !has_ended
    }
}

/// What moves what, and what follows from it.
#[derive(Clone, Debug)]
pub(super) struct RuledOut {
    pub(super) moved: Moved,
    pub(super) edges: Vec<(VarId, VarId)>,
    /// That of the plan, without these edges.
    pub(super) knowledge: Knowledge,
}

/// What carries over from round to round.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    /// What moves what, once the sites have told.
    pub(super) moved: Option<RuledOut>,
    pub(super) records: Vec<RoundRecord>,
    pub(super) dags: Vec<Dag>,
    pub(super) raws: Vec<Digraph>,
    pub(super) quiet: Quiet,
    pub(super) recent: Recent,
    /// The belief that the study would end with.
    pub(super) so_far: Option<Belief>,
    pub(super) verdicts: Verdicts,
    pub(super) voices: Vec<SiteVoice>,
    pub(super) shares: Option<Shares>,
}

impl History {
    /// What is known of edges so far: beforehand, and by what moves what.
    pub(super) fn knowledge<'a>(&'a self, study: &'a CheckedPlan) -> &'a Knowledge {
        let moved = self.moved.as_ref();
        moved.map_or(&study.knowledge, |moved| &moved.knowledge)
    }

    /// A belief without what is ruled out.
    pub(super) fn weighed(&self, belief: &Belief) -> Belief {
        let ruled_out = self.moved.as_ref().map(|moved| &moved.edges[..]);
        moves::weighed(belief, ruled_out.unwrap_or_default())
    }
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
    /// The result, once it is known.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.end.as_ref()?.as_deref().ok()
    }

    /// Why there is no result.
    pub fn error(&self) -> Option<&StudyError> {
        self.end.as_ref()?.as_ref().err()
    }

    /// Whether nothing more will happen.
    pub fn is_over(&self) -> bool {
        self.end.is_some() && self.open.is_none()
    }

    /// Whether nothing has happened yet.
    pub fn is_ready(&self) -> bool {
        self.join.is_none()
    }
}

/// What a study came to, from what travelled.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The mean of the last aggregates; where scores decided, made to agree with the graph.
    pub belief: Belief,
    /// The graph of the belief, or of the search that followed.
    pub dag: Dag,
    /// The raw graph of the belief, which may have cycles; after a search its graph.
    pub raw: Digraph,
    /// Why the study ended.
    pub stop: StopReason,
    /// Every round.
    pub rounds: Vec<RoundRecord>,
    /// What the search over sums came to, if there was one.
    pub scored: Option<Scored>,
    /// What moves what, if the plan asks and a site told.
    pub moved: Option<Moved>,
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

impl Outcome {
    /// What is known of edges in the end: beforehand, and by what moves what.
    pub fn knowledge(&self, beforehand: &Knowledge) -> Knowledge {
        let narrowed = self.moved.as_ref().map(|moved| moved.narrowed(beforehand));
        narrowed.unwrap_or_else(|| beforehand.clone())
    }

    /// Whether the study was stopped before the sites said anything.
    pub fn is_nothing(&self) -> bool {
        self.rounds.is_empty() && self.scored.is_none()
    }
}

/// Why a study could not end normally.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StudyError {
    /// Too few answers.
    #[error("{asked} has {found} usable answers, {needed} are needed; {}", reasons(.missing))]
    Quorum {
        /// Number of the question.
        number: u32,
        /// What it is about.
        asked: String,
        /// Accepted answers.
        found: usize,
        /// Answers that the quorum asks for.
        needed: usize,
        /// Who is missing, and why.
        missing: BTreeMap<ClientId, String>,
    },
    /// The sums have no belief.
    #[error("round {0} has no belief: {1}")]
    Aggregate(Round, #[source] BeliefError),
}

fn reasons(missing: &BTreeMap<ClientId, String>) -> String {
    let reason = |(site, why): (&ClientId, &String)| format!("site {site}: {why}");
    missing.iter().map(reason).collect::<Vec<_>>().join("; ")
}
