//! One study of an experiment, whatever its seed: data, clients, and who learns from what.

use fedcdi_core::{Exchange, Grafting, Pruning};
use fedcdi_data::TargetSplit;
use fedcdi_federation::CoordinatorParams;
use fedcdi_learn::aggregate::{AggregatorParams, NaiveParams, ProximityParams, Space};

use super::job::{Arm, Job};
use crate::data_spec::DataSpec;
use crate::spec::{MethodSpec, SimulateSpec};

/// Everything about a job but its seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// All rows of the study, before they are divided.
    pub data: DataSpec,
    /// Over how many clients the rows are divided.
    pub clients: usize,
    /// Who gets which interventional rows.
    pub split: TargetSplit,
    /// Most rounds.
    pub rounds: u32,
    /// What every client runs.
    pub local: MethodSpec,
    /// Who learns.
    pub way: Way,
}

/// Who learns from the rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Way {
    /// The clients together.
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
}

impl Rule {
    /// Our default goes by whatever [`SimulateSpec`] has as its default.
    fn apply(self, spec: &mut SimulateSpec) {
        let space = Space::Psi;
        match self {
            Self::Evidence => (),
            Self::NaivePsi => paper(spec, AggregatorParams::Naive(NaiveParams { space })),
            Self::ProximityPsi(beta) => {
                let proximity = ProximityParams {
                    beta,
                    space,
                    ..ProximityParams::default()
                };
                paper(spec, AggregatorParams::Proximity(proximity));
            }
            Self::NaiveLogits => {
                let space = Space::Logits;
                spec.aggregate = AggregatorParams::Naive(NaiveParams { space });
            }
        }
    }
}

/// All rounds, nothing taken back, and the last round is the result. The local method is ours in
/// every row, so that rules are compared and not methods.
fn paper(spec: &mut SimulateSpec, aggregate: AggregatorParams) {
    spec.exchange = Exchange::Psi;
    spec.aggregate = aggregate;
    spec.coordinator = CoordinatorParams {
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

    /// The job of this seed, with every setting filled in. What has no effect on a job is left at
    /// its default, so that equal runs are equal jobs.
    pub fn job(&self, seed: u64) -> Job {
        let mut spec = SimulateSpec {
            seed,
            data: self.data.clone(),
            local: self.local.clone(),
            coordinator: CoordinatorParams {
                rounds: self.rounds,
                ..CoordinatorParams::default()
            },
            ..SimulateSpec::default()
        };
        let divided = |spec: SimulateSpec| SimulateSpec {
            clients: Some(self.clients),
            split: self.split.clone(),
            ..spec
        };
        match self.way {
            Way::Federated(rule) => {
                rule.apply(&mut spec);
                Job::new(divided(spec), Arm::Federated)
            }
            Way::Centralised => Job::new(spec.alone(), Arm::Centralised),
            Way::Isolated(client) => Job::new(divided(spec).alone(), Arm::Isolated(client)),
        }
    }
}
