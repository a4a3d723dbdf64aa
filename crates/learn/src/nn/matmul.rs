//! The three matrix products of a dense layer, row-major, on one thread, from the gemm crate.
//!
//! | product | dims | use |
//! |---|---|---|
//! | `y = x w` | `[rows, n_in] [n_in, n_out]` | [`product`], forward |
//! | `dx = dy wᵀ` | `[rows, n_out] [n_out, n_in]` | [`product_transposed`], backward to the input |
//! | `dw = xᵀ dy` | `[n_in, rows] [rows, n_out]` | [`transposed_product`], backward to the weights |
//!
//! Weights are stored `[n_in, n_out]` with `n_out` a multiple of eight: for that layout gemm
//! neither packs nor masks in the forward product, which is most of the work.
#![allow(
    unsafe_code,
    reason = "gemm takes pointers; the wrappers check the lengths"
)]

use gemm::{Parallelism, gemm};

/// A row-major matrix argument: its numbers, and the strides between columns and between rows.
struct Operand<'a> {
    values: &'a [f32],
    column_stride: isize,
    row_stride: isize,
}

impl<'a> Operand<'a> {
    /// `rows` x `columns` as stored.
    fn stored(values: &'a [f32], columns: usize) -> Self {
        Self {
            values,
            column_stride: 1,
            row_stride: columns.cast_signed(),
        }
    }

    /// The transpose of a matrix stored with `columns` columns.
    fn transposed(values: &'a [f32], columns: usize) -> Self {
        Self {
            values,
            column_stride: columns.cast_signed(),
            row_stride: 1,
        }
    }
}

/// `y = x w` with `x: [rows, n_in]`, `w: [n_in, n_out]`, `y: [rows, n_out]`.
pub fn product(rows: usize, n_in: usize, n_out: usize, x: &[f32], w: &[f32], y: &mut [f32]) {
    assert!(x.len() >= rows * n_in && w.len() >= n_in * n_out && y.len() >= rows * n_out);
    let (x, w) = (Operand::stored(x, n_in), Operand::stored(w, n_out));
    multiply([rows, n_out, n_in], &x, &w, y);
}

/// `dx = dy wᵀ` with `dy: [rows, n_out]`, `w: [n_in, n_out]`, `dx: [rows, n_in]`.
pub fn product_transposed(
    rows: usize,
    n_in: usize,
    n_out: usize,
    dy: &[f32],
    w: &[f32],
    dx: &mut [f32],
) {
    assert!(dy.len() >= rows * n_out && w.len() >= n_in * n_out && dx.len() >= rows * n_in);
    let (dy, w) = (Operand::stored(dy, n_out), Operand::transposed(w, n_out));
    multiply([rows, n_in, n_out], &dy, &w, dx);
}

/// `dw = xᵀ dy` with `x: [rows, n_in]`, `dy: [rows, n_out]`, `dw: [n_in, n_out]`.
pub fn transposed_product(
    rows: usize,
    n_in: usize,
    n_out: usize,
    x: &[f32],
    dy: &[f32],
    dw: &mut [f32],
) {
    assert!(x.len() >= rows * n_in && dy.len() >= rows * n_out && dw.len() >= n_in * n_out);
    let (x, dy) = (Operand::transposed(x, n_in), Operand::stored(dy, n_out));
    multiply([n_in, n_out, rows], &x, &dy, dw);
}

/// `dst = lhs rhs` for dims `[rows of dst, columns of dst, inner]`; the callers checked the lengths.
fn multiply([m, n, k]: [usize; 3], lhs: &Operand<'_>, rhs: &Operand<'_>, dst: &mut [f32]) {
    if k == 0 {
        dst[..m * n].fill(0.0);
        return;
    }
    // SAFETY: `dst` is dense `[m, n]` and exclusively borrowed; `lhs` and `rhs` are dense matrices
    // of `m * k` and `k * n` numbers, and each caller has asserted that the slices are that long.
    unsafe {
        gemm(
            m,
            n,
            k,
            dst.as_mut_ptr(),
            1,
            n.cast_signed(),
            false,
            lhs.values.as_ptr(),
            lhs.column_stride,
            lhs.row_stride,
            rhs.values.as_ptr(),
            rhs.column_stride,
            rhs.row_stride,
            0.0,
            1.0,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(
        [m, n, k]: [usize; 3],
        a: impl Fn(usize, usize) -> f32,
        b: impl Fn(usize, usize) -> f32,
    ) -> Vec<f32> {
        let at = |i: usize, j: usize| (0..k).map(|l| a(i, l) * b(l, j)).sum();
        (0..m * n).map(|p| at(p / n, p % n)).collect()
    }

    proptest! {
        #[test]
        fn products_equal_triple_loops(rows in 0..40usize, n_in in 1..40usize, n_out in 1..40usize) {
            let numbers = |len: usize, step: f32| -> Vec<f32> {
                (0..len).map(|i| (i as f32 * step).sin()).collect()
            };
            let (x, w, dy) = (numbers(rows * n_in, 0.7), numbers(n_in * n_out, 1.3), numbers(rows * n_out, 2.1));
            let (mut y, mut dx, mut dw) = (vec![9.0; rows * n_out], vec![9.0; rows * n_in], vec![9.0; n_in * n_out]);
            product(rows, n_in, n_out, &x, &w, &mut y);
            product_transposed(rows, n_in, n_out, &dy, &w, &mut dx);
            transposed_product(rows, n_in, n_out, &x, &dy, &mut dw);
            let expected = [
                (y, naive([rows, n_out, n_in], |i, l| x[i * n_in + l], |l, j| w[l * n_out + j])),
                (dx, naive([rows, n_in, n_out], |i, l| dy[i * n_out + l], |l, j| w[j * n_out + l])),
                (dw, naive([n_in, n_out, rows], |i, l| x[l * n_in + i], |l, j| dy[l * n_out + j])),
            ];
            for (found, expected) in expected {
                prop_assert!(found.iter().zip(&expected).all(|(f, e)| (f - e).abs() < 1e-4));
            }
        }
    }
}
