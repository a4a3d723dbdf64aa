//! Numbers of the paper, to stand beside ours.
//!
//! Table 1 is printed. Curves were digitised from the authors' plots: good to about 0.1 where the
//! axis is short and 0.3 where it reaches 80. A point hidden behind another curve is left out.

mod aggregation;
mod curve;
mod dividing;
mod entropy;
mod growing;
mod horizontal;
mod rounds;
mod table_one;
mod vertical_10_10;
mod vertical_16_4;

pub use curve::{Curve, Trust, Value, curves};
use curve::{H, digitised, distrusted};
pub use table_one::{COLUMNS, Entry, TABLE_ONE};
