//! One file per experiment, and the list of all in the order of the page.

mod aggregation;
mod clients;
mod entropy;
mod horizontal;
mod list;
mod smoke;
mod table;
mod vertical;

pub(super) use list::with_hidden;
pub use list::{all, named};
