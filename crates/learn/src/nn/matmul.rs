//! The three matrix products of a dense layer, row-major, on one thread.
//!
//! | product | dims | code |
//! |---|---|---|
//! | `y = leaky(x w + bias)` | `[rows, n_in] [n_in, n_out]` | [`affine`], forward |
//! | `dx = leaky' (dy wᵀ)` | `[rows, n_out] [n_out, n_in]` | [`input_gradient`] |
//! | `dw = xᵀ dy` | `[n_in, rows] [rows, n_out]` | [`weight_gradient`] |
//!
//! With AVX2 or AVX-512 and padded widths the kernel of `tile` does it all in one pass; a batch of
//! 64 rows is too small for the packing of a general product to pay. Elsewhere the gemm crate
//! multiplies, and bias and activation are passes of their own.
#![allow(
    unsafe_code,
    reason = "gemm takes pointers, the wrappers check the lengths; and calls with more features"
)]

use gemm::{Parallelism, gemm};

use super::dense;
#[cfg(target_arch = "x86_64")]
use super::{LANES, simd::Vectors, wide};

/// Dims of a layer's product: rows, inputs, outputs.
pub(crate) type LayerDims = [usize; 3];

/// The vectors that the fused kernels can use on these widths, if they can at all.
#[cfg(target_arch = "x86_64")]
fn vectors([_, n_in, n_out]: LayerDims) -> Option<Vectors> {
    let padded = n_in.is_multiple_of(LANES) && n_out.is_multiple_of(LANES);
    let vectors = Vectors::of_processor();
    (padded && vectors > Vectors::Baseline).then_some(vectors)
}

/// `y = leaky(x w + bias)` with `x: [rows, n_in]`, `w: [n_in, n_out]`, `y: [rows, n_out]`; a slope of
/// one means no activation.
pub(crate) fn affine(
    dims: LayerDims,
    x: &[f32],
    w: &[f32],
    (bias, slope): (&[f32], f32),
    y: &mut [f32],
) {
    let [rows, n_in, n_out] = dims;
    let (bias, y) = (&bias[..n_out], &mut y[..rows * n_out]);
    #[cfg(target_arch = "x86_64")]
    if let Some(vectors) = vectors(dims) {
        // SAFETY: the processor was just found to have them.
        return unsafe { wide::affine(vectors, dims, x, w, (bias, slope), y) };
    }
    product([rows, n_out, n_in], x, w, y);
    dense::add_bias_leaky(y, bias, slope);
}

/// `dx = dy wᵀ` with `dy: [rows, n_out]`, `w: [n_in, n_out]`, `dx: [rows, n_in]`, times `slope` where
/// `activation: [rows, n_in]` is not positive. `scratch` is as large as `w`.
pub(crate) fn input_gradient(
    dims: LayerDims,
    dy: &[f32],
    w: &[f32],
    (activation, slope): (&[f32], f32),
    scratch: &mut [f32],
    dx: &mut [f32],
) {
    let [rows, n_in, n_out] = dims;
    let (scratch, dx) = (&mut scratch[..n_in * n_out], &mut dx[..rows * n_in]);
    #[cfg(target_arch = "x86_64")]
    if let Some(vectors) = vectors(dims) {
        // SAFETY: the processor was just found to have them.
        let input = (activation, slope);
        return unsafe { wide::input_gradient(vectors, dims, dy, w, input, scratch, dx) };
    }
    let (dy, w) = (Operand::stored(dy, n_out), Operand::transposed(w, n_out));
    multiply([rows, n_in, n_out], dy, w, dx);
    dense::leaky_backward(dx, activation, slope);
}

/// `dw = xᵀ dy` with `x: [rows, n_in]`, `dy: [rows, n_out]`, `dw: [n_in, n_out]`.
pub(crate) fn weight_gradient(dims: LayerDims, x: &[f32], dy: &[f32], dw: &mut [f32]) {
    let [rows, n_in, n_out] = dims;
    let dw = &mut dw[..n_in * n_out];
    #[cfg(target_arch = "x86_64")]
    if let Some(vectors) = vectors(dims) {
        // SAFETY: the processor was just found to have them.
        return unsafe { wide::weight_gradient(vectors, dims, x, dy, dw) };
    }
    let (x, dy) = (Operand::transposed(x, n_in), Operand::stored(dy, n_out));
    multiply([n_in, n_out, rows], x, dy, dw);
}

/// `y = a b` by the gemm crate with `a: [m, k]`, `b: [k, n]`, `y: [m, n]` for dims `[m, n, k]`.
pub(crate) fn product([m, n, k]: [usize; 3], a: &[f32], b: &[f32], y: &mut [f32]) {
    multiply([m, n, k], Operand::stored(a, k), Operand::stored(b, n), y);
}

/// A row-major matrix argument: entry `(r, k)` is number `r * row_stride + k * column_stride`.
#[derive(Clone, Copy)]
pub(super) struct Operand<'a> {
    pub(super) values: &'a [f32],
    pub(super) column_stride: usize,
    pub(super) row_stride: usize,
}

impl<'a> Operand<'a> {
    /// As stored, with this many columns.
    pub(super) fn stored(values: &'a [f32], columns: usize) -> Self {
        Self {
            values,
            column_stride: 1,
            row_stride: columns,
        }
    }

    /// The transpose of a matrix stored with `columns` columns.
    pub(super) fn transposed(values: &'a [f32], columns: usize) -> Self {
        Self {
            values,
            column_stride: columns,
            row_stride: 1,
        }
    }
}

/// `dst = lhs rhs` for dims `[rows of dst, columns of dst, inner]`.
fn multiply([m, n, k]: [usize; 3], lhs: Operand<'_>, rhs: Operand<'_>, dst: &mut [f32]) {
    assert!(lhs.values.len() >= m * k && rhs.values.len() >= k * n && dst.len() >= m * n);
    if k == 0 {
        dst[..m * n].fill(0.0);
        return;
    }
    // SAFETY: `dst` is dense `[m, n]` and exclusively borrowed; `lhs` and `rhs` are dense matrices
    // of `m * k` and `k * n` numbers, and the slices were just found to be that long.
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
            lhs.column_stride.cast_signed(),
            lhs.row_stride.cast_signed(),
            rhs.values.as_ptr(),
            rhs.column_stride.cast_signed(),
            rhs.row_stride.cast_signed(),
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
        finish: impl Fn(usize, f32) -> f32,
    ) -> Vec<f32> {
        let at = |i: usize, j: usize| (0..k).map(|l| a(i, l) * b(l, j)).sum();
        (0..m * n).map(|p| finish(p, at(p / n, p % n))).collect()
    }

    fn numbers(len: usize, step: f32) -> Vec<f32> {
        (0..len).map(|i| (i as f32 * step).sin()).collect()
    }

    fn check(dims: LayerDims) -> Result<(), TestCaseError> {
        let [rows, n_in, n_out] = dims;
        let (x, w, dy) = (
            numbers(rows * n_in, 0.7),
            numbers(n_in * n_out, 1.3),
            numbers(rows * n_out, 2.1),
        );
        let bias = numbers(n_out, 0.9);
        let (mut y, mut dx, mut dw) = (
            vec![9.0; rows * n_out],
            vec![9.0; rows * n_in],
            vec![9.0; n_in * n_out],
        );
        affine(dims, &x, &w, (&bias, 0.1), &mut y);
        input_gradient(
            dims,
            &dy,
            &w,
            (&x, 0.1),
            &mut vec![9.0; n_in * n_out],
            &mut dx,
        );
        weight_gradient(dims, &x, &dy, &mut dw);
        let leaky = |p: usize, v: f32| {
            let v = v + bias[p % n_out];
            if v > 0.0 { v } else { 0.1 * v }
        };
        let back = |p: usize, v: f32| if x[p] > 0.0 { v } else { 0.1 * v };
        let expected = [
            (
                y,
                naive(
                    [rows, n_out, n_in],
                    |i, l| x[i * n_in + l],
                    |l, j| w[l * n_out + j],
                    leaky,
                ),
            ),
            (
                dx,
                naive(
                    [rows, n_in, n_out],
                    |i, l| dy[i * n_out + l],
                    |l, j| w[j * n_out + l],
                    back,
                ),
            ),
            (
                dw,
                naive(
                    [n_in, n_out, rows],
                    |i, l| x[l * n_in + i],
                    |l, j| dy[l * n_out + j],
                    |_, v| v,
                ),
            ),
        ];
        for (found, expected) in expected {
            prop_assert!(
                found
                    .iter()
                    .zip(&expected)
                    .all(|(f, e)| (f - e).abs() < 1e-4)
            );
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn products_of_any_width_equal_triple_loops(rows in 0..40usize, n_in in 1..40usize, n_out in 1..40usize) {
            check([rows, n_in, n_out])?;
        }

        #[test]
        fn products_of_padded_widths_equal_triple_loops(rows in 0..40usize, n_in in 1..6usize, n_out in 1..6usize) {
            check([rows, 8 * n_in, 8 * n_out])?;
        }
    }

    #[test]
    fn a_row_does_not_depend_on_the_rows_around_it() {
        let (x, w, bias) = (
            numbers(13 * 64, 0.7),
            numbers(64 * 24, 1.3),
            numbers(24, 0.9),
        );
        let mut all = vec![0.0; 13 * 24];
        affine([13, 64, 24], &x, &w, (&bias, 0.1), &mut all);
        for row in 0..13 {
            let mut alone = vec![0.0; 24];
            affine([1, 64, 24], &x[row * 64..], &w, (&bias, 0.1), &mut alone);
            assert_eq!(alone, all[row * 24..][..24]);
        }
    }
}
