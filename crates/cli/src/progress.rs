//! Progress on standard error, for people who watch.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fedcdi_learn::{Observer, Progress, Stage};
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::Failure;

/// A bar over `total` items with the time left; silent where standard error is not a terminal.
pub(crate) fn bar(what: &'static str, total: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} [{bar:30}] {percent:>3}% {eta} left")
        .expect("the template is well formed")
        .progress_chars("=> ");
    ProgressBar::new(total).with_style(style).with_message(what)
}

/// A spinner for work whose length is not known.
pub(crate) fn spinner(what: String) -> ProgressBar {
    let spinner = ProgressBar::new_spinner().with_message(what);
    spinner.enable_steady_tick(Duration::from_millis(100));
    spinner
}

/// Watches a learning run: a bar with time left and the current number of edges; Ctrl-C ends it.
pub(crate) struct Watch {
    bar: ProgressBar,
    rounds: usize,
    epochs: usize,
    cancelled: AtomicBool,
}

/// Parts of the bar that one epoch takes.
const EPOCH: usize = 1000;

impl Watch {
    pub(crate) fn new(rounds: usize, epochs: usize) -> Self {
        let bar = bar("learning", (rounds * epochs * EPOCH) as u64);
        bar.enable_steady_tick(Duration::from_millis(250));
        Self {
            bar,
            rounds,
            epochs,
            cancelled: AtomicBool::new(false),
        }
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Watch {
    fn progress(&self, progress: &Progress) {
        let epoch = progress.round * self.epochs + progress.epoch;
        let part = EPOCH / 2 * progress.done / progress.total.max(1);
        let before = match progress.stage {
            Stage::Distribution => 0,
            Stage::Graph | Stage::Orientation => EPOCH / 2,
        };
        self.bar
            .set_position((epoch * EPOCH + before + part) as u64);
        self.bar.set_message(format!(
            "round {}/{}, {} edges",
            progress.round + 1,
            self.rounds,
            progress.n_edges
        ));
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// Ends the run at Ctrl-C with the result of the last whole round.
pub(crate) fn stop_on_ctrl_c(watch: &Arc<Watch>) -> Result<(), Failure> {
    let watch = Arc::clone(watch);
    let stop = move || watch.cancelled.store(true, Ordering::Relaxed);
    ctrlc::set_handler(stop)
        .map_err(|error| Failure::Failed(format!("cannot watch Ctrl-C: {error}")))
}
