//! One run: what it is, what it is likely to cost, and running it.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use fedcdi_core::Seed;
use fedcdi_data::Study;
use fedcdi_data::networks::Builtin;
use fedcdi_data::read::TableOptions;
use fedcdi_federation::StopReason;
use fedcdi_learn::{Observer, Progress};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::result::JobResult;
use super::results_file::FORMAT;
use crate::data_spec::{DataError, DataSpec};
use crate::simulate::{SimulateError, Simulated, Watchers, simulate};
use crate::spec::{MethodSpec, SimulateSpec};

/// A run with everything filled in.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Job {
    /// Who learns.
    pub arm: Arm,
    /// Data, clients, rounds, method, seed.
    pub spec: SimulateSpec,
    #[serde(skip)]
    fingerprint: String,
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
    /// The run failed.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
    /// The system has no thread left.
    #[error("no thread for a job: {0}; use fewer --jobs")]
    Thread(#[from] rayon::ThreadPoolBuildError),
}

impl Job {
    /// A job and its fingerprint.
    pub(super) fn new(spec: SimulateSpec, arm: Arm) -> Self {
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
            Arm::Federated => self.spec.clients.unwrap_or(1),
            Arm::Centralised | Arm::Isolated(_) => 1,
        }
    }

    /// Rough seconds on one core, without the rounds that an early end saves. The shape was measured
    /// on 12 and 20 variables of 10 categories (early rounds, in which most edges are undecided, cost
    /// several times a late one), the factor on fifteen jobs of up to 20 variables on a slow day.
    pub fn cost(&self) -> f64 {
        let model_steps = match &self.spec.local {
            MethodSpec::Enco(params) => params.model_steps,
            // No experiment of the paper runs another method.
            _ => 1000,
        };
        let steps = model_steps as f64 / 1000.0;
        let rounds = 8.0 + 0.75 * f64::from(self.spec.coordinator.rounds);
        let size = (n_vars(&self.spec.data) as f64 / 20.0).powf(1.6);
        1.8 * self.n_clients() as f64 * rounds * size * steps * self.spec.local.epochs() as f64
            / 2.0
    }

    /// Runs the job on the present rayon threads; nothing if `cancel` was set before the end.
    ///
    /// # Errors
    /// [`JobError`] if there is no data or a round fails.
    pub fn run(&self, cancel: &'static AtomicBool) -> Result<Option<JobResult>, JobError> {
        let start = Instant::now();
        match self.simulate(cancel) {
            Ok(run) if run.outcome.stop == StopReason::Cancelled => Ok(None),
            Ok(run) => Ok(JobResult::of(&run, start.elapsed().as_secs_f64())),
            // Clients that were told to stop are missing, and the round fails for want of them.
            Err(_) if cancel.load(Ordering::Relaxed) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn simulate(&self, cancel: &'static AtomicBool) -> Result<Simulated, JobError> {
        let seed = Seed::new(self.spec.seed);
        let rows = self.spec.data.load(&TableOptions::default(), seed)?;
        let study = match self.arm {
            Arm::Federated => self.spec.clients_of(&rows)?,
            Arm::Centralised => Study::pooled(rows.pool(), rows.truth().cloned()),
            Arm::Isolated(client) => self.spec.clients_of(&rows)?.only(client),
        };
        let observer: Arc<dyn Observer> = Arc::new(StopAt(cancel));
        let watchers = Watchers {
            clients: vec![observer; study.clients().len()],
            cancel: Some(cancel),
            ..Watchers::default()
        };
        Ok(simulate(&study, &self.spec, watchers)?)
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
