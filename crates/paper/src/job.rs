//! One run: what it is, what it is likely to cost, and running it.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use fedcdi_core::Seed;
use fedcdi_data::Study;
use fedcdi_data::networks::Builtin;
use fedcdi_data::read::TableOptions;
use fedcdi_learn::{Observer, Progress};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::result::JobResult;
use super::results_file::FORMAT;
use fedcdi_study::data_spec::{DataError, DataSpec};
use fedcdi_study::discover::{DiscoverError, discover};
use fedcdi_study::division::DivisionError;
use fedcdi_study::rival::{RivalError, RivalSpec, run_rival};
use fedcdi_study::simulate::{SimulateError, Watchers, simulate};
use fedcdi_study::spec::{DiscoverSpec, SimulateSpec};

/// A run with everything filled in.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Job {
    /// Who learns.
    pub arm: Arm,
    /// Data, clients, method, seed.
    pub spec: JobSpec,
    #[serde(skip)]
    fingerprint: String,
}

/// What is run, with all its settings.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum JobSpec {
    /// FedCDI.
    Simulate(SimulateSpec),
    /// A baseline.
    Rival(RivalSpec),
    /// A local method by itself, in one place.
    Discover(DiscoverJob),
}

/// A local method by its own schedule, on all rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DiscoverJob {
    /// Where the data comes from.
    pub data: DataSpec,
    /// Method and seed.
    pub discover: DiscoverSpec,
}

impl JobSpec {
    /// Root of all random streams.
    pub fn seed(&self) -> u64 {
        match self {
            Self::Simulate(spec) => spec.seed,
            Self::Rival(spec) => spec.seed,
            Self::Discover(spec) => spec.discover.seed,
        }
    }

    /// Where the data comes from.
    pub fn data(&self) -> &DataSpec {
        match self {
            Self::Simulate(spec) => &spec.data,
            Self::Rival(spec) => &spec.data,
            Self::Discover(spec) => &spec.data,
        }
    }

    /// Most rounds of a federation; others have none.
    pub fn rounds(&self) -> usize {
        match self {
            Self::Simulate(spec) => spec.coordinator.rounds as usize,
            Self::Rival(_) | Self::Discover(_) => 0,
        }
    }

    fn clients(&self) -> Option<usize> {
        match self {
            Self::Simulate(spec) => spec.clients,
            Self::Rival(spec) => spec.clients,
            Self::Discover(_) => None,
        }
    }

    fn clients_of(&self, rows: &Study) -> Result<Study, DivisionError> {
        match self {
            Self::Simulate(spec) => spec.clients_of(rows),
            Self::Rival(spec) => spec.clients_of(rows),
            Self::Discover(_) => Ok(rows.clone()),
        }
    }
}

/// Who learns from the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arm {
    /// The clients together.
    Federated,
    /// One place that has all rows.
    Centralised,
    /// This client alone, from 0.
    Isolated(usize),
}

/// Why a job has no result.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// There is no data.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The rows cannot be divided so.
    #[error(transparent)]
    Division(#[from] DivisionError),
    /// The run failed.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
    /// The baseline failed.
    #[error(transparent)]
    Rival(#[from] RivalError),
    /// The local method failed.
    #[error(transparent)]
    Discover(#[from] DiscoverError),
    /// The system has no thread left.
    #[error("no thread for a job: {0}; use fewer --jobs")]
    Thread(#[from] rayon::ThreadPoolBuildError),
}

impl Job {
    /// Rough seconds on one core of a local method by itself (DCDI), for 20 variables of 10
    /// categories and 30000 rows.
    pub(super) const DISCOVER_COST: f64 = 70.0;

    /// A job and its fingerprint.
    pub(super) fn new(spec: JobSpec, arm: Arm) -> Self {
        let mut job = Self {
            arm,
            spec,
            fingerprint: String::new(),
        };
        let text = serde_json::to_string(&job).expect("a job has nothing that JSON lacks");
        let hash = Sha256::digest(format!("fedcdi results {FORMAT}\n{text}"));
        // Half of the hash: 128 bits tell any number of jobs apart.
        for byte in &hash[..16] {
            let _ = write!(job.fingerprint, "{byte:02x}");
        }
        job
    }

    /// What a finished job is known by: jobs with the same settings have the same.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Clients that learn.
    pub fn n_clients(&self) -> usize {
        match self.arm {
            Arm::Federated => self.spec.clients().unwrap_or(1),
            Arm::Centralised | Arm::Isolated(_) => 1,
        }
    }

    /// Rough seconds on one core, without the rounds that an early end saves. The shape was measured
    /// on 12 and 20 variables of 10 categories (early rounds, in which most edges are undecided, cost
    /// several times a late one), the factor on 420 jobs of the table on a busy machine.
    pub fn cost(&self) -> f64 {
        let size = (n_vars(self.spec.data()) as f64 / 20.0).powf(1.6);
        let spec = match &self.spec {
            JobSpec::Simulate(spec) => spec,
            JobSpec::Rival(spec) => return size * spec.method.cost(),
            JobSpec::Discover(_) => return size * Self::DISCOVER_COST,
        };
        let setting = |name: &str| spec.local.settings.get(name).and_then(Value::as_f64);
        // No experiment of the paper runs a method without these settings.
        let steps = setting("model_steps").unwrap_or(1000.0) / 1000.0;
        let epochs = setting("epochs").unwrap_or(2.0);
        let rounds = 8.0 + 0.75 * f64::from(spec.coordinator.rounds);
        0.5 * self.n_clients() as f64 * rounds * size * steps * epochs / 2.0
    }

    /// Runs the job on the present rayon threads; nothing if `cancel` was set before the end.
    ///
    /// # Errors
    /// [`JobError`] if there is no data or a round fails.
    pub fn run(&self, cancel: &'static AtomicBool) -> Result<Option<JobResult>, JobError> {
        let result = self.result(cancel);
        match result {
            // Clients that were told to stop are missing, and the round fails for want of them; a
            // baseline ends with what it has.
            _ if cancel.load(Ordering::Relaxed) => Ok(None),
            result => result,
        }
    }

    fn result(&self, cancel: &'static AtomicBool) -> Result<Option<JobResult>, JobError> {
        let start = Instant::now();
        let study = self.study()?;
        let observer = StopAt(cancel);
        Ok(match &self.spec {
            JobSpec::Simulate(spec) => {
                let observer: Arc<dyn Observer> = Arc::new(observer);
                let watchers = Watchers {
                    clients: vec![observer; study.clients().len()],
                    cancel: Some(cancel),
                    ..Watchers::default()
                };
                let run = simulate(&study, spec, watchers)?;
                JobResult::of(&run, start.elapsed().as_secs_f64())
            }
            JobSpec::Rival(spec) => {
                let run = run_rival(&study, spec, Some(&observer))?;
                JobResult::of_rival(&run, start.elapsed().as_secs_f64())
            }
            JobSpec::Discover(spec) => {
                let data = study.pool();
                let observer: Arc<dyn Observer> = Arc::new(observer);
                let run = discover(&data, study.truth(), &spec.discover, Some(observer))?;
                JobResult::of_discovery(&run, start.elapsed().as_secs_f64())
            }
        })
    }

    /// The clients that learn, with their rows.
    fn study(&self) -> Result<Study, JobError> {
        let seed = Seed::new(self.spec.seed());
        let rows = self.spec.data().load(&TableOptions::default(), seed)?;
        Ok(match self.arm {
            Arm::Federated => self.spec.clients_of(&rows)?,
            Arm::Centralised => Study::pooled(rows.pool(), rows.truth().cloned()),
            Arm::Isolated(client) => self.spec.clients_of(&rows)?.only(client),
        })
    }
}

fn n_vars(data: &DataSpec) -> usize {
    match data {
        DataSpec::Generated(generated) => generated.vars,
        DataSpec::Network(known) => {
            let network = known.name.parse::<Builtin>();
            network.map_or(20, |network| network.load().schema().n_vars())
        }
        DataSpec::File(_) => 20,
    }
}

/// Lets a client stop within its round.
struct StopAt(&'static AtomicBool);

impl Observer for StopAt {
    fn progress(&self, _: &Progress) {}

    fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
