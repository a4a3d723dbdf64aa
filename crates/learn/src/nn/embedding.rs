//! The first layer: a bias plus the sum of the listed rows of an embedding table, then leaky `ReLU`.
//!
//! Paper: ENCO appendix on the conditional networks; equals one-hot inputs, a mask and a linear
//! layer.
//!
//! | paper | code | shape |
//! |---|---|---|
//! | E_j[i, c] | [`Embedding::table`] | `[table row, width]`, one table row per (variable, category) |
//! | bias0_j | [`Embedding::bias`] | `[width]` |
//! | x_i for unmasked i | [`RowLists`] | lists of table rows |
//! | dL/dmask_i | [`Embedding::mask_gradient`] | one number per table row asked for |

use super::adam::AdamStep;
use super::aligned::Aligned;
use super::lists::{InverseLists, RowLists};
use super::simd::dispatched;

/// Embedding table and bias; `width` is a multiple of [`super::LANES`].
#[derive(Clone, Debug)]
pub struct Embedding {
    /// Numbers per table row.
    pub width: usize,
    /// `[table row, width]`.
    pub table: Aligned,
    /// `[width]`.
    pub bias: Aligned,
}

impl Embedding {
    /// All zero.
    pub fn zeros(n_rows: usize, width: usize) -> Self {
        Self {
            width,
            table: Aligned::zeros(n_rows * width),
            bias: Aligned::zeros(width),
        }
    }

    /// Number of table rows.
    pub fn n_rows(&self) -> usize {
        self.table.len() / self.width
    }

    /// `output[r] = leaky(bias + sum of the rows of list r)`, `output: [list, width]`.
    pub fn forward(&self, lists: &RowLists, slope: f32, output: &mut [f32]) {
        sum_rows(&self.table, &self.bias, lists, slope, output);
    }

    /// Gradient of the table, given that of the pre-activations, `[list, width]`.
    pub fn table_gradient(&self, inverse: &InverseLists, upstream: &[f32], gradient: &mut [f32]) {
        sum_users(inverse, upstream, self.width, gradient);
    }

    /// Derivative of the loss with respect to the mask entry of each of `rows`, for one evaluated
    /// row whose pre-activation gradient is `upstream`: the inner products of the two.
    pub fn mask_gradient(&self, rows: &[u32], upstream: &[f32], gradient: &mut [f32]) {
        inner_products(&self.table, rows, &upstream[..self.width], gradient);
    }

    /// One Adam step on the table from the gradient of the pre-activations, without writing the
    /// table's gradient to memory. Rows of `skip` are left alone.
    pub fn step_table(
        &mut self,
        moments: (&mut Self, &mut Self),
        inverse: &InverseLists,
        upstream: &[f32],
        step: &AdamStep,
        skip: std::ops::Range<usize>,
    ) {
        let [before, after] = [0..skip.start, skip.end..self.n_rows()];
        let (first, second) = (&mut moments.0.table, &mut moments.1.table);
        for range in [before, after] {
            step_rows(
                step,
                &mut self.table,
                first,
                second,
                inverse,
                upstream,
                self.width,
                range,
            );
        }
    }
}

/// Sum of `weight * source[row]` over a list, for the columns `at..at + B`, added to `start`.
#[allow(clippy::inline_always, reason = "must become part of the wide loops")]
#[inline(always)]
fn sum_block<const B: usize>(
    source: &[f32],
    width: usize,
    at: usize,
    list: &[u32],
    weights: Option<&[f32]>,
    start: [f32; B],
) -> [f32; B] {
    let mut sum = start;
    match weights {
        None => {
            for &row in list {
                let from = row as usize * width + at;
                let values: &[f32; B] = source[from..from + B].try_into().expect("B values");
                for k in 0..B {
                    sum[k] += values[k];
                }
            }
        }
        Some(weights) => {
            for (&row, &weight) in list.iter().zip(weights) {
                let from = row as usize * width + at;
                let values: &[f32; B] = source[from..from + B].try_into().expect("B values");
                for k in 0..B {
                    sum[k] += weight * values[k];
                }
            }
        }
    }
    sum
}

/// Calls `$block` with a constant block size for every block of columns: 32s, then 8s.
macro_rules! for_blocks {
    ($width:expr, $at:ident, $size:ident, $body:block) => {
        let mut $at = 0;
        while $at + 32 <= $width {
            const $size: usize = 32;
            $body
            $at += 32;
        }
        while $at < $width {
            const $size: usize = super::LANES;
            $body
            $at += super::LANES;
        }
    };
}

/// `B` values of a slice as an array.
#[allow(clippy::inline_always, reason = "must become part of the wide loops")]
#[inline(always)]
fn block<const B: usize>(values: &[f32], at: usize) -> [f32; B] {
    values[at..at + B].try_into().expect("B values")
}

dispatched! {
    fn sum_rows(table: &[f32], bias: &[f32], lists: &RowLists, slope: f32, output: &mut [f32]) {
        let width = bias.len();
        for (index, output) in output.chunks_exact_mut(width).take(lists.len()).enumerate() {
            let (list, weights) = (lists.list(index), lists.weights(index));
            for_blocks!(width, at, B, {
                let sum = sum_block::<B>(table, width, at, list, weights, block(bias, at));
                for (to, sum) in output[at..at + B].iter_mut().zip(sum) {
                    *to = sum.max(slope * sum);
                }
            });
        }
    }
}

dispatched! {
    fn sum_users(inverse: &InverseLists, upstream: &[f32], width: usize, gradient: &mut [f32]) {
        for (row, gradient) in gradient.chunks_exact_mut(width).enumerate() {
            let (users, weights) = (inverse.users(row), inverse.weights(row));
            for_blocks!(width, at, B, {
                let sum = sum_block::<B>(upstream, width, at, users, weights, [0.0; B]);
                gradient[at..at + B].copy_from_slice(&sum);
            });
        }
    }
}

dispatched! {
    #[allow(clippy::too_many_arguments, reason = "the operands of one fused loop")]
    fn step_rows(
        step: &AdamStep,
        table: &mut [f32],
        first: &mut [f32],
        second: &mut [f32],
        inverse: &InverseLists,
        upstream: &[f32],
        width: usize,
        range: std::ops::Range<usize>,
    ) {
        let step = *step;
        for row in range {
            let (users, weights) = (inverse.users(row), inverse.weights(row));
            for_blocks!(width, at, B, {
                let sum = sum_block::<B>(upstream, width, at, users, weights, [0.0; B]);
                let span = row * width + at..row * width + at + B;
                let (w, m) = (&mut table[span.clone()], &mut first[span.clone()]);
                let v = &mut second[span];
                for k in 0..B {
                    step.apply(&mut w[k], &mut m[k], &mut v[k], sum[k]);
                }
            });
        }
    }
}

dispatched! {
    fn inner_products(table: &[f32], rows: &[u32], upstream: &[f32], gradient: &mut [f32]) {
        let width = upstream.len();
        for (&row, gradient) in rows.iter().zip(gradient) {
            let values = &table[row as usize * width..][..width];
            let mut lanes = [0.0; super::LANES];
            for at in (0..width).step_by(super::LANES) {
                for k in 0..super::LANES {
                    lanes[k] += values[at + k] * upstream[at + k];
                }
            }
            *gradient = lanes.iter().sum();
        }
    }
}
