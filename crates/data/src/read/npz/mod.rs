//! Samples as a NumPy archive.
//!
//! | array | shape | holds |
//! |---|---|---|
//! | `data_obs` | `[n, N]` | category codes of observational samples |
//! | `data_int` | `[N, m, N]` | block `v`: samples under an intervention on variable `v` |
//! | `adj` or `adj_matrix` | `[N, N]` | optional: 1 where the row's variable causes the column's |
//! | `names` | `[N]` | optional names; `X1`, `X2`, .. without |
//! | `num_categs` | `[N]` | optional numbers of categories; else the largest code plus one |
//! | `labels` | `[N, C]` | optional category labels, written by fedcdi; else `0`, `1`, .. |
//!
//! One of `data_obs` and `data_int` may be absent. Codes may have any integer type, boolean, or a
//! floating-point type as long as every value is whole.

mod archive;
mod codes;
mod npy;
mod table;

pub(super) use table::read_npz_graph;
pub use table::{Table, read_npz};
