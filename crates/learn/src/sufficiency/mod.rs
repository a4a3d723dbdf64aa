//! Is my data enough? A verdict from counts alone, before anything is learned.
//!
//! Paper: FedCDI, limitations and future work, "client data limitation": below some amount of data a
//! client's graph is highly inaccurate, and a generic way to find the threshold is left open.
//!
//! | question | statistic | code |
//! |---|---|---|
//! | can an edge be estimated? | cost of estimating it, `(C_i - 1)(C_j - 1) / (2 n)` nats, against the sparsity lambda | [`Existence`] |
//! | what is associated? | nats saved in predicting rows left out | `conditional` |
//! | what may be an edge? | associated, and not the weakest side of a triangle: *close* | `close` |
//! | which way does it point? | log-odds of the rows under an intervention, ENCO's pairwise gain `log p(y|x) - log p(y)` summed | `effect` |
//! | does one move when the other is set? | the same log-odds on the careful side, for every ordered pair | [`moves`] |
//! | all tables together? | evidence added up over clients | [`FederationSufficiency`] |
//!
//! A pair is decided when its log-odds exceed `ln((N - 1) / error)` in size: of all partners of a
//! target, about `error` = 0.05 are expected to be called moving that are not.
//!
//! What is assumed: interventions are perfect and their targets known. "Does not move" means that the
//! association is not the target's effect; where a common cause makes most of an association, a
//! weaker effect may hide behind it. Rows under several interventions at once are left out: each of
//! them moves its own effects.
//!
//! Complexity: O(N^2 n) for N variables and n rows, without learning.

mod close;
mod conditional;
mod effect;
mod evidence;
mod existence;
mod moves;
mod orientation;
mod remedy;
mod table;
mod target;
#[cfg(test)]
mod tests;
mod verdict;

pub use existence::Existence;
pub use moves::moves;
pub use orientation::{Open, OpenPair, Orientation};
pub use table::{FederationSufficiency, Sufficiency};
pub use target::{Advice, Partner, TargetSufficiency};
pub use verdict::{Decision, Verdict};
