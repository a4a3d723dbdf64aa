//! One run: what it is, what it is likely to cost, and running it.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use fedcdi_core::{Choice, Seed};
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
use fedcdi_study::{Catalogue, Method, RunError, Spec, Watchers, run};

/// A run with everything filled in.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Job {
    pub(crate) arm: Arm,
    pub(crate) spec: Spec,
    #[serde(skip)]
    fingerprint: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Arm {
    Federated,
    Centralised,
    /// This site alone, from 0.
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
    Run(#[from] RunError),
    /// The system has no thread left.
    #[error("no thread for a job: {0}; run fewer jobs at once")]
    Thread(#[from] rayon::ThreadPoolBuildError),
}

impl Job {
    pub(super) fn new(spec: Spec, arm: Arm) -> Self {
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

    pub(crate) fn n_clients(&self) -> usize {
        match self.arm {
            Arm::Federated => self.spec.clients.unwrap_or(1),
            Arm::Centralised | Arm::Isolated(_) => 1,
        }
    }

    /// Rough seconds on one core, without the rounds that an early end saves. The shape was measured
    /// on 12 and 20 variables of 10 categories (early rounds, in which most edges are undecided, cost
    /// several times a late one), the factor on 420 jobs of the table on a busy machine.
    pub fn cost(&self) -> f64 {
        let size = self.spec.data.as_ref().map_or(20, n_vars);
        let size = (size as f64 / 20.0).powf(1.6);
        let method = &self.spec.method;
        if let Some(cost) = cost_alone(method) {
            return size * cost;
        }
        let setting = |name: &str| method.settings.get(name).and_then(Value::as_f64);
        // No experiment of the paper runs a method without these settings.
        let steps = setting("model_steps").unwrap_or(1000.0) / 1000.0;
        let epochs = setting("epochs").unwrap_or(2.0);
        let rounds = 8.0 + 0.75 * f64::from(self.spec.most_rounds());
        0.5 * self.n_clients() as f64 * rounds * size * steps * epochs / 2.0
    }

    /// Runs the job on the present rayon threads; nothing if `cancel` was set before the end.
    pub(crate) fn run(&self, cancel: &'static AtomicBool) -> Result<Option<JobResult>, JobError> {
        match self.result(cancel) {
            // Sites that were stopped are missing, and the round fails for want of them; a baseline
            // ends with what it has.
            _ if cancel.load(Ordering::Relaxed) => Ok(None),
            result => result,
        }
    }

    fn result(&self, cancel: &'static AtomicBool) -> Result<Option<JobResult>, JobError> {
        let start = Instant::now();
        let study = self.study()?;
        let observer: Arc<dyn Observer> = Arc::new(StopAt(cancel));
        let watchers = Watchers {
            clients: vec![observer; study.clients().len()],
            cancel: Some(cancel),
            ..Watchers::default()
        };
        let found = run(&study, &self.spec, watchers)?;
        Ok(JobResult::of(&found, start.elapsed().as_secs_f64()))
    }

    fn study(&self) -> Result<Study, JobError> {
        let data = self.spec.data.clone().unwrap_or_default();
        let rows = data.load(&TableOptions::default(), Seed::new(self.spec.seed))?;
        let study = self.spec.sites_of(&rows).map_err(RunError::from)?;
        Ok(match self.arm {
            Arm::Federated | Arm::Centralised => study,
            Arm::Isolated(client) => study.only(client),
        })
    }
}

/// Rough seconds on one core of a method that has no rounds, for 20 variables of 10 categories and
/// 30000 rows.
pub(crate) fn cost_alone(method: &Choice) -> Option<f64> {
    match Catalogue::default().methods.build(method) {
        Ok(Method::Rival(rival)) => Some(rival.cost()),
        Ok(Method::Local(_)) if method.name == "dcdi" => Some(70.0),
        _ => None,
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

/// Lets a site stop within its round.
struct StopAt(&'static AtomicBool);

impl Observer for StopAt {
    fn progress(&self, _: &Progress) {}

    fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
