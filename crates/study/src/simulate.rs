//! Several sites to one graph, on one machine.
//!
//! Paper: FedCDI Algorithm 1. The sites run as they would at their institutions: what passes between
//! them and the coordinator are the bytes of [`fedcdi_protocol`], and what is known afterwards is what a
//! real coordinator knows.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use fedcdi_core::graph::{confidence, shd};
use fedcdi_core::{
    ChoiceError, ClientId, Dag, Digraph, Knowledge, KnowledgeError, ParamsError, SampleCounts,
    Schema, Seed,
};
use fedcdi_data::{NamedGraph, Study};
use fedcdi_learn::registry::{self, Inputs, Local};
use fedcdi_learn::{LearnError, Observer};
use fedcdi_protocol::coordinator::{Refusal, RefusalKind};
use fedcdi_protocol::store::Memory;
use fedcdi_protocol::{
    Coordinator, CoordinatorError, DeclineWatcher, Declined, Digest, InProcess, JournalError,
    Outcome, PlanError, PlannedVariable, RunError, Site, SiteData, SiteError, StudyError,
    StudyEvent, StudyPlan, VERSION, rules,
};
use ndarray::Array2;

use crate::discover::{UNORIENTED, likeliest_first, on_workers};
use crate::division::{DivisionError, divide};
use crate::profile::SiteProfile;
use crate::registry::Unfit;
use crate::score::Scores;
use crate::spec::SimulateSpec;

/// What a study came to, from what travelled alone: a coordinator of real sites has the same.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// The variables.
    pub schema: Arc<Schema>,
    /// Names the plan of the study: everything that was agreed on.
    pub plan: Digest,
    /// Belief, graph and rounds.
    pub outcome: Outcome,
    /// Probability of every edge given that there is no cycle, `[cause, effect]`.
    pub confidence: Array2<f64>,
    /// One entry per site, in order.
    pub sites: Vec<SiteResult>,
    /// Answers that were refused, by reason.
    pub refusals: BTreeMap<RefusalKind, usize>,
    /// What a reader of the graph must know first.
    pub warnings: Vec<String>,
    /// The truth, if it is known.
    pub truth: Option<Dag>,
    /// Scores, if the truth is known.
    pub scores: Option<Scores>,
}

/// The same rows without a federation.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// All rows in one place.
    pub centralised: RunResult,
    /// Every site alone, in order.
    pub isolated: Vec<RunResult>,
}

impl RunResult {
    /// The edges as names, with their probabilities, likeliest first.
    pub fn edges(&self) -> Vec<(&str, &str, f64)> {
        likeliest_first(&self.schema, &self.outcome.dag, &self.confidence)
    }

    /// The graph with names and edge probabilities.
    pub fn named_graph(&self) -> NamedGraph {
        NamedGraph {
            probability: Some(self.confidence.clone()),
            ..NamedGraph::of(&self.schema, &self.outcome.dag)
        }
    }

    /// Whether some site intervened on something, as far as sites tell.
    pub fn is_oriented(&self) -> bool {
        let told = self.sites.iter().filter_map(|site| site.profile.as_ref());
        let mut told = told.peekable();
        told.peek().is_none() || told.any(|profile| !profile.targets.is_empty())
    }

    /// SHD of the graph after every round, if the truth is known.
    pub fn shd_per_round(&self) -> Option<Vec<usize>> {
        let truth = self.truth.as_ref()?;
        let dags = self.outcome.dags.iter();
        Some(dags.map(|dag| shd(truth, dag)).collect())
    }
}

/// What is known of a site.
#[derive(Clone, Debug)]
pub struct SiteResult {
    /// Its name.
    pub name: String,
    /// How it describes its data, if the plan asks for it.
    pub profile: Option<SiteProfile>,
    /// The graph that it believed in by itself in the last round; it may have cycles. None if it did
    /// not answer.
    pub graph: Option<Digraph>,
    /// Its place among the shares of the outcome.
    pub share: Option<usize>,
    /// SHD of that graph, if the truth is known.
    pub shd: Option<usize>,
}

/// Why a simulation has no result.
#[derive(Debug, thiserror::Error)]
pub enum SimulateError {
    /// The knowledge contradicts itself or the data.
    #[error(transparent)]
    Knowledge(#[from] KnowledgeError),
    /// A setting is out of range.
    #[error(transparent)]
    Params(#[from] ParamsError),
    /// No such rule or method, or a setting of it is not what it should be.
    #[error(transparent)]
    Choice(ChoiceError),
    /// The plan is none.
    #[error(transparent)]
    Plan(PlanError),
    /// A site cannot learn from its data.
    #[error("{client}: {source}")]
    Client {
        /// Name of the site.
        client: String,
        /// Why.
        source: Box<Unfit>,
    },
    /// Settings that the local method refuses.
    #[error(transparent)]
    Local(LearnError),
    /// A round failed.
    #[error(transparent)]
    Study(#[from] StudyError),
    /// A journal in memory.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl SimulateError {
    /// Whether the user has to change something, as opposed to the run failing.
    pub fn is_bad_input(&self) -> bool {
        !matches!(self, Self::Study(_) | Self::Journal(_))
    }
}

impl From<ChoiceError> for SimulateError {
    fn from(error: ChoiceError) -> Self {
        match error {
            ChoiceError::Params(error) => Self::Params(error),
            error => Self::Choice(error),
        }
    }
}

impl From<PlanError> for SimulateError {
    fn from(error: PlanError) -> Self {
        match error {
            PlanError::Knowledge(error) => Self::Knowledge(error),
            PlanError::Params(error) => Self::Params(error),
            PlanError::Choice(error) => error.into(),
            error => Self::Plan(error),
        }
    }
}

impl From<RunError> for SimulateError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Study(error) => Self::Study(error),
            RunError::Journal(error) => Self::Journal(error),
        }
    }
}

impl From<CoordinatorError> for SimulateError {
    fn from(error: CoordinatorError) -> Self {
        match error {
            CoordinatorError::Plan(error) => error.into(),
            CoordinatorError::Journal(error) => Self::Journal(error),
        }
    }
}

impl From<SiteError> for SimulateError {
    fn from(error: SiteError) -> Self {
        match error {
            SiteError::Plan(error) => error.into(),
            SiteError::Journal(error) => Self::Journal(error),
            SiteError::Number { .. } | SiteError::Schema => {
                unreachable!("a simulation makes plan and sites from one study: {error}")
            }
        }
    }
}

/// Who watches a simulation.
#[derive(Default)]
pub struct Watchers<'a> {
    /// Told of every event.
    pub events: Option<&'a mut dyn FnMut(&StudyEvent)>,
    /// One observer per site, told how far its learning is.
    pub clients: Vec<Arc<dyn Observer>>,
    /// Set from outside to stop at the end of the running round.
    pub cancel: Option<&'a AtomicBool>,
    /// Told when a site declines a question, in its own words.
    pub declined: Option<&'a DeclineWatcher<'a>>,
}

impl SimulateSpec {
    /// The sites: the data cut to the rows asked for, and divided if asked for.
    ///
    /// # Errors
    /// [`DivisionError`] if there are fewer than two or the data cannot be divided so.
    pub fn clients_of(&self, study: &Study) -> Result<Study, DivisionError> {
        divide(study, self.clients, &self.split, self.rows, self.seed)
    }

    /// The plan of a study of these sites.
    ///
    /// # Errors
    /// [`SimulateError`] if the settings are no choice of a rule or a method.
    pub fn plan(&self, study: &Study) -> Result<StudyPlan, SimulateError> {
        let complete = self.clone().complete()?;
        let schema = study.schema();
        let name = "simulation".to_owned();
        let planned = |variable: &fedcdi_core::Variable| PlannedVariable {
            name: variable.name.clone(),
            n_categories: (!variable.is_real()).then(|| variable.n_categories()),
        };
        Ok(StudyPlan {
            protocol: VERSION,
            sites: study.clients().iter().map(|c| c.name.clone()).collect(),
            variables: schema.variables().iter().map(planned).collect(),
            schema: schema.fingerprint(&name, &self.secret()),
            name,
            seed: self.seed,
            local: complete.local,
            rule: complete.aggregate.choice(),
            exchange: self.exchange,
            rounds: self.coordinator,
            knowledge: self.knowledge.clone(),
            disclosure: self.disclosure,
        })
    }

    /// What sites of a real study share and the coordinator does not know; here anybody may.
    fn secret(&self) -> [u8; 8] {
        self.seed.to_le_bytes()
    }
}

/// Runs the study of these sites as `spec` asks for. A study of one site is a centralised run of the
/// same loop.
///
/// # Errors
/// [`SimulateError`] if settings, knowledge or data do not allow it, or a round fails.
pub fn simulate(
    study: &Study,
    spec: &SimulateSpec,
    watchers: Watchers<'_>,
) -> Result<RunResult, SimulateError> {
    let local = registry::standard().build(&spec.local)?;
    local.check_for_federation()?;
    let knowledge = spec.knowledge.check(study.schema())?;
    let plan = spec.plan(study)?;
    let rules = rules::standard();
    let store = Box::new(Memory::default());
    let mut coordinator = Coordinator::open(plan.clone(), &rules, store)?;
    let mut sites = Vec::with_capacity(study.clients().len());
    for at in 0..study.clients().len() {
        let observer = watchers.clients.get(at).cloned();
        let data = site_data(study, at, spec, (local.as_ref(), &knowledge, observer))?;
        let store = Box::new(Memory::default());
        sites.push(Site::open(plan.clone(), &rules, data, store)?);
    }
    let outcome = run(&mut coordinator, &mut sites, watchers)?;
    let refusals = coordinator.refusals().clone();
    let mut result = RunResult::new(&plan, study, &knowledge, (outcome, refusals));
    result.warnings.extend(unfinished(&sites));
    Ok(result)
}

impl RunResult {
    fn new(
        plan: &StudyPlan,
        study: &Study,
        knowledge: &Knowledge,
        (outcome, refusals): (Outcome, BTreeMap<RefusalKind, usize>),
    ) -> Self {
        let truth = study.truth();
        let confidence = confidence(&outcome.belief, knowledge);
        let mut result = Self {
            schema: Arc::clone(study.schema()),
            plan: plan.digest(),
            scores: truth.map(|t| Scores::of(t, &outcome.raw, &outcome.dag, &confidence)),
            confidence,
            sites: site_results(plan, &outcome, truth),
            outcome,
            refusals,
            warnings: Vec::new(),
            truth: truth.cloned(),
        };
        if !result.is_oriented() {
            result.warnings.push(UNORIENTED.to_owned());
        }
        result
    }
}

fn site_results(plan: &StudyPlan, outcome: &Outcome, truth: Option<&Dag>) -> Vec<SiteResult> {
    let result = |(at, name): (usize, &String)| {
        let id = ClientId(at as u32 + 1);
        let place = outcome.voices.iter().position(|voice| voice.site == id);
        let graph = place.map(|place| outcome.voices[place].graph.clone());
        let profile = outcome.profiles.get(&id);
        SiteResult {
            name: name.clone(),
            profile: profile.and_then(|bytes| SiteProfile::from_bytes(bytes)),
            share: place.filter(|_| outcome.shares.is_some()),
            shd: truth.and_then(|truth| Some(shd(truth, graph.as_ref()?))),
            graph,
        }
    };
    plan.sites.iter().enumerate().map(result).collect()
}

/// Said where sites ran out of iterations in their last round: they know, and a simulation plays all
/// of them.
fn unfinished(sites: &[Site]) -> Option<String> {
    let n = sites.iter().filter(|site| site.is_unfinished()).count();
    (n > 0).then(|| {
        format!(
            "{n} of {} sites ran out of iterations in their last round before their graph was acyclic; raise iterations_per_round in the settings of the local method",
            sites.len()
        )
    })
}

/// The rounds. If one has too few answers, the error has the failed sites' own words: the coordinator
/// does not know them, but a simulation plays all sites.
fn run(
    coordinator: &mut Coordinator,
    sites: &mut [Site],
    watchers: Watchers<'_>,
) -> Result<Outcome, SimulateError> {
    let said = Mutex::new(BTreeMap::new());
    let declined = |site: ClientId, number: u32, why: &Declined| {
        if let Some(tell) = watchers.declined {
            tell(site, number, why);
        }
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        said.insert((number, site), why.to_string());
    };
    let refused = |site: ClientId, number: u32, why: &Refusal| {
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        said.insert((number, site), why.to_string());
    };
    let carrier = InProcess {
        cancel: watchers.cancel,
        declined: Some(&declined),
        refused: Some(&refused),
        ..InProcess::default()
    };
    let mut events = watchers.events;
    let mut observe = |event: &StudyEvent| {
        if let Some(events) = &mut events {
            events(event);
        }
    };
    let mut outcome = carrier.run(coordinator, sites, &mut observe);
    if let Err(RunError::Study(StudyError::Quorum {
        number, missing, ..
    })) = &mut outcome
    {
        let said = said.into_inner().unwrap_or_else(PoisonError::into_inner);
        for (site, why) in missing {
            if let Some(words) = said.get(&(*number, *site)) {
                why.clone_from(words);
            }
        }
    }
    Ok(outcome?)
}

/// One site with its method.
fn site_data(
    study: &Study,
    at: usize,
    spec: &SimulateSpec,
    (local, knowledge, observer): (&dyn Local, &Knowledge, Option<Arc<dyn Observer>>),
) -> Result<SiteData, SimulateError> {
    let site = &study.clients()[at];
    let refused = |error| match error {
        LearnError::Params(_) | LearnError::Diverged { .. } | LearnError::Cancelled => {
            SimulateError::Local(error)
        }
        error => SimulateError::Client {
            client: site.name.clone(),
            source: Box::new(Unfit::new(&spec.local.name, error, &site.data)),
        },
    };
    let method = local.at(Inputs {
        data: &site.data,
        knowledge,
        seed: Seed::new(spec.seed).derive("client", at),
        observer,
    });
    let profile = if spec.disclosure.profile {
        let profile = || SiteProfile::of(&site.data, spec.disclosure.row_band);
        on_workers(profile).to_bytes()
    } else {
        Vec::new()
    };
    Ok(SiteData {
        id: ClientId(at as u32 + 1),
        schema: study.schema().fingerprint("simulation", &spec.secret()),
        counts: SampleCounts::of(&site.data),
        profile,
        method: method.map_err(refused)?,
    })
}
