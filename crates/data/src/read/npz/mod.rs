//! Samples as a NumPy archive.
//!
//! | array | shape | holds |
//! |---|---|---|
//! | `data_obs` | `[n, N]` | category codes or real numbers of observational samples |
//! | `data_int` | `[N, m, N]` | block `v`: samples under an intervention on variable `v` |
//! | `adj` or `adj_matrix` | `[N, N]` | optional: 1 where the row's variable causes the column's |
//! | `names` | `[N]` | optional names; `X1`, `X2`, .. without |
//! | `num_categs` | `[N]` | optional numbers of categories; else the largest code plus one |
//! | `real` | `[N]` | optional: 1 where a variable is real, written by fedcdi for mixed tables |
//! | `labels` | `[N, C]` | optional category labels, written by fedcdi; else `0`, `1`, .. |
//!
//! One of `data_obs` and `data_int` may be absent. Codes may have any integer type or boolean;
//! floating-point arrays are real numbers, all variables of them. Where a schema, `num_categs` or
//! `labels` speaks of categories, floating-point arrays may hold codes, as long as every one is
//! whole; and where `real` says so, variables of both kinds.

mod archive;
mod npy;
mod samples;
mod table;

pub(crate) use table::NPZ;
pub(super) use table::read_npz_graph;
