//! A watcher for tests of cancellation.

use crate::progress::{Observer, Progress};

/// Cancels at once.
pub(super) struct Impatient;

impl Observer for Impatient {
    fn progress(&self, _: &Progress) {}

    fn is_cancelled(&self) -> bool {
        true
    }
}
