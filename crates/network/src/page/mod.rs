//! The live page: what a running program shows of a study, read-only, in a browser.
//!
//! | module | holds |
//! |---|---|
//! | `board` | [`Board`]: what is shown, as it changes |
//! | `study`, `study_page` | a coordinator's study, and its page |
//! | `part`, `part_page` | a site's part in one, and its page |
//! | `plan` | a plan in words |
//! | `document` | the whole page, and the pieces of it that changed |
//! | `metrics` | counters as Prometheus reads them |
//! | `access` | who may read: the token, and names by which this machine may be asked |
//! | `server` | the addresses below, with limits on connections and time |
//! | `words` | times and sizes as people read them |
//!
//! | address | gives | needs the token |
//! |---|---|---|
//! | `/` | the page | yes |
//! | `/events` | pieces of the page as they change, as server-sent events | yes |
//! | `/live.js` | the page's script | no |
//! | `/healthz` | 200 and `ok`, or 503 and one word | no |
//! | `/metrics` | counters for Prometheus | unless on loopback |
//!
//! A page is a function of what is shown and of the time. Nothing on it is from anybody's rows: it has
//! what the coordinator knows, or what a site knows of its own messages. Everything is embedded, nothing
//! can be changed through it, and it is readable without its script.

mod access;
mod board;
mod document;
mod metrics;
mod part;
mod part_page;
mod plan;
#[cfg(test)]
mod samples;
mod server;
mod study;
mod study_page;
mod words;

pub use board::{Board, Section, Shown};
pub use part::Part;
pub(crate) use study::{Door, Outcome};
pub use study::{Ending, Study};
