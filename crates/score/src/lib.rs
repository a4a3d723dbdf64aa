//! Scores of graphs from sums over sites, and the search that they lead.
//!
//! A decomposable score is a sum over rows, so over sites: asked for the right sums, sites that never
//! show a row let the coordinator search as if all rows were in one place.
//!
//! | module | holds |
//! |---|---|
//! | [`ask`] | [`Ask`]: which sums, and how many numbers they are |
//! | [`moves`] | from one equivalence class to the next |
//! | `rows` | [`Rows`]: who has rows |
//! | `search` | [`Search`]: asks, and decides, by `climb` and `choose` |
//! | `odds`, `turned` | [`Odds`]: how sure the graph is of single pairs |
//! | `engine` | scores of families, and what is to be asked for them |
//! | `price` | [`Prices`]: what a family pays for its parameters |

pub mod ask;
mod choose;
mod climb;
mod design;
mod engine;
mod fit;
mod known;
mod leads;
mod linear;
mod metric;
pub mod moves;
mod odds;
mod params;
mod price;
mod rows;
mod search;
mod turned;
mod wanted;

pub use ask::{Ask, Cells, GRID, MAGNITUDES, MOST_NUMBERS, Outline, Slope, Sums};
pub use odds::{FAR, Near, Odds};
pub use params::SearchParams;
pub use price::Prices;
pub use rows::Rows;
pub use search::{Scored, Search};
