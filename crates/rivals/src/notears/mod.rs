//! NOTEARS-ADMM (Ng and Zhang 2022): linear regressions that agree on one acyclic graph. With one
//! client it is NOTEARS (Zheng et al. 2018), fitted as published.
//!
//! | paper | code |
//! |---|---|
//! | `S_k = X_k^T X_k / n`, data centred per client | `moments` |
//! | the augmented Lagrangian and its schedule | `admm` |
//! | `B_k`, the client's regressions | `regression` |
//! | `W = argmin l1 + alpha h + rho_1 h^2 / 2 + consensus` | `consensus` |
//! | the same without consensus: NOTEARS | `alone` |
//! | `alpha h + rho_1 h^2 / 2` | `cycles` |
//! | threshold, then the smallest edges until acyclic | [`super::weighted_dag`] |
//!
//! Deviations, each because the published form costs accuracy:
//! - A variable is never its own regressor; the authors leave it to h to remove self-loops.
//! - The l1 term is handled as such (orthant-wise L-BFGS); the authors' optimiser sees a subgradient.
//! - [`RowsUsed::Untouched`](super::rows::RowsUsed::Untouched) also uses interventional rows, for the variables that they leave alone;
//!   `Observational` is the published way.
//! - Clients count by their rows; the authors assume equal numbers.

mod admm;
mod alone;
mod consensus;
mod cycles;
mod fit;
mod lbfgs;
mod moments;
mod params;
mod regression;

pub(crate) use cycles::CyclePenalty;
pub use params::NotearsParams;
