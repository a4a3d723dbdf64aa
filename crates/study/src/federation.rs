//! A run by FedCDI: the sites of a study and their coordinator, on one machine.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use fedcdi_core::graph::{GraphScores, ProbabilityScores, shd};
use fedcdi_core::{
    Choice, ClientId, Dag, Dataset, Grafting, LocalMethod, ParamsError, Pruning, RoundParams,
    SampleCounts, Schema, Seed, Variable,
};
use fedcdi_data::Study;
use fedcdi_learn::Observer;
use fedcdi_learn::registry::Inputs;
use fedcdi_learn::score::rows;
use fedcdi_learn::sufficiency::moves;
use fedcdi_protocol::coordinator::{Refusal, RefusalKind};
use fedcdi_protocol::store::Nowhere;
use fedcdi_protocol::{
    CarrierError, Coordinator, Declined, InProcess, Moves, Outcome, PlannedVariable, ScorePlan,
    Site, SiteData, Start, StopReason, StudyError, StudyEvent, StudyPlan, VERSION,
};

use crate::catalogue::{Catalogue, Method};
use crate::certainty::{Separated, settled};
use crate::identified::{Identified, identified};
use crate::next::NextExperiment;
use crate::profile::SiteProfile;
use crate::refine::Refine;
use crate::result::{BeliefFound, Found, RunResult, Scores, SiteResult, Stop};
use crate::run::{RunError, Watchers, on_workers};
use crate::spec::Spec;

/// Shown where nothing was intervened on.
pub const UNORIENTED: &str = "there are no interventional rows, so most directions stay open: cause and effect can only be told apart where an effect has several causes; add rows with interventions, or give tiers as knowledge";

const NAME: &str = "simulation";

/// What the sites of a study share, and the coordinator need not know.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    pub(crate) schema: Arc<Schema>,
    /// Keeps labels from being guessed from the plan's fingerprint.
    pub(crate) secret: Vec<u8>,
}

impl Spec {
    /// The plan of a study of these sites.
    pub(crate) fn plan(
        &self,
        name: &str,
        sites: Vec<String>,
        shared: &Shared,
        catalogue: &Catalogue,
    ) -> Result<StudyPlan, RunError> {
        let complete = self.clone().complete(catalogue)?;
        let (local, score) = complete.run_at_sites(catalogue)?;
        let refines = score.is_some_and(|score| score.start == Start::Belief);
        let (pruning, grafting) = match score {
            Some(score) if score.start == Start::Nothing => (Pruning::Never, Grafting::Never),
            _ => self.coordinator.tests(refines),
        };
        let planned = |variable: &Variable| PlannedVariable {
            name: variable.name.clone(),
            n_categories: (!variable.is_real()).then(|| variable.n_categories()),
        };
        Ok(StudyPlan {
            protocol: VERSION,
            sites,
            variables: shared.schema.variables().iter().map(planned).collect(),
            schema: shared.schema.fingerprint(name, &shared.secret),
            name: name.to_owned(),
            seed: self.seed,
            local,
            rule: complete.aggregate,
            exchange: self.exchange,
            rounds: RoundParams {
                rounds: Some(self.coordinator.most_rounds(refines)),
                pruning: Some(pruning),
                grafting: Some(grafting),
                ..self.coordinator
            },
            knowledge: self.knowledge.clone(),
            disclosure: self.disclosure,
            score,
            moves: self.moves(),
        })
    }

    /// What sites run in rounds, and the search that follows them or takes their place.
    fn run_at_sites(&self, catalogue: &Catalogue) -> Result<(Choice, Option<ScorePlan>), RunError> {
        let plan = |start, search| ScorePlan { start, search };
        if let Method::Score(search) = catalogue.methods.build(&self.method)? {
            let name = Choice::named(&self.method.name);
            return Ok((name, Some(plan(Start::Nothing, search))));
        }
        let score = self.refine.search().map(|s| plan(Start::Belief, s));
        Ok((self.method.clone(), score))
    }

    /// The settings that a plan fixes.
    pub(crate) fn of_plan(plan: &StudyPlan) -> Self {
        let without_rounds = plan.score.filter(|_| !plan.has_rounds());
        if let Some(score) = without_rounds {
            return Self {
                seed: plan.seed,
                method: Choice::of(&score.search),
                coordinator: RoundParams {
                    quorum: plan.rounds.quorum,
                    ..RoundParams::default()
                },
                knowledge: plan.knowledge.clone(),
                disclosure: plan.disclosure,
                moves: Some(plan.moves),
                ..Self::default()
            };
        }
        Self {
            seed: plan.seed,
            method: plan.local.clone(),
            aggregate: plan.rule.clone(),
            exchange: plan.exchange,
            coordinator: plan.rounds,
            refine: plan
                .score
                .map_or(Refine::Never, |score| Refine::By(score.search)),
            knowledge: plan.knowledge.clone(),
            disclosure: plan.disclosure,
            moves: Some(plan.moves),
            ..Self::default()
        }
    }
}

impl Catalogue {
    pub(crate) fn federate(
        &self,
        study: &Study,
        spec: &Spec,
        watchers: Watchers<'_>,
    ) -> Result<RunResult, RunError> {
        spec.knowledge.check(study.schema())?;
        let shared = Shared {
            schema: Arc::clone(study.schema()),
            // Sites on one machine have nothing to hide from their coordinator.
            secret: spec.seed.to_le_bytes().to_vec(),
        };
        let names = study.clients().iter().map(|c| c.name.clone());
        let plan = spec.plan(NAME, names.collect(), &shared, self)?;
        let store = || Box::new(Nowhere);
        let mut coordinator = Coordinator::open(plan.clone(), &self.rules, store())?;
        let mut sites = Vec::with_capacity(study.clients().len());
        for (at, client) in study.clients().iter().enumerate() {
            let observer = watchers.clients.get(at).cloned();
            let data = self.enrol(&plan, &shared, (at, &client.data), observer)?;
            sites.push(Site::open(plan.clone(), &self.rules, data, store())?);
        }
        let (outcome, said) = rounds(&mut coordinator, &mut sites, watchers);
        let outcome = outcome.map_err(|error| in_own_words(error, &said, spec, sites.len()))?;
        if outcome.is_nothing() {
            return Err(RunError::Cancelled);
        }
        let refusals = coordinator.refusals().clone();
        let mut result = result(&plan, outcome, refusals, &shared.schema, study.truth())?;
        result.warnings.extend(unfinished(&sites));
        let only = match &sites[..] {
            [only] => only.method(),
            _ => None,
        };
        if let (Found::Belief(found), Some(method)) = (&mut result.found, only) {
            found.confounded = method.confounders();
            if method.is_unfinished() && result.stop != Stop::Cancelled {
                result.stop = Stop::IterationLimit;
            }
        }
        Ok(result)
    }

    /// What a site brings to the study of a plan: its place in the plan's list, and its rows.
    pub(crate) fn enrol(
        &self,
        plan: &StudyPlan,
        shared: &Shared,
        (at, data): (usize, &Dataset),
        observer: Option<Arc<dyn Observer>>,
    ) -> Result<SiteData, RunError> {
        let method = if plan.has_rounds() {
            Some(self.local(plan, shared, (at, data), observer)?)
        } else {
            None
        };
        let profile = || SiteProfile::of(data, plan.disclosure.row_band);
        let profile = plan.disclosure.profile.then(|| on_workers(profile));
        Ok(SiteData {
            id: ClientId(at as u32 + 1),
            schema: shared.schema.fingerprint(&plan.name, &shared.secret),
            counts: SampleCounts::of(data),
            profile: profile.map_or_else(Vec::new, |profile| profile.to_bytes()),
            method,
            rows: plan.score.map(|_| rows(data)),
            moves: (plan.moves == Moves::Use).then(|| on_workers(|| moves(data))),
        })
    }

    /// What a site runs in rounds.
    fn local(
        &self,
        plan: &StudyPlan,
        shared: &Shared,
        (at, data): (usize, &Dataset),
        observer: Option<Arc<dyn Observer>>,
    ) -> Result<Box<dyn LocalMethod>, RunError> {
        let Method::Local(local) = self.methods.build(&plan.local)? else {
            return Err(only_local(&plan.local.name).into());
        };
        let alone = plan.sites.len() == 1;
        let knowledge = plan.knowledge.check(&shared.schema)?;
        let method = local.at(Inputs {
            data,
            knowledge: &knowledge,
            seed: Seed::new(plan.seed).derive("client", at),
            alone,
            observer,
        });
        let name = (!alone).then(|| plan.sites[at].as_str());
        let refused = |error| self.refused_at(name, &plan.local.name, data, error);
        method.map_err(refused)
    }
}

/// A rival in the place of a method that sites run.
pub(crate) fn only_local(method: &str) -> ParamsError {
    let need = "a method of FedCDI: enco, sdi, dcdi or score".to_owned();
    let (field, value) = ("method", method.to_owned());
    ParamsError { field, value, need }
}

/// What a study came to.
pub(crate) fn result(
    plan: &StudyPlan,
    outcome: Outcome,
    refusals: BTreeMap<RefusalKind, usize>,
    schema: &Arc<Schema>,
    truth: Option<&Dag>,
) -> Result<RunResult, RunError> {
    let beforehand = plan.knowledge.check(schema)?;
    let knowledge = outcome.knowledge(&beforehand);
    let moved = outcome.moved.as_ref();
    let ruled_out = moved.map_or_else(Vec::new, |moved| moved.ruled_out(&beforehand));
    let sites = site_results(plan, &outcome, truth);
    let separated = Separated::of(&outcome, &sites);
    let settled = settled(&outcome, &knowledge, &separated);
    let (known, next) = if separated.is_known() {
        let known = identified(&settled, &knowledge, &separated, &sites, schema);
        let cannot = &plan.knowledge.cannot_set;
        let next = NextExperiment::of(
            &settled, &knowledge, &separated, &outcome, &sites, schema, cannot,
        );
        (known, next)
    } else {
        (Identified::new(), None)
    };
    let (dag, confidence) = (settled.dag, settled.posterior.edges().clone());
    let scores = truth.map(|truth| Scores {
        graph: GraphScores::of(truth, &dag),
        shd_raw: Some(shd(truth, &outcome.raw)),
        shd_class: None,
        probabilities: Some(ProbabilityScores::of(truth, &confidence)),
    });
    let mut result = RunResult {
        method: plan.local.name.clone(),
        schema: Arc::clone(schema),
        dag,
        class: Some(settled.class),
        stop: stop(plan, outcome.stop),
        sites,
        warnings: of_search(plan, &outcome),
        truth: truth.cloned(),
        scores,
        found: Found::Belief(Box::new(BeliefFound {
            study: Some(plan.name.clone()).filter(|name| name != NAME),
            plan: plan.digest(),
            outcome,
            confidence,
            known,
            next,
            refusals,
            ruled_out,
            confounded: Vec::new(),
        })),
    };
    if !result.is_oriented() {
        result.warnings.push(UNORIENTED.to_owned());
    }
    Ok(result)
}

/// Why a study ended; one without rounds has only its search.
fn stop(plan: &StudyPlan, reason: StopReason) -> Stop {
    match reason {
        StopReason::Converged if !plan.has_rounds() => Stop::Settled,
        StopReason::RoundLimit if !plan.has_rounds() => Stop::QuestionLimit,
        reason => reason.into(),
    }
}

/// What a reader must know of the search.
fn of_search(plan: &StudyPlan, outcome: &Outcome) -> Vec<String> {
    let Some(scored) = &outcome.scored else {
        let is_missing = plan.score.is_some() && outcome.stop != StopReason::Cancelled;
        let refused = "the graph is that of the rounds, not refined by scores: half of the sites or more do not allow sums over their rows";
        return is_missing.then(|| refused.to_owned()).into_iter().collect();
    };
    let (n_sites, all) = (scored.n_sites, plan.sites.len());
    let lost = (n_sites < all).then(|| {
        format!("the scores are over the rows of {n_sites} of {all} sites; the others did not answer every question about sums")
    });
    let cut = !scored.has_ended && outcome.stop != StopReason::Cancelled;
    let cut = cut.then(|| {
        format!("the search by scores ended after {} questions, as many as its settings allow, and before the score stopped growing; raise questions", scored.n_questions)
    });
    lost.into_iter().chain(cut).collect()
}

fn site_results(plan: &StudyPlan, outcome: &Outcome, truth: Option<&Dag>) -> Vec<SiteResult> {
    let result = |(at, name): (usize, &String)| {
        let id = ClientId(at as u32 + 1);
        let place = outcome.voices.iter().position(|voice| voice.site == id);
        let graph = place.map(|place| &outcome.voices[place].graph);
        let profile = outcome.profiles.get(&id);
        SiteResult {
            name: name.clone(),
            profile: profile.and_then(|bytes| SiteProfile::from_bytes(bytes)),
            share: place.filter(|_| outcome.shares.is_some()),
            shd: truth.and_then(|truth| Some(shd(truth, graph?))),
        }
    };
    plan.sites.iter().enumerate().map(result).collect()
}

/// Shown where sites ran out of iterations in their last round: they know, and a run on one machine plays
/// all of them.
fn unfinished(sites: &[Site]) -> Option<String> {
    let methods = sites.iter().filter_map(Site::method);
    let unfinished = methods.filter(|method| method.is_unfinished());
    match (unfinished.count(), sites.len()) {
        (0, _) => None,
        (_, 1) => Some("the method ran out of iterations before its graph was acyclic: edges on cycles are removed by weight; raise max_iterations in its settings".to_owned()),
        (n, all) => Some(format!(
            "{n} of {all} sites ran out of iterations in their last round before their graph was acyclic; raise iterations_per_round in the settings of the local method",
        )),
    }
}

/// What sites said of questions that they have no answer to.
type Said = BTreeMap<(u32, ClientId), String>;

fn rounds(
    coordinator: &mut Coordinator,
    sites: &mut [Site],
    watchers: Watchers<'_>,
) -> (Result<Outcome, CarrierError>, Said) {
    let said = Mutex::new(Said::new());
    let note = |site: ClientId, number: u32, why: String| {
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        said.insert((number, site), why);
    };
    let declined = |site: ClientId, number: u32, why: &Declined| {
        if let Some(report) = watchers.declined {
            report(site, number, why);
        }
        note(site, number, why.to_string());
    };
    let refused = |site, number, why: &Refusal| note(site, number, why.to_string());
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
    let outcome = carrier.run(coordinator, sites, &mut observe);
    let said = said.into_inner().unwrap_or_else(PoisonError::into_inner);
    (outcome, said)
}

/// If a round has too few answers, the error has the failed sites' own words: the coordinator does not
/// know them, but a run on one machine plays all sites. On one table it is the failure of the method.
fn in_own_words(mut error: CarrierError, said: &Said, spec: &Spec, n_sites: usize) -> RunError {
    if let CarrierError::Study(StudyError::Quorum {
        number, missing, ..
    }) = &mut error
    {
        for (site, why) in missing.iter_mut() {
            if let Some(words) = said.get(&(*number, *site)) {
                why.clone_from(words);
            }
        }
        if n_sites == 1 {
            let why = missing.values().map(String::as_str).collect();
            return RunError::Failed(spec.method.name.clone(), why);
        }
    }
    error.into()
}

#[cfg(test)]
mod tests {
    use fedcdi_core::{Choice, Grafting, Pruning, RoundParams};
    use fedcdi_data::read::TableOptions;
    use fedcdi_learn::dcdi::DcdiParams;

    use super::*;
    use crate::{DataSpec, GeneratedData, run};

    #[test]
    fn dcdi_on_one_table_learns_in_its_first_round_alone() {
        let data = DataSpec::Generated(GeneratedData {
            vars: 6,
            categories: 2,
            obs: 60,
            int: 30,
            ..GeneratedData::default()
        });
        let spec = Spec {
            clients: Some(1),
            method: Choice::of(&DcdiParams {
                max_iterations: 40,
                hidden: vec![4],
                ..DcdiParams::default()
            }),
            coordinator: RoundParams {
                pruning: Some(Pruning::Never),
                grafting: Some(Grafting::Never),
                ..RoundParams::default()
            },
            ..Spec::default()
        };
        let study = data.load(&TableOptions::default(), Seed::new(1)).unwrap();
        let found = run(&study, &spec, Watchers::default()).unwrap();
        let changes: Vec<f64> = found.rounds().iter().map(|r| r.belief_change).collect();
        assert!(changes[0] > 0.0, "{changes:?}");
        assert!(changes[1..].iter().all(|c| *c < 1e-6), "{changes:?}");
        assert_eq!(found.stop, Stop::IterationLimit);
    }
}
