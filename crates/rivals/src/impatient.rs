//! A watcher for tests of cancellation.

use fedcdi_learn::progress::{Observer, Progress};

/// Cancels at once.
pub(super) struct Impatient;

impl Observer for Impatient {
    fn progress(&self, _: &Progress) {}

    fn is_cancelled(&self) -> bool {
        true
    }
}
