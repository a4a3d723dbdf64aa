//! One study of an experiment, whatever its seed: data, sites, and who learns from what.

use fedcdi_core::choice::Params as _;
use fedcdi_core::{Choice, Grafting, Pruning};
use fedcdi_data::TargetSplit;
use fedcdi_learn::dcdi::DcdiParams;
use fedcdi_learn::enco::EncoParams;
use fedcdi_learn::sdi::SdiParams;
use fedcdi_protocol::rules::{Naive, Proximity, Space};
use fedcdi_protocol::{Exchange, Moves, RoundParams};

use super::job::{Arm, Job, cost_alone};
use fedcdi_study::Refine;
use fedcdi_study::data_spec::DataSpec;
use fedcdi_study::preset::Preset;
use fedcdi_study::spec::Spec;

/// What learns from the rows: a method, and the settings of its rounds.
pub(crate) type Learner = (Choice, RoundParams);

pub(crate) fn fedcdi(rounds: u32) -> Learner {
    let rounds = RoundParams {
        rounds: Some(rounds),
        ..RoundParams::default()
    };
    (Spec::default().method, rounds)
}

/// Everything about a job but its seed.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    spec: Spec,
    arm: Arm,
}

/// What sites exchange and how it is combined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rule {
    /// Our default, whatever [`Spec`] has: logits are exchanged and weighted by evidence.
    Evidence,
    /// The paper's first rule: edge probabilities alone, averaged; the last round is the result.
    NaivePsi,
    /// The paper's second rule with this beta: edge probabilities alone, by proximity.
    ProximityPsi(f64),
    NaiveLogits,
    /// Everything as published, the local method too.
    Published,
}

impl Rule {
    fn apply(self, spec: &mut Spec) {
        let space = Space::Psi;
        match self {
            Self::Evidence => (),
            Self::NaivePsi => paper(spec, Choice::of(&Naive { space })),
            Self::ProximityPsi(beta) => {
                let proximity = Proximity {
                    beta,
                    space,
                    ..Proximity::default()
                };
                paper(spec, Choice::of(&proximity));
            }
            Self::NaiveLogits => {
                let space = Space::Logits;
                spec.aggregate = Choice::of(&Naive { space });
            }
            Self::Published => {
                let paper = Preset::Paper.spec();
                let rounds = spec.coordinator.rounds;
                *spec = Spec {
                    clients: spec.clients,
                    split: spec.split.clone(),
                    data: spec.data.take(),
                    ..paper
                };
                spec.coordinator.rounds = rounds;
            }
        }
    }
}

/// All rounds, nothing taken back, and the last round is the result. The local method is ours in
/// every row, so that rules are compared and not methods.
fn paper(spec: &mut Spec, aggregate: Choice) {
    spec.exchange = Exchange::Psi;
    spec.aggregate = aggregate;
    spec.refine = Refine::Never;
    spec.moves = Some(Moves::Ignore);
    spec.coordinator = RoundParams {
        average: 1,
        graph_patience: RoundParams::NEVER,
        pruning: Some(Pruning::Never),
        grafting: Some(Grafting::Never),
        ..spec.coordinator
    };
}

impl Setup {
    /// A study of so many sites, with all of its rows in one place.
    pub(crate) fn new(
        data: DataSpec,
        clients: usize,
        split: TargetSplit,
        (method, coordinator): Learner,
    ) -> Self {
        // A method that is compared with ours answers for itself.
        let (refine, moves) = match method.name.as_str() {
            DcdiParams::NAME | SdiParams::NAME => (Refine::Never, Some(Moves::Ignore)),
            // Written out, so that results from before are not taken for those of today.
            EncoParams::NAME => (Refine::default(), Some(Moves::Use)),
            _ => (Refine::default(), None),
        };
        let spec = Spec {
            clients: Some(clients),
            split,
            data: Some(data),
            refine,
            moves,
            method,
            coordinator,
            ..Spec::default()
        };
        let arm = Arm::Centralised;
        Self { spec, arm }
    }

    /// The same study for others to learn from; sites that learn together go by the rule.
    pub(crate) fn by(&self, arm: Arm, rule: Rule) -> Self {
        let mut spec = self.spec.clone();
        if arm == Arm::Federated {
            rule.apply(&mut spec);
        }
        Self { spec, arm }
    }

    /// Whether a run takes minutes where FedCDI's takes seconds.
    pub(crate) fn is_slow(&self) -> bool {
        cost_alone(&self.spec.method).is_some_and(|seconds| seconds > 10.0)
    }

    /// More repetitions than this are not run, however many are asked for: five show how many
    /// errors a slow baseline makes.
    pub(crate) fn most_seeds(&self) -> u64 {
        if self.is_slow() { 5 } else { u64::MAX }
    }

    /// The job of this seed, with every setting filled in. What has no effect on a job is left at
    /// its default, so that equal runs are equal jobs.
    pub(crate) fn job(&self, seed: u64) -> Job {
        let mut spec = self.spec.clone();
        spec.seed = seed;
        if self.arm == Arm::Centralised {
            spec.clients = Some(1);
            spec.split = TargetSplit::default();
        }
        Job::new(spec, self.arm)
    }
}
