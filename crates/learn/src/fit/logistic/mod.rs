//! The additive multinomial logistic model: the log-odds of a categorical effect are sums of one
//! term per parent, so that parents add parameters where a table would multiply them.
//!
//! | formula | code |
//! |---|---|
//! | `ln p(v given x) = a_v + sum_p b_(p, x_p, v) - ln sum_u exp(..)` | [`Design`] |
//! | maximum of `sum N_xv ln p(v given x)` over the combinations x that occur | [`fit()`] |
//! | parameters: `(C - 1) (1 + sum_p (C_p - 1))` | [`n_parameters`] |
//! | twice the gain by one more parent, from slope and curvature without it | [`scores`] |

#![allow(
    clippy::inline_always,
    reason = "kernels must become part of the wide loops"
)]

mod design;
mod fit;
mod metric;
mod score;
pub(crate) mod sums;

pub(crate) use design::{Design, n_parameters};
pub(crate) use fit::{Precision, fit};
pub(crate) use score::scores;
