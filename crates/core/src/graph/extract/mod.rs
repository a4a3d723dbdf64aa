//! From a belief to a graph: the literature's raw graph, and the acyclic one that we report.
//!
//! Paper: FedCDI Algorithm 1 ends in a binary step of psi at 0.5 and section 6 leaves acyclicity to
//! future work: [`above_half`]. ENCO thresholds its two logits at 0: [`raw`], the default. psi > 0.5
//! implies both logits > 0 but not the other way round.
//!
//! | step | where |
//! |---|---|
//! | existence > 0 and orientation > 0, or psi > 0.5 | [`raw`], [`above_half`]; [`Raw`] chooses |
//! | required edges in, impossible ones out | [`extract`] |
//! | per strongly connected part, drop the least-weight edges that leave no cycle | `exact` up to [`MAX_EXACT`] variables, `local` above |
//! | put a dropped edge back the other way round where the belief supports it | [`OnRemoval::Reverse`] |
//!
//! An edge weighs min(existence, orientation), which is positive for every raw edge. Its
//! probability would not do: it saturates, and certain edges would tie.

mod exact;
mod local;
mod part;
mod raw;
mod run;

pub use exact::MAX_EXACT;
pub use raw::{Raw, above_half, raw};
pub use run::{ExtractParams, Extraction, OnRemoval, Removal, dag, extract};
