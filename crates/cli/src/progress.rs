//! Progress on standard error, for people who watch.

use indicatif::{ProgressBar, ProgressStyle};

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
    spinner.enable_steady_tick(std::time::Duration::from_millis(100));
    spinner
}
