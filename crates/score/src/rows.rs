//! Who has rows.

use crate::ask::Ask;

/// Rows that can be summed over. A site keeps them; its sums leave.
pub trait Rows: Send {
    /// The numbers that a sound question asks for, [`Ask::n_numbers`] of them, whole: counts, and
    /// multiples of [`GRID`](crate::GRID) as how many.
    ///
    /// | question | numbers |
    /// |---|---|
    /// | [`Ask::Begin`] | `[cause, effect]`: 1 if some row sets the first and leaves the second alone; on the diagonal the rows that leave it alone. Then per real variable rows by magnitude |
    /// | [`Ask::Moments`] | per real variable the sum and the sum of squares |
    /// | [`Ask::Sums`] | those of all counts, then of all slopes |
    fn sums(&mut self, ask: &Ask) -> Vec<i64>;
}
