//! Several clients to one graph, on one machine.
//!
//! Paper: FedCDI Algorithm 1. The clients run as they would at their sites; what passes between
//! them and the coordinator is a [`ClientReport`] and a belief.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use fedcdi_core::graph::{confidence, extract, shd};
use fedcdi_core::{
    Belief, ClientId, ClientReport, Dag, Exchange, Knowledge, KnowledgeError, LocalMethodError,
    ParamsError, Round, SampleCounts, Seed, SharedBelief, Shares,
};
use fedcdi_data::{NamedGraph, Study};
use fedcdi_federation::{
    Client, Coordinator, CoordinatorParams, FailureWatcher, FederationError, InProcess, Outcome,
    RoundEvent,
};
use fedcdi_learn::{LearnError, Observer};
use ndarray::Array2;

use crate::discover::likeliest_first;
use crate::division::{DivisionError, divide};
use crate::local::Site;
use crate::recorded::{LastAnswer, Recorded, read};
use crate::registry::Unfit;
use crate::score::Scores;
use crate::spec::SimulateSpec;

/// What a simulated federation came to.
#[derive(Clone, Debug)]
pub struct Simulated {
    /// The clients' data as they used it, and the truth if it is known.
    pub study: Study,
    /// Belief, graph and rounds.
    pub outcome: Outcome,
    /// Probability of every edge given that there is no cycle, `[cause, effect]`.
    pub confidence: Array2<f64>,
    /// One entry per client, in order.
    pub clients: Vec<ClientResult>,
    /// How much each client counted in the last aggregate, if the aggregator can tell.
    pub shares: Option<Shares>,
    /// Scores, if the truth is known.
    pub scores: Option<Scores>,
}

/// The same rows without a federation.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// All rows in one place.
    pub centralised: Simulated,
    /// Every client alone, in order.
    pub isolated: Vec<Simulated>,
}

impl Simulated {
    /// The edges as names, with their probabilities, likeliest first.
    pub fn edges(&self) -> Vec<(&str, &str, f64)> {
        likeliest_first(self.study.schema(), &self.outcome.dag, &self.confidence)
    }

    /// The graph with names and edge probabilities.
    pub fn named_graph(&self) -> NamedGraph {
        NamedGraph {
            probability: Some(self.confidence.clone()),
            ..NamedGraph::of(self.study.schema(), &self.outcome.dag)
        }
    }

    /// Said where clients ran out of iterations in their last round.
    pub fn unfinished(&self) -> Option<String> {
        let n = self.clients.iter().filter(|c| c.unfinished).count();
        (n > 0).then(|| {
            format!(
                "{n} of {} clients ran out of iterations in their last round before their graph was acyclic; raise iterations_per_round in the settings of the local method",
                self.clients.len()
            )
        })
    }

    /// SHD of the graph after every round, if the truth is known.
    pub fn shd_per_round(&self) -> Option<Vec<usize>> {
        let truth = self.study.truth()?;
        Some(
            self.outcome
                .dags
                .iter()
                .map(|dag| shd(truth, dag))
                .collect(),
        )
    }
}

/// A client's own last word.
#[derive(Clone, Debug)]
pub struct ClientResult {
    /// Name of the site.
    pub name: String,
    /// The belief of its last round, of which it sent what the exchange asks for.
    pub belief: Option<Belief>,
    /// Whether its last round ran out of iterations; the client knows, and does not report it.
    pub unfinished: bool,
    /// SHD of the graph of that belief, if the truth is known.
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
    /// A client cannot learn from its data.
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
    Federation(#[from] FederationError),
}

impl SimulateError {
    /// Whether the user has to change something, as opposed to the run failing.
    pub fn is_bad_input(&self) -> bool {
        !matches!(self, Self::Federation(_))
    }
}

/// Who watches a simulation.
#[derive(Default)]
pub struct Watchers<'a> {
    /// Told of every event.
    pub events: Option<&'a mut dyn FnMut(&RoundEvent)>,
    /// One observer per client, told how far its learning is.
    pub clients: Vec<Arc<dyn Observer>>,
    /// Set from outside to stop at the end of the running round.
    pub cancel: Option<&'a AtomicBool>,
    /// Told when a client has no posterior, in its own words.
    pub failed: Option<&'a FailureWatcher<'a>>,
}

impl SimulateSpec {
    /// The clients: the data cut to the rows asked for, and divided if asked for.
    ///
    /// # Errors
    /// [`DivisionError`] if there are fewer than two or the data cannot be divided so.
    pub fn clients_of(&self, study: &Study) -> Result<Study, DivisionError> {
        divide(study, self.clients, &self.split, self.rows, self.seed)
    }
}

/// Runs the federation of `study`'s clients as `spec` asks for. A study of one client is a
/// centralised run of the same loop.
///
/// # Errors
/// [`SimulateError`] if settings, knowledge or data do not allow it, or a round fails.
pub fn simulate(
    study: &Study,
    spec: &SimulateSpec,
    watchers: Watchers<'_>,
) -> Result<Simulated, SimulateError> {
    spec.local.check_for_federation()?;
    let knowledge = spec.knowledge.check(study.schema())?;
    let last: Vec<LastAnswer> = study
        .clients()
        .iter()
        .map(|_| LastAnswer::default())
        .collect();
    let mut clients = Vec::with_capacity(last.len());
    for (at, last) in last.iter().enumerate() {
        let observer = watchers.clients.get(at).cloned();
        clients.push(client(study, at, spec, &knowledge, (last, observer))?);
    }
    let parties = fedcdi_federation::Study {
        clients: clients.iter().map(|c| c.id).collect(),
        schema: study.schema().hash(),
        knowledge: knowledge.clone(),
    };
    let coordinator = spec.coordinator.check(parties, spec.aggregate.check()?)?;
    let Played { outcome, accepted } = run(&coordinator, &mut clients, watchers)?;
    let truth = study.truth();
    let confidence = confidence(&outcome.belief, &knowledge);
    Ok(Simulated {
        scores: truth.map(|truth| Scores::of(truth, &outcome.belief, &outcome.dag, &confidence)),
        confidence,
        shares: shares(spec, clients.iter().zip(&last), &accepted)?,
        clients: client_results(study, &last, &knowledge),
        study: study.clone(),
        outcome,
    })
}

/// What the rounds came to.
struct Played {
    outcome: Outcome,
    /// Whose report was taken last, and in which round.
    accepted: BTreeMap<ClientId, Round>,
}

/// The rounds. If one has too few reports, the error has the failed clients' own words: the
/// coordinator does not know them, but a simulation plays all sites.
fn run(
    coordinator: &Coordinator,
    clients: &mut [Client],
    watchers: Watchers<'_>,
) -> Result<Played, FederationError> {
    let said = Mutex::new(BTreeMap::new());
    let failed = |client: ClientId, round: Round, error: &LocalMethodError| {
        if let Some(tell) = watchers.failed {
            tell(client, round, error);
        }
        let mut said = said.lock().expect("no holder of the lock can panic");
        said.insert(client, (round, error.to_string()));
    };
    let transport = InProcess {
        cancel: watchers.cancel,
        failed: Some(&failed),
        ..InProcess::default()
    };
    let mut accepted = BTreeMap::new();
    let mut events = watchers.events;
    let mut observe = |event: &RoundEvent| {
        if let RoundEvent::ReportAccepted { round, client, .. } = event {
            accepted.insert(*client, *round);
        }
        if let Some(events) = &mut events {
            events(event);
        }
    };
    let mut outcome = transport.run(coordinator, clients, &mut observe);
    if let Err(FederationError::Quorum { round, missing, .. }) = &mut outcome {
        let said = said.into_inner().expect("no holder of the lock can panic");
        let of_that_round = said.into_iter().filter(|(_, (at, _))| at == round);
        missing.extend(of_that_round.map(|(client, (_, words))| (client, words)));
    }
    let outcome = outcome?;
    Ok(Played { outcome, accepted })
}

/// One client with its method, recorded.
fn client(
    study: &Study,
    at: usize,
    spec: &SimulateSpec,
    knowledge: &Knowledge,
    (last, observer): (&LastAnswer, Option<Arc<dyn Observer>>),
) -> Result<Client, SimulateError> {
    let site = &study.clients()[at];
    let refused = |error| match error {
        LearnError::Params(_) | LearnError::Diverged { .. } | LearnError::Cancelled => {
            SimulateError::Local(error)
        }
        error => SimulateError::Client {
            client: site.name.clone(),
            source: Box::new(Unfit::new(spec.local.name(), error, &site.data)),
        },
    };
    let method = spec.local.at(Site {
        data: &site.data,
        knowledge,
        seed: Seed::new(spec.seed).derive("client", at),
        observer,
    });
    Ok(Client {
        id: ClientId(at as u32 + 1),
        schema: study.schema().hash(),
        samples: SampleCounts::of(&site.data),
        exchange: spec.exchange,
        tested: spec.coordinator.tested(),
        method: Box::new(Recorded {
            method: method.map_err(refused)?,
            last: Arc::clone(last),
        }),
    })
}

/// How much the clients whose report was accepted counted in the last round.
fn shares<'a>(
    spec: &SimulateSpec,
    clients: impl Iterator<Item = (&'a Client, &'a LastAnswer)>,
    accepted: &BTreeMap<ClientId, Round>,
) -> Result<Option<Shares>, SimulateError> {
    let Some(&round) = accepted.values().max() else {
        return Ok(None);
    };
    let mut prior = None;
    let mut reports = Vec::new();
    for (client, last) in clients.filter(|(client, _)| accepted.get(&client.id) == Some(&round)) {
        let Some(answer) = read(last) else {
            continue;
        };
        reports.push(ClientReport {
            client: client.id,
            round,
            schema: client.schema,
            belief: match client.exchange {
                Exchange::Psi => SharedBelief::Psi(answer.posterior.psi()),
                Exchange::Logits => SharedBelief::Logits(answer.posterior),
            },
            samples: client.samples.clone(),
            tests: Vec::new(),
        });
        prior = Some(answer.prior);
    }
    let Some(prior) = prior else {
        return Ok(None);
    };
    let shares = spec.aggregate.check()?.shares(&prior, &reports);
    let failed = |source| FederationError::Aggregate { round, source };
    Ok(shares.map_err(failed)?)
}

fn client_results(study: &Study, last: &[LastAnswer], knowledge: &Knowledge) -> Vec<ClientResult> {
    let sites = study.clients().iter().zip(last);
    let result = |(site, last): (&fedcdi_data::study::Client, &LastAnswer)| {
        let answer = read(last);
        let unfinished = answer.as_ref().is_some_and(|answer| answer.unfinished);
        let belief = answer.map(|answer| answer.posterior);
        let own_shd = |truth: &Dag| {
            let dag = extract::dag(belief.as_ref()?, knowledge);
            Some(shd(truth, &dag))
        };
        ClientResult {
            name: site.name.clone(),
            shd: study.truth().and_then(own_shd),
            unfinished,
            belief,
        }
    };
    sites.map(result).collect()
}

impl SimulateSpec {
    /// Settings for one client alone, or for all rows in one place: the same rounds, and nobody to
    /// agree with.
    #[must_use]
    pub fn alone(&self) -> Self {
        Self {
            coordinator: CoordinatorParams {
                quorum: 1.0,
                ..self.coordinator
            },
            ..self.clone()
        }
    }
}
