//! Work on threads of its own, while Python sees progress and can interrupt.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fedcdi_learn::{Observer, Progress, Stage};
use pyo3::prelude::*;

use crate::failure::Failure;

/// How often signals are looked for and progress is shown.
const TICK: Duration = Duration::from_millis(50);
/// More would only wait for each other, and take long to start.
const MOST_THREADS: usize = 1024;
const WHOLE: u32 = 1_000_000;

/// What a run says of itself while it works, and whether it shall stop.
#[derive(Default)]
pub(crate) struct Watch {
    pub(crate) cancel: AtomicBool,
    /// How far each site is in its round, in millionths.
    sites: Mutex<Vec<Arc<AtomicU32>>>,
    rounds_done: AtomicU32,
    text: Mutex<String>,
    /// What Python code of the caller raised; it is raised again at the end.
    pub(crate) raised: Mutex<Option<PyErr>>,
}

impl Watch {
    pub(crate) fn say(&self, text: String) {
        *self.text.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }

    /// A round is over.
    pub(crate) fn round_done(&self) {
        self.rounds_done.fetch_add(1, Ordering::Relaxed);
        let sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        sites
            .iter()
            .for_each(|site| site.store(0, Ordering::Relaxed));
    }

    /// An observer for one more site.
    pub(crate) fn site(self: &Arc<Self>, epochs: usize) -> Arc<dyn Observer> {
        let done = Arc::new(AtomicU32::new(0));
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        sites.push(Arc::clone(&done));
        Arc::new(SiteWatch {
            done,
            epochs: epochs.max(1),
            watch: Arc::clone(self),
        })
    }

    /// Rounds that are done, with the fraction of the running one.
    fn rounds(&self) -> f64 {
        let sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let done = sites
            .iter()
            .map(|site| f64::from(site.load(Ordering::Relaxed)));
        let part = done.sum::<f64>() / sites.len().max(1) as f64 / f64::from(WHOLE);
        f64::from(self.rounds_done.load(Ordering::Relaxed)) + part.min(1.0)
    }

    /// What Python code raised in a thread of ours.
    pub(crate) fn keep(&self, error: PyErr) {
        self.cancel.store(true, Ordering::Relaxed);
        let mut raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        raised.get_or_insert(error);
    }
}

struct SiteWatch {
    done: Arc<AtomicU32>,
    epochs: usize,
    watch: Arc<Watch>,
}

impl Observer for SiteWatch {
    fn progress(&self, progress: &Progress) {
        let part = match progress.total {
            0 => 0.0,
            total => progress.done as f64 / total as f64,
        };
        // An epoch fits conditionals first, then the graph.
        let stage = match progress.stage {
            Stage::Distribution => part / 2.0,
            Stage::Graph => 0.5 + part / 2.0,
            _ => part,
        };
        let done = (progress.epoch as f64 + stage) / self.epochs as f64;
        let done = (done.clamp(0.0, 1.0) * f64::from(WHOLE)) as u32;
        self.done.store(done, Ordering::Relaxed);
    }

    fn is_cancelled(&self) -> bool {
        self.watch.cancel.load(Ordering::Relaxed)
    }
}

/// Runs `work` on `threads` threads (0: as many as there are cores), without the interpreter's lock.
/// `progress(rounds, text)` is called now and then. The threads end with the call, so that a process may
/// fork afterwards.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    threads: usize,
    progress: Option<&Py<PyAny>>,
    watch: &Watch,
    work: impl FnOnce() -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    if threads > MOST_THREADS {
        return Err(Failure::input(format!(
            "threads is {threads}; at most {MOST_THREADS} make sense, and 0 takes one per core"
        )));
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Failure::Run(format!("no threads can be started: {error}")))?;
    // Whoever interrupted the last call did not interrupt this one.
    watch.cancel.store(false, Ordering::Relaxed);
    let (done, finished) = mpsc::channel::<()>();
    let result = py.detach(move || {
        std::thread::scope(|scope| {
            let worker = scope.spawn(move || {
                let result = catch_unwind(AssertUnwindSafe(|| pool.install(work)));
                drop(done);
                result
            });
            while finished.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                if let Err(error) = Python::attach(|py| tick(py, progress, watch)) {
                    watch.keep(error);
                }
            }
            worker.join()
        })
    });
    let raised = watch
        .raised
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    if let Some(error) = raised {
        return Err(error.into());
    }
    match result {
        Ok(Ok(result)) => result,
        Ok(Err(panic)) | Err(panic) => Err(defect(panic.as_ref())),
    }
}

/// Does work that takes a moment, without the interpreter's lock. A panic is an error of Python's, as it
/// is of [`watched`].
pub(crate) fn guarded<T: Send, E>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, E> + Send,
) -> Result<T, Failure>
where
    E: Send,
    Failure: From<E>,
{
    match py.detach(|| catch_unwind(AssertUnwindSafe(work))) {
        Ok(result) => Ok(result?),
        Err(panic) => Err(defect(panic.as_ref())),
    }
}

fn defect(panic: &(dyn std::any::Any + Send)) -> Failure {
    Failure::Run(format!(
        "this is a defect of fedcdi, please report it: {}",
        words_of(panic)
    ))
}

fn tick(py: Python<'_>, progress: Option<&Py<PyAny>>, watch: &Watch) -> PyResult<()> {
    py.check_signals()?;
    if let Some(progress) = progress {
        let text = watch
            .text
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        progress.call1(py, (watch.rounds(), text))?;
    }
    Ok(())
}

fn words_of(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    text.or(owned).unwrap_or("no words")
}
