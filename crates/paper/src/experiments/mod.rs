//! What the experiments run, and the list of all in the order of the page.
//!
//! Names, titles and notes are in `experiments.toml`; each experiment has a [`Grid`] of cells.

mod grids;
mod list;
mod smoke;
mod table;

pub use list::all;
pub(crate) use list::{Grid, named, with_hidden};
