//! IGSP and UT-IGSP: greedy search over permutations for the sparsest graph, by tests.
//!
//! Wang, Solus, Yang, Uhler (2017), "Permutation-based causal inference algorithms with
//! interventions"; Squires, Wang, Uhler (2020), "Permutation-based causal structure learning with
//! unknown intervention targets".
//!
//! | paper | code |
//! |---|---|
//! | start: undirected graph, minimum-degree elimination | `start` |
//! | minimal I-MAP of a permutation | `boundary`: parents are the Markov boundary among predecessors |
//! | covered edge, its reversal | `flip` |
//! | I-covered, I-contradicting edges (known single targets) | `known` |
//! | regimes whose conditionals vary, estimated targets | `unknown` |
//! | depth-first search | `search` |
//!
//! Deviation: the boundary is found by growing and shrinking (Margaritis and Thrun 1999) instead of
//! tests given all predecessors, so that sets stay as small as the graph allows; with categorical
//! data larger ones cannot be tested. Logistic tests, whose fits take long, are made in the order of
//! score statistics until one shows a dependence. The start's undirected graph joins variables of
//! which one is in the other's boundary.
//!
//! Complexity: O(N^2 d) tests per start for d parents, O(b^depth) graphs for b covered edges; tests
//! are made once each.

mod boundary;
mod flip;
mod known;
mod memo;
mod method;
mod params;
mod rival;
mod search;
mod start;
#[cfg(test)]
mod tests;
mod unknown;

pub use params::{IgspParams, Variant};
pub use rival::UtIgspParams;
pub(crate) use rival::rival;
