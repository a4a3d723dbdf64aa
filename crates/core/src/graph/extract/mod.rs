//! From a belief to a graph: the literature's raw graph, and the acyclic one that we report.
//!
//! Paper: FedCDI Algorithm 1 ends in a binary step of psi at 0.5 and section 6 leaves acyclicity to
//! future work; ENCO thresholds its two logits at 0, which is what [`raw`] does. psi > 0.5 implies
//! both logits > 0 but not the other way round: `Digraph::from_matrix(&psi, |p| *p > 0.5)` is the
//! paper's graph to the letter.
//!
//! | step | where |
//! |---|---|
//! | existence > 0 and orientation > 0 | [`raw`] |
//! | required edges in, impossible ones out | [`extract`] |
//! | per strongly connected part, drop the least-weight edges that leave no cycle | `exact` up to [`MAX_EXACT`] variables, `local` above |
//! | put a dropped edge back the other way round where the belief supports it | [`OnRemoval::Reverse`] |
//!
//! An edge weighs min(existence, orientation), which is positive for every raw edge. Its
//! probability would not do: it saturates, and certain edges would tie.

mod exact;
mod local;
mod part;
mod run;

pub use exact::MAX_EXACT;
pub use run::{ExtractParams, Extraction, OnRemoval, Removal, RemovalReason, dag, extract, raw};
