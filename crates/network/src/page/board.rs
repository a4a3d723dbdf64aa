//! What is shown, as it changes.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use maud::Markup;
use tokio::sync::watch;

use super::server::Served;

/// Something that a page shows: plain values, from which everything on it follows.
pub trait Shown: Clone + Default + Send + Sync + 'static {
    /// What the page is of, and the heading.
    fn heading(&self) -> (&'static str, String);
    /// How things stand, in a few words.
    fn lead(&self, now: Duration) -> Markup;
    /// Everything else, always the same sections in the same order.
    fn sections(&self, now: Duration) -> Vec<Section>;
    /// Counters for Prometheus.
    fn metrics(&self, now: Duration) -> String;
    /// In one word, why somebody should look after it; nothing if all is well.
    fn trouble(&self) -> Option<&'static str>;
    /// Looks again at what changes without an event; whether it has.
    fn refresh(&mut self) -> bool;
}

/// A section of a page.
pub struct Section {
    /// Its name in addresses.
    pub id: &'static str,
    /// Its name in the navigation.
    pub short: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// What it shows.
    pub body: Markup,
}

/// What a page shows, and the page if there is one. Copies show the same.
#[derive(Clone)]
pub struct Board<S>(pub(super) Arc<Inner<S>>);

pub(super) struct Inner<S> {
    /// Where the page is to be; without it nothing is kept.
    pub(super) address: Option<String>,
    since: Instant,
    pub(super) shown: watch::Sender<Arc<S>>,
    pub(super) served: Mutex<Option<Served>>,
}

impl<S: Shown> Board<S> {
    /// For a page at this address, `HOST:PORT`, or for none.
    pub fn at(address: Option<String>) -> Self {
        Self(Arc::new(Inner {
            address,
            since: Instant::now(),
            shown: watch::Sender::new(Arc::default()),
            served: Mutex::default(),
        }))
    }

    /// Whether there is a page.
    pub(crate) fn is_on(&self) -> bool {
        self.0.address.is_some()
    }

    /// Writes down what changed, if there is a page.
    pub(crate) fn change(&self, change: impl FnOnce(&mut S, Duration)) {
        if self.is_on() {
            let now = self.now();
            let shown = &self.0.shown;
            shown.send_modify(|shown| change(Arc::make_mut(shown), now));
        }
    }

    /// Looks at what changes without an event.
    pub(super) fn refresh(&self) {
        let look = |shown: &mut Arc<S>| Arc::make_mut(shown).refresh();
        self.0.shown.send_if_modified(look);
    }

    /// Time since the program began.
    pub(super) fn now(&self) -> Duration {
        self.0.since.elapsed()
    }

    pub(super) fn shown(&self) -> Arc<S> {
        Arc::clone(&self.0.shown.borrow())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Study;
    use super::*;

    #[test]
    fn without_a_page_nothing_is_kept() {
        let changed = |board: &Board<Study>| {
            let mut called = false;
            board.change(|_, _| called = true);
            called
        };
        assert!(!changed(&Board::at(None)));
        assert!(changed(&Board::at(Some("127.0.0.1:0".to_owned()))));
    }
}
