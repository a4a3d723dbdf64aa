//! A run as one HTML page that needs nothing else: no network, no script, no other file.
//!
//! | module | holds |
//! |---|---|
//! | `content` | what a page is about |
//! | `figure` | the graph alone, for pages of others |
//! | `page` | the document: head, navigation, sections in order |
//! | `summary` | the result in one sentence and as cards |
//! | `strength` | what is known of an edge besides that it is there |
//! | `edges` | every edge with its verdict, as a table |
//! | `layout`, `graph_svg` | where nodes and edges are drawn, and how |
//! | `labels` | names where room is short |
//! | `heat_map` | a matrix over variables as a picture |
//! | `rounds`, `curves` | numbers per round |
//! | `live` | components for a page about a study that still runs |
//! | `compare` | scores beside those without a federation |
//! | `targets` | what a method estimates was intervened on |
//! | `reliability`, `deciders` | which site the aggregate trusted for what |
//! | `sufficiency` | whether the rows are enough, per site and target |
//! | `repeat` | how to run it again, and what left the sites |
//!
//! Names come from users' files: everything goes through [`maud`], which escapes it. There is no
//! clock in a page, so the same run has the same bytes.

mod compare;
mod content;
mod curves;
mod deciders;
mod edges;
mod figure;
mod graph_svg;
mod heat_map;
mod labels;
mod layout;
mod live;
mod page;
mod reliability;
mod repeat;
mod rounds;
mod strength;
mod sufficiency;
mod summary;
mod targets;
mod text;

pub use curves::{number, path, ticks};
pub use figure::figure;
pub(crate) use heat_map::{HeatMap, Size, scale};
pub use live::{in_each_round, round_curves, so_far};
pub use page::head;
pub(crate) use page::page;
pub use summary::card;
pub use text::{Heading, NUMBERS, WORDS, count, sentence_of, table};
