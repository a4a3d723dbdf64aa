//! Sums over rows: which of them a site may be asked for, and which it can have sent.
//!
//! [`fedcdi_score::Ask`] says which sums; the DESIGN's `Count` is a question with tables, its `Slope` one
//! with models. Everything is a whole number, so the sum over sites is that over all rows, to the bit.
//!
//! | question | numbers of a site | what they can be |
//! |---|---|---|
//! | `Begin` | N^2, and 133 for every real variable | 0 or 1 beside the diagonal, else counts |
//! | `Moments` | 2 for every real variable | anything of a size that can be summed |
//! | `Sums`: a table | its cells | counts; with a real variable anything |
//! | `Sums`: a model | log-likelihood, slopes, and variances if asked for | anything |
//!
//! A site answers within the limits of the plan ([`Beyond`] names them) and of [`MOST_NUMBERS`]. No number
//! is larger than `2^62 / K` of one of K sites, so no sum overflows.
//!
//! | file | holds |
//! |---|---|
//! | `wire` | questions as messages |
//! | `asked` | what a site may be asked for |
//! | `sent` | what a site can have sent |

mod asked;
mod sent;
mod wire;

pub use asked::{Beyond, words};
pub use fedcdi_score::MOST_NUMBERS;
pub(crate) use sent::check;
