//! DCDI (Brouillard et al. 2020, "Differentiable causal discovery from interventional data"):
//! networks and a matrix of edge logits learn together by gradient descent, under a constraint that
//! the graph is acyclic.
//!
//! | paper | code | shape, range |
//! |---|---|---|
//! | Lambda, `P = sigma(Lambda)` | `logits` of `training` | `[cause, effect]` |
//! | M, a mask per sample, straight-through | `masked` | `[sample, cause]` of one effect |
//! | R, 0 for a variable that is intervened on | `Inputs` | `[regime, variable]` |
//! | `f_j` and its density | `masked`, `head` | one network per variable |
//! | h(Lambda) = (tr e^P - N) / (its value on the full graph) | `acyclicity` | >= 0 |
//! | `gamma_t`, `mu_t` and their updates | `lagrangian` | |
//! | training and held-out rows | `rows` | |
//! | stopping, thresholding | `training` | |
//!
//! Deviations. The paper has real variables; ours may be categorical, so each network sums embeddings
//! and ends in a softmax, as ENCO's do, and starts as ENCO's do. [`HeadChoice::Codes`](crate::predict::HeadChoice) is the paper's
//! Gaussian network on standardised category codes instead. Edges start at the logit of an
//! uninformed belief, the networks have some weight decay, and batches a share of interventional rows
//! (`rows`): all settings, whose published values are 5, 0 and 0. The
//! Lagrangian is validated on at most `rows::MOST_VALIDATED` of the held-out rows.

mod acyclicity;
mod lagrangian;
mod masked;
mod method;
mod params;
mod rows;
mod training;

pub use method::Dcdi;
pub use params::{DcdiParams, OptimiserChoice};
