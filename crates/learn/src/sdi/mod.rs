//! SDI (Ke et al. 2019, "Learning neural causal models from unknown interventions"): one logit per
//! edge, moved towards the sampled parent sets under which interventional rows are likely.
//!
//! | paper | code | shape, range |
//! |---|---|---|
//! | gamma_ij, "j is a parent of i" | `logits[(j, i)]`: ours is `[cause, effect]` | clamped to +-5 |
//! | theta_i, functional parameters | [`Conditional`](crate::conditional::Conditional), one hidden layer | one per variable |
//! | phase 1, functional fitting | [`method`] | observational rows |
//! | phase 2, interventions and scoring | [`episode`] | rows of one regime, drawn with replacement |
//! | target prediction | [`episode`], [`Targets::Predicted`] | off by default |
//! | phase 3, `g_ij` and regularisers | [`gradient`] | `[cause, effect]` |
//!
//! | module | holds |
//! |---|---|
//! | [`params`] | settings |
//! | [`gradient`] | the two forms of the gradient, sparsity, the pairwise DAG term |
//! | [`episode`] | one intervention: rows, sampled parent sets, likelihoods, one step |
//! | [`method`] | [`Sdi`]: one round, as a [`LocalMethod`](fedcdi_core::LocalMethod) |

pub mod episode;
pub mod gradient;
pub mod method;
pub mod params;

pub use method::Sdi;
pub use params::{GradientForm, SdiParams, Targets};
