//! From a belief to a graph: the literature's raw graph, and the acyclic one that we report.
//!
//! Paper: FedCDI section 4.4 thresholds the belief and may leave cycles; DESIGN "Extraction" adds
//! the acyclic step.
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
