//! The study plan: everything that all parties must agree on before the first question.
//!
//! It is the first thing a site sees. Its digest is in every question and every answer, so nobody can
//! take part in another study than the one that was agreed on, and a changed setting is another study.

use std::collections::BTreeSet;

use fedcdi_core::{
    Belief, Choice, ChoiceError, ClientId, Digraph, Grafting, Knowledge, KnowledgeError,
    KnowledgeFile, ParamsError, Pruning, RoundParams, Schema, SchemaError, SchemaHash, Tested,
    VarId, VarSet, Variable,
};
use fedcdi_score::Outline;
use serde::{Deserialize, Serialize};

use crate::codec::{Digest, VERSION};
use crate::journal::JournalError;
use crate::moves::Moves;
use crate::rules::{Rule, Rules};
use crate::score_plan::{ScorePlan, Start};
use crate::sums::MOST_NUMBERS;

/// What a study is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudyPlan {
    /// Version of the messages.
    pub protocol: u32,
    /// Name of the study.
    pub name: String,
    /// The sites by name, in the order of their numbers from 1; each once, at least one.
    pub sites: Vec<String>,
    /// The variables; no label of a category.
    pub variables: Vec<PlannedVariable>,
    /// Fingerprint of variables and labels ([`Schema::fingerprint`]).
    pub schema: SchemaHash,
    /// Root of all random streams.
    pub seed: u64,
    /// What every site runs, all settings written out. Without rounds only a name: nothing is run.
    pub local: Choice,
    /// How opinions become one belief, all settings written out.
    pub rule: Choice,
    /// Which numbers of its belief a site bases its terms on.
    pub exchange: Exchange,
    /// Rounds, quorum, convergence.
    pub rounds: RoundParams,
    /// What is known beforehand.
    pub knowledge: KnowledgeFile,
    /// What a site tells, and how exactly.
    pub disclosure: Disclosure,
    /// Whether the graph is searched for by scores, from sums over the sites' rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<ScorePlan>,
    /// Whether sites are asked what moves what, so that interventions rule out edges.
    pub moves: Moves,
}

/// A variable as everybody may know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedVariable {
    /// Its name.
    pub name: String,
    /// How many categories it has; none if it is a real number.
    pub n_categories: Option<usize>,
}

/// Which numbers of a belief a site bases its terms on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exchange {
    /// Edge probabilities alone, as in the paper: terms and votes are made from them. Weights still
    /// come from numbers of rows, and tests from rows.
    Psi,
    /// Existence and orientation logits: says also whether an unlikely edge is absent or reversed.
    #[default]
    Logits,
}

/// What a site tells, and how exactly.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Disclosure {
    /// Independence tests count only cells with this many rows, if the two variables were
    /// independent; >= 0.
    pub smallest_cell: f64,
    /// Numbers of rows are told as multiples of this; > 0, and 1 tells them as they are.
    pub row_band: u64,
    /// The first round in which independence tests may be asked for; > 0.
    pub first_tests: u32,
    /// From then on, in every so many-th round; > 0.
    pub tests_every: u32,
    /// Whether a site describes its data when it joins: rows in bands, targets, and whether they are
    /// enough.
    pub profile: bool,
}

impl Default for Disclosure {
    fn default() -> Self {
        Self {
            smallest_cell: 5.0,
            row_band: 5,
            first_tests: 2,
            tests_every: 1,
            profile: true,
        }
    }
}

impl Disclosure {
    /// # Errors
    /// [`ParamsError`] naming the first field out of range.
    pub fn check(&self) -> Result<(), ParamsError> {
        ParamsError::not_negative("smallest_cell", self.smallest_cell)?;
        for (field, value) in [
            ("row_band", self.row_band),
            ("first_tests", self.first_tests.into()),
            ("tests_every", self.tests_every.into()),
        ] {
            ParamsError::require(field, value, "> 0", value > 0)?;
        }
        Ok(())
    }
}

/// Why a plan is none.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// Another version of the protocol.
    #[error(
        "the plan is for version {0} of the protocol, this program speaks version {VERSION}; update the older side"
    )]
    Version(u32),
    /// The list of sites.
    #[error("the plan names {0}; a plan names every site once, and at least one")]
    Sites(String),
    /// The variables.
    #[error(transparent)]
    Variables(#[from] SchemaError),
    /// Rule or settings.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    /// A setting out of range.
    #[error(transparent)]
    Params(#[from] ParamsError),
    /// The knowledge contradicts itself or the variables.
    #[error(transparent)]
    Knowledge(#[from] KnowledgeError),
    /// Settings that are left out: their defaults may be others in another version.
    #[error("the plan leaves out settings of rule {0:?}; write all of them")]
    Incomplete(String),
    /// Text that is no plan.
    #[error("not a study plan: {0}")]
    Text(String),
}

/// Why a site or a coordinator cannot begin, or go on after a restart.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The plan is none.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Its journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A site that is not in the plan's list: its number, sites of the plan.
    #[error("the plan has {1} sites, this one says it is number {0}")]
    Number(ClientId, usize),
    /// A site with other variables or labels than the plan's.
    #[error(
        "the table's variables or categories are not those of the study; compare it with the study's schema"
    )]
    Schema,
    /// A site without something that the plan's questions need.
    #[error("the plan's questions need {0}, and this site brings none")]
    Lacks(&'static str),
}

impl StudyPlan {
    /// The plan as text, one form only.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).expect("a plan has nothing that JSON lacks")
    }

    /// The plan of such a text.
    ///
    /// # Errors
    /// [`PlanError::Version`] if it is of another version of the protocol, [`PlanError::Text`] if it is none.
    pub fn from_text(text: &str) -> Result<Self, PlanError> {
        // Another version may have other keys: the reason is the version, not the first of them.
        #[derive(Deserialize)]
        struct Versioned {
            protocol: u32,
        }
        match serde_json::from_str(text) {
            Ok(Versioned { protocol }) if protocol != VERSION => Err(PlanError::Version(protocol)),
            _ => serde_json::from_str(text).map_err(|error| PlanError::Text(error.to_string())),
        }
    }

    /// What all messages of the study carry.
    pub fn digest(&self) -> Digest {
        Digest::of(self.to_text().as_bytes())
    }

    /// What the coordinator's journal names as its owner.
    pub fn coordinator_journal(&self) -> String {
        format!("coordinator of study {}", self.digest())
    }

    /// The variables with numbers in place of their labels.
    ///
    /// # Errors
    /// [`PlanError::Variables`] if they are none.
    pub fn outline(&self) -> Result<Schema, PlanError> {
        let variable = |planned: &PlannedVariable| match planned.n_categories {
            Some(n) => Variable::with_codes(&planned.name, n),
            None => Variable::real(&planned.name),
        };
        Ok(Schema::new(self.variables.iter().map(variable).collect())?)
    }

    /// Whether sites are asked for beliefs, in rounds.
    pub fn has_rounds(&self) -> bool {
        (self.score.as_ref()).is_none_or(|score| score.start != Start::Nothing)
    }

    /// How many rounds there are at most.
    pub fn most_rounds(&self) -> u32 {
        let is_refined = |score: &ScorePlan| score.start == Start::Belief;
        self.rounds
            .most_rounds(self.score.as_ref().is_some_and(is_refined))
    }

    /// How many questions come before the first round, beside that to join: so round r is question r plus
    /// these.
    pub(crate) fn before_rounds(&self) -> u32 {
        u32::from(self.moves == Moves::Use)
    }

    /// Which tests take edges back and bring edges in.
    pub fn tests(&self) -> (Pruning, Grafting) {
        self.rounds.tests(self.score.is_some())
    }

    /// Tests that may be asked for in a round.
    pub(crate) fn tests_in(&self, round: u32) -> Tested {
        let since = round.checked_sub(self.disclosure.first_tests);
        let due = since.is_some_and(|n| n.is_multiple_of(self.disclosure.tests_every));
        Tested {
            edges: due && self.tests().0 != Pruning::Never,
            absent: due && self.tests().1 != Grafting::Never,
        }
    }

    /// Everything that follows from the plan, if it is one.
    ///
    /// # Errors
    /// [`PlanError`] saying what is wrong first.
    pub fn check(self, rules: &Rules) -> Result<CheckedPlan, PlanError> {
        if self.protocol != VERSION {
            return Err(PlanError::Version(self.protocol));
        }
        self.check_sites()?;
        self.rounds.check()?;
        self.disclosure.check()?;
        if let Some(score) = &self.score {
            score.search.check()?;
        }
        let knowledge = self.knowledge.check(&self.outline()?)?;
        let sizes = self.variables.iter().map(|planned| planned.n_categories);
        if rules.complete(&self.rule)? != self.rule {
            return Err(PlanError::Incomplete(self.rule.name));
        }
        Ok(CheckedPlan {
            rule: rules.build(&self.rule)?,
            digest: self.digest(),
            outline: Outline(sizes.collect()),
            plan: self,
            knowledge,
        })
    }

    fn check_sites(&self) -> Result<(), PlanError> {
        if self.sites.is_empty() {
            return Err(PlanError::Sites("no site".to_owned()));
        }
        let mut seen = BTreeSet::new();
        match self.sites.iter().find(|name| !seen.insert(*name)) {
            Some(name) => Err(PlanError::Sites(format!("site {name:?} twice"))),
            None => Ok(()),
        }
    }
}

/// A plan that was checked, and what follows from it.
pub struct CheckedPlan {
    pub(crate) plan: StudyPlan,
    pub(crate) digest: Digest,
    pub(crate) knowledge: Knowledge,
    /// The variables, as scores see them.
    pub(crate) outline: Outline,
    pub(crate) rule: Box<dyn Rule>,
}

impl CheckedPlan {
    pub(crate) fn n_vars(&self) -> usize {
        self.plan.variables.len()
    }

    pub(crate) fn n_sites(&self) -> usize {
        self.plan.sites.len()
    }

    /// What the journal of a site names as its owner.
    pub(crate) fn site_journal(&self, site: ClientId) -> String {
        format!("site {site} of study {}", self.digest)
    }

    /// The numbers of the sites.
    pub(crate) fn sites(&self) -> impl Iterator<Item = ClientId> + use<> {
        (1..=self.n_sites() as u32).map(ClientId)
    }

    /// Sites that a round needs.
    pub(crate) fn quorum(&self) -> usize {
        let share = self.plan.rounds.quorum * self.n_sites() as f64;
        // A third of 3 is 1, whatever the last bit says.
        ((share - 1e-9).ceil() as usize).max(1)
    }

    /// The graph of a belief before cycles are broken.
    pub(crate) fn raw_graph(&self, belief: &Belief) -> Digraph {
        (self.plan.rounds.extract.unwrap_or_default().raw).graph(belief)
    }

    /// The longest description of its data that a site may send: room for some numbers, and for every
    /// name twice, as JSON may have to write it.
    pub(crate) fn longest_profile(&self) -> usize {
        if !self.plan.disclosure.profile {
            return 0;
        }
        // What interventions on it show is five numbers and words of fixed length, and two arms.
        let room = |variable: &PlannedVariable| 12 * variable.name.len() + 512;
        4096 + self.plan.variables.iter().map(room).sum::<usize>()
    }

    /// The longest message that the study has.
    pub fn longest_message(&self) -> usize {
        const BESIDE: usize = 4096;
        /// Of a round, in the message with the result.
        const RECORD: usize = 96;
        let n_edges = self.n_vars() * self.n_vars();
        let addends = self.rule.n_terms(self.n_vars()) + 5 * n_edges + 2;
        let records = RECORD * self.plan.most_rounds() as usize;
        let message = BESIDE + self.longest_profile() + 8 * addends + records;
        match self.plan.score {
            None => message,
            Some(_) => message.max(BESIDE + 8 * MOST_NUMBERS),
        }
    }

    /// Degrees of freedom of the test of an edge given `parents`, over all values that there are;
    /// none if one of the variables is real, or there are more than anybody could fill.
    pub(crate) fn degrees(&self, edge: (VarId, VarId), parents: &VarSet) -> Option<f64> {
        const MOST: f64 = 1e6;
        let n_categories = |var: VarId| self.plan.variables[var.index()].n_categories;
        let size = |var: VarId| n_categories(var).map(|n| n as f64);
        let mut degrees = (size(edge.0)? - 1.0) * (size(edge.1)? - 1.0);
        for parent in parents.iter().filter(|parent| *parent != edge.0) {
            degrees *= size(parent)?;
        }
        (1.0..=MOST).contains(&degrees).then_some(degrees)
    }
}
