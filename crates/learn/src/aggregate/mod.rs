//! Aggregation: one belief from the reports of a round.
//!
//! | module | rule | ratio of sums over clients |
//! |---|---|---|
//! | [`naive`] | mean weighted by dataset size (paper 4.2) | yes |
//! | [`proximity`] | softmax over the mass that reaches an edge (paper 4.3) | yes, if clients compute their own mass |
//! | [`evidence`] | mean weighted by the interventions each logit is learned from (ours) | yes |
//! | [`median`] | weighted median, for federations with a faulty client | no |
//!
//! A ratio of sums can be computed under secure aggregation: each client adds its blinded terms to
//! the numerator and the denominator, and only the two sums become known.
//!
//! All rules sort the reports by client before they add, so the order of arrival does not matter
//! bit for bit, and know nothing of clients that did not report.
//!
//! # In which space
//!
//! A mean of psi says nothing about how much of an unlikely edge is absence and how much reversal.
//! Splitting it by [`Belief::from_psi`](fedcdi_core::Belief::from_psi) makes existence the same in
//! both directions; the probability that clients without an opinion leave in a reverse edge then
//! counts as existence and never dies. Where the clients sent logits this loss is needless, so the
//! mean can also be taken of each factor: [`Space::Factors`] (the default of the paper's two rules)
//! pools existence and orientation as probabilities, [`Space::Logits`] pools them as logits, and
//! [`Space::Psi`] is the paper to the letter.

pub mod evidence;
mod mass;
pub mod median;
pub mod naive;
mod params;
mod pool;
pub mod proximity;
#[cfg(test)]
mod sample_reports;
mod views;

pub use evidence::{Evidence, EvidenceParams};
pub use mass::{MassFrom, reliability};
pub use median::{Median, MedianParams};
pub use naive::{Naive, NaiveParams};
pub use params::AggregatorParams;
pub use pool::Space;
pub use proximity::{Carrier, Proximity, ProximityParams};
