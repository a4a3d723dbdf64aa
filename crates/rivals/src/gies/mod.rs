//! GIES: greedy interventional equivalence search.
//!
//! Hauser and Bühlmann (2012), "Characterization and greedy learning of interventional Markov
//! equivalence classes of directed acyclic graphs", JMLR 13. Without interventions it is GES with a
//! turning phase (Chickering 2002).
//!
//! | paper | code |
//! |---|---|
//! | conservative family of targets | [`target_sets`](fedcdi_learn::independence::target_sets) |
//! | decomposable score | [`LocalScore`](fedcdi_learn::score::LocalScore) |
//! | `Insert`, `Delete`, `Turn` | [`fedcdi_score::moves`] |
//! | phases repeated until none gains | `search` |
//!
//! Complexity: every step looks at all operators, O(N^2 2^c) for the largest clique of c undirected
//! neighbours; local scores are computed once each.
//!
//! Deviation: a search that comes back to a class ends there; see also [`fedcdi_score::moves`].

mod memo;
mod method;
mod params;
mod search;
#[cfg(test)]
mod tests;

pub use method::{Gies, kind};
pub use params::GiesParams;
