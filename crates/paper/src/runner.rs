//! Jobs over the cores: each worker takes the next job and runs it on one thread of its own.
//!
//! Results do not depend on the number of threads, so neither do they on the number of workers.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use fedcdi_data::file_error::FileError;

use super::job::{Job, JobError};
use super::result::JobResult;
use super::results_file::ResultsFile;

/// What came of it.
#[derive(Debug, Default)]
pub struct Ran {
    /// Jobs that were finished and written.
    pub finished: usize,
    /// Jobs that failed, and why.
    pub failed: Vec<(Job, JobError)>,
}

/// Runs jobs on so many threads, the seeds in turn and of each the longest first, and appends each to
/// `results` as it finishes. A job that fails does not stop the others. Jobs in flight are dropped when
/// `cancel` is set. Every job that ended is passed to `ended`, from any thread.
///
/// # Errors
/// [`FileError`] if a result cannot be written; no further job is then begun.
pub fn run(
    mut jobs: Vec<Job>,
    workers: usize,
    cancel: &'static AtomicBool,
    ended: &(dyn Fn(&Job) + Sync),
    results: &mut ResultsFile,
) -> Result<Ran, FileError> {
    jobs.sort_by_cached_key(|job| (job.spec.seed, Reverse((1000.0 * job.cost()) as u64)));
    let next = AtomicUsize::new(0);
    let shared = Mutex::new((results, Ok(Ran::default())));
    let worker = || {
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            if cancel.load(Ordering::Relaxed) {
                break;
            }
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
            let result = pool.map_err(JobError::from);
            let result = result.and_then(|pool| pool.install(|| job.run(cancel)));
            let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
            let (results, ran) = &mut *shared;
            if !keep(results, ran, job, result) {
                break;
            }
            ended(job);
        }
    };
    thread::scope(|scope| {
        for _ in 0..workers.clamp(1, jobs.len().max(1)) {
            scope.spawn(worker);
        }
    });
    shared
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
        .1
}

/// Keeps what came of a job; whether to go on.
fn keep(
    results: &mut ResultsFile,
    ran: &mut Result<Ran, FileError>,
    job: &Job,
    result: Result<Option<JobResult>, JobError>,
) -> bool {
    let Ok(done) = ran else { return false };
    match result {
        Ok(None) => return false,
        Ok(Some(result)) => match results.append(job, result) {
            Ok(()) => done.finished += 1,
            Err(error) => {
                *ran = Err(error);
                return false;
            }
        },
        Err(error) => done.failed.push((job.clone(), error)),
    }
    true
}
