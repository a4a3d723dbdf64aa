//! GIES: greedy interventional equivalence search.
//!
//! Hauser and Bühlmann (2012), "Characterization and greedy learning of interventional Markov
//! equivalence classes of directed acyclic graphs", JMLR 13. Without interventions it is GES with a
//! turning phase (Chickering 2002).
//!
//! | paper | code |
//! |---|---|
//! | I-essential graph | [`fedcdi_core::Cpdag::interventional`] |
//! | conservative family of targets | [`target_sets`](fedcdi_learn::independence::target_sets) |
//! | decomposable score | [`LocalScore`](fedcdi_learn::score::LocalScore) |
//! | `ne(v)`, `N = ne(v) n ad(u)`, cliques, separation | `state` |
//! | `Insert(u, v, C)` | `forward` |
//! | `Delete(u, v, C)` | `backward` |
//! | `Turn(u, v, C)` | `turning` |
//! | a member with the edges that an operator needs | [`fedcdi_core::Cpdag::member`] |
//! | phases repeated until none gains | `search` |
//!
//! In the code u is the cause and v the effect of the edge that an operator adds, removes or turns
//! to. Complexity: every step looks at all operators, O(N^2 2^c) for the largest clique of c
//! undirected neighbours; local scores are computed once each.
//!
//! Deviations: condition (iii) of proposition 31 is that of the paper's algorithm 5; an operator is
//! applied to a whole member of the class, of which the class is then computed anew; where a score
//! differs within a class (the logistic one) both directions of an
//! undirected edge are tried for deletion, and a search that comes back to a class ends there.

mod backward;
mod forward;
mod memo;
mod method;
mod operator;
mod params;
mod search;
mod state;
#[cfg(test)]
mod tests;
mod turning;

pub use method::{Gies, kind};
pub use params::GiesParams;
