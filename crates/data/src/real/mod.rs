//! Generated data of real variables: a graph, mechanisms with noise, and samples from them.
//!
//! Paper: DCDI (Brouillard et al. 2020), appendix on synthetic data.
//!
//! | paper | code |
//! |---|---|
//! | linear, nonlinear with additive noise, nonlinear with non-additive noise | [`RealFamily`] |
//! | a variable given its parents | [`RealMechanism`] |
//! | perfect interventions | [`SetTo`] |
//! | samples of all regimes, standardised or not | [`sample_real`] |

mod family;
mod mechanism;
mod network;
mod sample;

pub use family::{RealFamily, SetTo};
pub use mechanism::RealMechanism;
pub use network::RealNetwork;
pub use sample::{sample_real, standardise};
