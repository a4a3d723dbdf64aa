//! Layered drawing of an acyclic graph, causes above effects.
//!
//! Literature: Sugiyama, Tagawa, Toda 1981, in four stages.
//!
//! | stage | module | rule |
//! |---|---|---|
//! | layers | [`layers`] | longest path, then towards the nearer end of most edges |
//! | bends | [`layers`] | an edge over several layers has a bend in each |
//! | order within a layer | [`order`] | barycentres, down and up, fewest crossings kept |
//! | coordinates | [`place`] | as near to the neighbours as the widths allow |
//!
//! Ours because of what is there, `rust-sugiyama` 0.4 gives no bends for long edges and `dagre` 0.1
//! is 17 thousand lines; both pass through hash maps, and a report must have the same bytes in
//! every run.

mod layers;
mod order;
mod place;

pub(super) use place::{Layout, NODE_HEIGHT, Point, lay_out};
