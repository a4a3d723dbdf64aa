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
//! | dL/dmask_i | [`add_mask_gradient`] | one number per table row asked for |

use super::LANES;
use super::adam::AdamStep;
use super::aligned::Aligned;
use super::lists::{InverseLists, RowLists};
use super::simd::{dispatched, mul_add};

/// A number as terms that are still to be added up.
pub(crate) type Parts = [f32; LANES];

/// Embedding table and bias; `width` is a multiple of [`super::LANES`].
#[derive(Clone, Debug)]
pub(crate) struct Embedding {
    pub width: usize,
    pub table: Aligned,
    pub bias: Aligned,
}

impl Embedding {
    pub(crate) fn zeros(n_rows: usize, width: usize) -> Self {
        Self {
            width,
            table: Aligned::zeros(n_rows * width),
            bias: Aligned::zeros(width),
        }
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.table.len() / self.width
    }

    /// One Adam step on the table from the gradient of the pre-activations, without writing the
    /// table's gradient to memory. Rows of `skip` are left alone.
    pub(crate) fn step_table(
        &mut self,
        (first, second): (&mut Self, &mut Self),
        inverse: &InverseLists,
        upstream: &[f32],
        step: &AdamStep,
        skip: std::ops::Range<usize>,
    ) {
        for range in [0..skip.start, skip.end..self.n_rows()] {
            let numbers = [&mut self.table, &mut first.table, &mut second.table];
            let numbers = numbers.map(|numbers| &mut numbers[..]);
            step_rows(*step, numbers, (self.width, range), inverse, upstream);
        }
    }
}

/// Runs `$kernel::<B, FMA>` with the largest block size `B` that divides `$width`: 64 floats are
/// half of the AVX2 registers, which leaves room for everything else in the loop.
macro_rules! with_block_size {
    ($width:expr, $kernel:ident($($arg:expr),*)) => {
        match $width {
            width if width % 64 == 0 => $kernel::<64, FMA>($($arg),*),
            width if width % 32 == 0 => $kernel::<32, FMA>($($arg),*),
            _ => $kernel::<LANES, FMA>($($arg),*),
        }
    };
}

/// Sum over a list of `weight * source[row]`, for block number `at` of each row, added to `start`.
/// `source` is a matrix of `per_row` blocks a row.
#[allow(clippy::inline_always, reason = "must become part of the wide loops")]
#[inline(always)]
fn sum_block<const B: usize, const FMA: bool>(
    source: &[[f32; B]],
    (per_row, at): (usize, usize),
    list: &[u32],
    weights: Option<&[f32]>,
    start: [f32; B],
) -> [f32; B] {
    let mut sum = start;
    match weights {
        None => {
            for &row in list {
                let values = &source[row as usize * per_row + at];
                for k in 0..B {
                    sum[k] += values[k];
                }
            }
        }
        Some(weights) => {
            for (&row, &weight) in list.iter().zip(weights) {
                let values = &source[row as usize * per_row + at];
                for k in 0..B {
                    sum[k] = mul_add::<FMA>(weight, values[k], sum[k]);
                }
            }
        }
    }
    sum
}

#[allow(clippy::inline_always, reason = "must become part of the wide loops")]
#[inline(always)]
fn sum_rows_by<const B: usize, const FMA: bool>(
    table: &[f32],
    bias: &[f32],
    lists: &RowLists,
    slope: f32,
    output: &mut [f32],
) {
    let (table, bias) = (table.as_chunks::<B>().0, bias.as_chunks::<B>().0);
    let rows = output.as_chunks_mut::<B>().0.chunks_exact_mut(bias.len());
    for (index, output) in rows.take(lists.len()).enumerate() {
        let (list, weights) = (lists.list(index), lists.weights(index));
        for (at, (output, start)) in output.iter_mut().zip(bias).enumerate() {
            let place = (bias.len(), at);
            let sum = sum_block::<B, FMA>(table, place, list, weights, *start);
            for k in 0..B {
                output[k] = sum[k].max(slope * sum[k]);
            }
        }
    }
}

#[allow(clippy::inline_always, reason = "must become part of the wide loops")]
#[inline(always)]
fn step_rows_by<const B: usize, const FMA: bool>(
    step: AdamStep,
    numbers: [&mut [f32]; 3],
    (width, range): (usize, std::ops::Range<usize>),
    inverse: &InverseLists,
    upstream: &[f32],
) {
    let per_row = width / B;
    let upstream = upstream.as_chunks::<B>().0;
    let [table, first, second] = numbers.map(|numbers| numbers.as_chunks_mut::<B>().0);
    for row in range {
        let (users, weights) = inverse.users(row);
        for at in 0..per_row {
            let sum = sum_block::<B, FMA>(upstream, (per_row, at), users, weights, [0.0; B]);
            let block = row * per_row + at;
            let (w, m, v) = (&mut table[block], &mut first[block], &mut second[block]);
            for k in 0..B {
                step.apply::<FMA>(&mut w[k], &mut m[k], &mut v[k], sum[k]);
            }
        }
    }
}

dispatched! {
    /// `output[r] = leaky(bias + sum of the rows of list r)`, `output: [list, width]`.
    pub(super) fn sum_rows(table: &[f32], bias: &[f32], lists: &RowLists, slope: f32, output: &mut [f32]) {
        with_block_size!(bias.len(), sum_rows_by(table, bias, lists, slope, output));
    }
}

dispatched! {
    /// `numbers` are the table and its moments, `rows` their width and which of them move.
    fn step_rows(
        step: AdamStep,
        numbers: [&mut [f32]; 3],
        rows: (usize, std::ops::Range<usize>),
        inverse: &InverseLists,
        upstream: &[f32],
    ) {
        with_block_size!(rows.0, step_rows_by(step, numbers, rows, inverse, upstream));
    }
}

dispatched! {
    /// Adds the derivative of the loss with respect to the mask entry of each of `rows`, times a
    /// weight per row, for one evaluated row whose pre-activation gradient is `upstream`: the inner
    /// products of the two, in parts whose sum is taken once for many evaluated rows.
    pub(crate) fn add_mask_gradient(
        table: &[f32],
        rows: &[u32],
        upstream: &[f32],
        weights: &[f32],
        gradient: &mut [Parts],
    ) {
        let (table, upstream) = (table.as_chunks::<LANES>().0, upstream.as_chunks::<LANES>().0);
        let per_row = upstream.len();
        for ((&row, &weight), gradient) in rows.iter().zip(weights).zip(gradient) {
            let values = &table[row as usize * per_row..][..per_row];
            let mut lanes = [0.0; LANES];
            for (values, upstream) in values.iter().zip(upstream) {
                for k in 0..LANES {
                    lanes[k] = mul_add::<FMA>(values[k], upstream[k], lanes[k]);
                }
            }
            for k in 0..LANES {
                gradient[k] = mul_add::<FMA>(weight, lanes[k], gradient[k]);
            }
        }
    }
}
