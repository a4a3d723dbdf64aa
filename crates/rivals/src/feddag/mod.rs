//! FedDAG (Gao et al. 2023): clients train networks under one mask of edges, whose logits are
//! averaged again and again; a growing penalty drives the mask to an acyclic graph.
//!
//! | paper | code |
//! |---|---|
//! | mask logits U, `sigma((U + g1 - g2) / tau)` with Gumbel noise, one mask per step | `site` |
//! | one network per variable, squared error | `site` on [`fedcdi_learn::predict`] |
//! | `h = tr e^(M o M) - N`, augmented Lagrangian | `fit` |
//! | averaging U (GS-FedDAG) or everything (AS-FedDAG) | [`Sharing`] |
//! | the graph: `sigma(U / tau) > 1/2` | [`super::weighted_dag`] |
//!
//! Deviations:
//! - Batches, because the published full batches of a few hundred rows do not scale.
//! - [`HeadChoice::Categories`](fedcdi_learn::predict::HeadChoice): a softmax instead of squared errors of
//!   category codes, and interventional rows count for the variables they leave alone; `Codes` and
//!   `Observational` are the published way.
//! - The first penalty of cycles goes by the number of variables ([`FedDagParams::first_penalty`]);
//!   the published one is a setting.
//! - Clients count by their rows in averages, and h is that of the mask without noise, both when the
//!   penalty is decided on and at the end.

mod fit;
mod params;
mod site;

pub use params::{FedDagParams, Sharing};
