//! Progress on standard error, for people who watch.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fedcdi_core::ClientId;
use fedcdi_learn::{Observer, Progress, Stage};
use fedcdi_protocol::{Absence, StudyEvent};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use crate::failure::Failure;
use crate::output;

/// A bar over `total` items with the time left; silent where standard error is not a terminal.
pub(crate) fn bar(what: &'static str, total: u64) -> ProgressBar {
    let bar = ProgressBar::new(total).with_style(bar_style("left"));
    bar.with_message(what)
}

fn bar_style(left: &str) -> ProgressStyle {
    let template = format!("{{msg}} [{{bar:30}}] {{percent:>3}}% {{eta}} {left}");
    let style = ProgressStyle::with_template(&template);
    let style = style.expect("the template is well formed");
    style.progress_chars("=> ")
}

pub(crate) static CANCEL: AtomicBool = AtomicBool::new(false);

pub(crate) fn spinner(what: String) -> ProgressBar {
    let spinner = ProgressBar::new_spinner().with_message(what);
    spinner.enable_steady_tick(Duration::from_millis(100));
    spinner
}

/// Parts of the bar that one epoch takes.
const EPOCH: usize = 1000;

/// Watches one method learn: a bar with the current number of edges.
pub(crate) struct Watch {
    bar: ProgressBar,
    name: String,
    /// Whether Ctrl-C stops the method midway.
    stops: bool,
}

impl Observer for Watch {
    fn progress(&self, progress: &Progress) {
        let (before, length) = match progress.stage {
            Stage::Distribution | Stage::Search | Stage::Starts | Stage::Tests => (0, EPOCH / 2),
            Stage::Graph => (EPOCH / 2, EPOCH / 2),
            Stage::Joint => (0, EPOCH),
        };
        let part = length * progress.done / progress.total.max(1);
        let position = progress.epoch * EPOCH + before + part;
        self.bar.set_position(position as u64);
        let message = format!("{}, {} edges", self.name, progress.n_edges);
        self.bar.set_message(message);
    }

    fn is_cancelled(&self) -> bool {
        self.stops && CANCEL.load(Ordering::Relaxed)
    }
}

/// Watches a site work on one question after another: a bar with the time left for each.
pub(crate) struct Work(Arc<Watch>);

impl Work {
    /// Of a method with so many epochs per round.
    pub(crate) fn new(epochs: usize) -> Self {
        let bar = bar("answering", (epochs * EPOCH) as u64);
        Self(Arc::new(Watch {
            bar,
            name: "answering".to_owned(),
            stops: false,
        }))
    }

    pub(crate) fn observer(&self) -> Arc<dyn Observer> {
        Arc::clone(&self.0) as Arc<dyn Observer>
    }

    /// A question came.
    pub(crate) fn begin(&self) {
        self.0.bar.reset();
    }

    /// Says something beside the bar.
    pub(crate) fn aside(&self, say: impl FnOnce()) {
        self.0.bar.suspend(say);
    }

    /// How long the present question takes, or took.
    pub(crate) fn seconds(&self) -> f64 {
        self.0.bar.elapsed().as_secs_f64()
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.0.bar.finish_and_clear();
    }
}

/// Watches a baseline: a bar with the time left where the work is bounded, else what it is at.
pub(crate) struct SearchWatch {
    bar: ProgressBar,
    /// When the search for the present move began.
    move_start: Mutex<Instant>,
}

impl SearchWatch {
    pub(crate) fn new() -> Self {
        Self {
            bar: spinner("searching".to_owned()),
            move_start: Mutex::new(Instant::now()),
        }
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn show_move(&self, progress: &Progress) {
        let mut start = self.move_start.lock().expect("no holder can panic");
        if progress.done == 0 {
            *start = Instant::now();
        }
        let so_far = format!(
            "move {}, {} edges, {} of {} candidates, {} s",
            progress.round + 1,
            progress.n_edges,
            progress.done,
            progress.total,
            self.bar.elapsed().as_secs(),
        );
        let left = seconds_left(start.elapsed(), progress.done, progress.total);
        self.bar.set_message(match left {
            Some(left) => format!("{so_far}; this move: about {left} s left"),
            None => so_far,
        });
    }

    /// Shows `done` of `total` and what is left; a method that converges ends before.
    fn show_bounded(&self, done: usize, total: usize, message: String) {
        if self.bar.length().is_none() {
            self.bar.set_style(bar_style("left at most"));
        }
        self.bar.set_length(total as u64);
        self.bar.set_position(done as u64);
        self.bar.set_message(message);
    }
}

impl Observer for SearchWatch {
    fn progress(&self, progress: &Progress) {
        let (done, total) = (progress.done, progress.total);
        match progress.stage {
            Stage::Search => self.show_move(progress),
            Stage::Starts => {
                self.show_bounded(done, total, format!("{done} of {total} starts done"));
            }
            Stage::Tests => {
                let seconds = self.bar.elapsed().as_secs();
                self.bar.set_message(format!("{done} tests, {seconds} s"));
            }
            _ => {
                let message = format!("learning, {} edges", progress.n_edges);
                self.show_bounded(done, total, message);
            }
        }
    }

    fn is_cancelled(&self) -> bool {
        CANCEL.load(Ordering::Relaxed)
    }
}

/// What is left if the rest goes as fast as what is done; none where too little is done to tell.
fn seconds_left(elapsed: Duration, done: usize, total: usize) -> Option<u64> {
    const SOON: Duration = Duration::from_secs(1);
    if done == 0 || done >= total || elapsed < SOON {
        return None;
    }
    let left = elapsed.as_secs_f64() * (total - done) as f64 / done as f64;
    Some(left.ceil() as u64)
}

pub(crate) struct Displays {
    all: MultiProgress,
    round: ProgressBar,
    /// The last round that was asked for.
    asked: AtomicU32,
    /// Whether sites are asked for sums.
    sums: AtomicBool,
    clients: Vec<Arc<Watch>>,
}

impl Displays {
    /// Bars of these sites, whose methods Ctrl-C may stop midway.
    pub(crate) fn new(names: Vec<String>, epochs: usize, rounds: u32, stops: bool) -> Self {
        let all = MultiProgress::new();
        let round = all.add(bar("round 1", u64::from(rounds)));
        let watch = |name: String| {
            let bar = all.add(bar("waiting", (epochs * EPOCH) as u64));
            Arc::new(Watch { bar, name, stops })
        };
        Self {
            round,
            asked: AtomicU32::new(0),
            sums: AtomicBool::new(false),
            clients: names.into_iter().map(watch).collect(),
            all,
        }
    }

    pub(crate) fn observers(&self) -> Vec<Arc<dyn Observer>> {
        let clients = self.clients.iter().cloned();
        clients.map(|watch| watch as Arc<dyn Observer>).collect()
    }

    pub(crate) fn event(&self, event: &StudyEvent) {
        match event {
            StudyEvent::RoundStarted { round, .. } => self.asked.store(round.0, Ordering::Relaxed),
            StudyEvent::Aggregated(record) => {
                self.round.set_position(u64::from(record.round.0));
                self.round.set_message(format!(
                    "round {} done: {} edges, disagreement {:.3}",
                    record.round, record.n_edges, record.consensus_entropy
                ));
            }
            StudyEvent::SearchStarted { n_edges, .. } => {
                self.sums.store(true, Ordering::Relaxed);
                let text = format!("scores of all rows, from {n_edges} edges");
                self.round.set_message(text);
            }
            StudyEvent::Searched {
                question,
                n_edges,
                changes,
            } => self.round.set_message(format!(
                "scores of all rows: {question} questions, {n_edges} edges ({changes})"
            )),
            // A site that failed or declined reports that itself.
            StudyEvent::SiteAbsent { number, site, why }
                if !matches!(why, Absence::Failed | Absence::Declined) =>
            {
                self.missing(*site, *number, &why.to_string());
            }
            _ => (),
        }
    }

    /// Reports which site has no answer to a question, and why.
    pub(crate) fn missing(&self, site: ClientId, number: u32, why: &str) {
        // Sites are numbered from 1.
        let watch = (site.0 as usize).checked_sub(1);
        let watch = watch.and_then(|at| self.clients.get(at));
        let name = watch.map_or_else(|| format!("site {site}"), |watch| watch.name.clone());
        let text = match number {
            0 => format!("{name} does not take part: {why}"),
            question if self.sums.load(Ordering::Relaxed) => {
                format!("question {question}, about sums, is without {name}: {why}")
            }
            _ => match self.asked.load(Ordering::Relaxed) {
                0 => format!("{name} does not tell what moves what: {why}"),
                round => format!("round {round} is without {name}: {why}"),
            },
        };
        self.all.suspend(|| output::warn(&text));
    }

    pub(crate) fn finish(&self) {
        let clients = self.clients.iter();
        clients.for_each(|watch| watch.bar.finish_and_clear());
        self.round.finish_and_clear();
        // An error here means that there is no terminal to clear.
        let _ = self.all.clear();
    }
}

/// Sets [`CANCEL`] at Ctrl-C; whoever watches it ends with what there is. A second one ends at once.
pub(crate) fn stop_on_ctrl_c() -> Result<(), Failure> {
    /// What shells say of a program that was interrupted.
    const INTERRUPTED: i32 = 130;
    let stop = || {
        if CANCEL.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
        output::warn("stopping with what there is; press Ctrl-C again to end at once");
    };
    ctrlc::set_handler(stop)
        .map_err(|error| Failure::Failed(format!("cannot watch Ctrl-C: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_move_goes_as_fast_as_what_is_done() {
        let seconds = Duration::from_secs;
        assert_eq!(seconds_left(seconds(3), 10, 30), Some(6));
        assert_eq!(seconds_left(seconds(3), 0, 30), None, "nothing to go by");
        assert_eq!(seconds_left(Duration::from_millis(20), 10, 30), None);
        assert_eq!(seconds_left(seconds(3), 30, 30), None, "done");
    }
}
