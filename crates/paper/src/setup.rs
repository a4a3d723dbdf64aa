//! One study of an experiment, whatever its seed: data, clients, and who learns from what.

use fedcdi_core::{Choice, Grafting, Pruning};
use fedcdi_data::TargetSplit;
use fedcdi_protocol::rules::{Naive, Proximity, Space};
use fedcdi_protocol::{Exchange, RoundParams};

use super::job::{Arm, Job};
use fedcdi_study::data_spec::DataSpec;
use fedcdi_study::preset::Preset;
use fedcdi_study::spec::{RuleSpec, Spec};

/// Everything about a job but its seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// All rows of the study, before they are divided.
    pub data: DataSpec,
    /// Over how many clients the rows are divided.
    pub clients: usize,
    /// Who gets which interventional rows.
    pub split: TargetSplit,
    /// What learns.
    pub method: Method,
    /// Who learns.
    pub way: Way,
}

/// What learns from the rows.
#[derive(Clone, Debug, PartialEq)]
pub enum Method {
    /// FedCDI.
    FedCdi {
        /// What every client runs.
        local: Choice,
        /// Most rounds.
        rounds: u32,
    },
    /// A rival, in its own federated form or by vote where sites learn together.
    Rival(Choice),
    /// A local method by its own schedule, always with all rows in one place.
    Alone(Choice, RoundParams),
}

impl Method {
    /// FedCDI with its default local method.
    pub fn fedcdi(rounds: u32) -> Self {
        Self::FedCdi {
            local: Spec::default().method,
            rounds,
        }
    }
}

/// Seconds for a study of 20 variables from which a baseline is slow.
const SLOW: f64 = 10.0;

/// Who learns from the rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Way {
    /// The clients together; the rule is FedCDI's.
    Federated(Rule),
    /// One place that has all rows.
    Centralised,
    /// One client, from 0, from its own rows alone.
    Isolated(usize),
}

/// What clients exchange and how it is combined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// Our default: logits are exchanged and weighted by evidence.
    Evidence,
    /// The paper's first rule: edge probabilities alone, averaged; the last round is the result.
    NaivePsi,
    /// The paper's second rule with this beta: edge probabilities alone, by proximity.
    ProximityPsi(f64),
    /// Logits are exchanged and averaged.
    NaiveLogits,
    /// Everything as published, the local method too.
    Published,
}

impl Rule {
    /// Our default goes by whatever [`Spec`] has as its default.
    fn apply(self, spec: &mut Spec) {
        let space = Space::Psi;
        match self {
            Self::Evidence => (),
            Self::NaivePsi => paper(spec, RuleSpec::of(&Naive { space })),
            Self::ProximityPsi(beta) => {
                let proximity = Proximity {
                    beta,
                    space,
                    ..Proximity::default()
                };
                paper(spec, RuleSpec::of(&proximity));
            }
            Self::NaiveLogits => {
                let space = Space::Logits;
                spec.aggregate = RuleSpec::of(&Naive { space });
            }
            Self::Published => published(spec),
        }
    }
}

/// Every choice of the paper, for as many rounds as were asked for.
fn published(spec: &mut Spec) {
    let paper = Preset::Paper.spec();
    spec.exchange = paper.exchange;
    spec.aggregate = paper.aggregate;
    spec.disclosure = paper.disclosure;
    spec.method = paper.method;
    spec.coordinator = RoundParams {
        rounds: spec.coordinator.rounds,
        ..paper.coordinator
    };
}

/// All rounds, nothing taken back, and the last round is the result. The local method is ours in
/// every row, so that rules are compared and not methods.
fn paper(spec: &mut Spec, aggregate: RuleSpec) {
    spec.exchange = Exchange::Psi;
    spec.aggregate = aggregate;
    spec.coordinator = RoundParams {
        average: 1,
        graph_patience: spec.coordinator.rounds.saturating_add(1),
        pruning: Pruning::Never,
        grafting: Grafting::Never,
        ..spec.coordinator
    };
}

impl Setup {
    /// The same study for others to learn from.
    #[must_use]
    pub fn by(&self, way: Way) -> Self {
        Self {
            way,
            ..self.clone()
        }
    }

    /// Whether a run takes minutes where FedCDI's takes seconds.
    pub fn is_slow(&self) -> bool {
        match &self.method {
            Method::FedCdi { .. } => false,
            Method::Rival(choice) => rival_cost(choice) > SLOW,
            Method::Alone(..) => true,
        }
    }

    /// More repetitions than this are not run, however many are asked for: five show how many
    /// errors a slow baseline makes.
    pub fn most_seeds(&self) -> u64 {
        if self.is_slow() { 5 } else { u64::MAX }
    }

    /// The job of this seed, with every setting filled in. What has no effect on a job is left at
    /// its default, so that equal runs are equal jobs.
    pub fn job(&self, seed: u64) -> Job {
        let arm = match (&self.method, self.way) {
            (Method::Alone(..), _) | (_, Way::Centralised) => Arm::Centralised,
            (_, Way::Federated(_)) => Arm::Federated,
            (_, Way::Isolated(client)) => Arm::Isolated(client),
        };
        let (clients, split) = match arm {
            Arm::Centralised => (1, TargetSplit::default()),
            Arm::Federated | Arm::Isolated(_) => (self.clients, self.split.clone()),
        };
        let mut spec = Spec {
            seed,
            clients: Some(clients),
            split,
            data: Some(self.data.clone()),
            ..Spec::default()
        };
        match &self.method {
            Method::FedCdi { local, rounds } => {
                spec.method = local.clone();
                spec.coordinator.rounds = *rounds;
                if let Way::Federated(rule) = self.way {
                    rule.apply(&mut spec);
                }
            }
            Method::Rival(method) => spec.method = method.clone(),
            Method::Alone(method, rounds) => {
                spec.method = method.clone();
                spec.coordinator = *rounds;
            }
        }
        Job::new(spec, arm)
    }
}

/// Rough seconds of a rival for a study of 20 variables.
pub(super) fn rival_cost(choice: &Choice) -> f64 {
    let rival = fedcdi_rivals::standard().build(choice);
    rival.map_or(0.0, |rival| rival.cost())
}
