//! The three products of a dense layer with vector registers, fused with what follows them.
//!
//! Same meaning as in [`super::matmul`], which calls these where the processor allows it.
//!
//! # Safety
//! Every unsafe function needs a processor that has the [`Vectors`] it is given, at least AVX2.
#![allow(
    unsafe_code,
    reason = "kernels belong to functions compiled for their instructions, which take pointers"
)]

use std::arch::x86_64::{
    __m256, __m512, _mm256_permute2f128_ps, _mm256_setzero_ps, _mm256_shuffle_ps,
    _mm256_unpackhi_ps, _mm256_unpacklo_ps,
};

use super::LANES;
use super::matmul::{LayerDims, Operand};
use super::register::Register;
use super::simd::Vectors;
use super::tile::{Finish, Leaky, LeakyBackward, Product};

/// `y = leaky(x w + bias)`.
pub(super) unsafe fn affine(
    vectors: Vectors,
    [rows, n_in, n_out]: LayerDims,
    x: &[f32],
    w: &[f32],
    (bias, slope): (&[f32], f32),
    y: &mut [f32],
) {
    let product = Product {
        dims: [rows, n_out, n_in],
        left: Operand::stored(x, n_in),
        right: w,
        start: Some(bias),
        finish: Leaky(slope),
    };
    // SAFETY: the caller's.
    unsafe { write(vectors, &product, y) }
}

/// `dw = xᵀ dy`.
pub(super) unsafe fn weight_gradient(
    vectors: Vectors,
    [rows, n_in, n_out]: LayerDims,
    x: &[f32],
    dy: &[f32],
    dw: &mut [f32],
) {
    let product = Product {
        dims: [n_in, n_out, rows],
        left: Operand::transposed(x, n_in),
        right: dy,
        start: None,
        finish: Leaky(1.0),
    };
    // SAFETY: the caller's.
    unsafe { write(vectors, &product, dw) }
}

/// `dx = dy wᵀ`, times `slope` where the activation is not positive; `transposed` is scratch for the
/// weights.
pub(super) unsafe fn input_gradient(
    vectors: Vectors,
    [rows, n_in, n_out]: LayerDims,
    dy: &[f32],
    w: &[f32],
    (activation, slope): (&[f32], f32),
    transposed: &mut [f32],
    dx: &mut [f32],
) {
    // SAFETY: the caller's.
    unsafe { transpose([n_in, n_out], w, transposed) };
    let product = Product {
        dims: [rows, n_in, n_out],
        left: Operand::stored(dy, n_out),
        right: transposed,
        start: None,
        finish: LeakyBackward(activation, slope),
    };
    // SAFETY: the caller's.
    unsafe { write(vectors, &product, dx) }
}

unsafe fn write<F: Finish>(vectors: Vectors, product: &Product<'_, F>, y: &mut [f32]) {
    #[target_feature(enable = "avx2,fma")]
    fn avx2<F: Finish>(product: &Product<'_, F>, y: &mut [f32]) {
        // SAFETY: this function may only be called where there are the instructions.
        unsafe { product.write::<__m256>(y) }
    }
    #[target_feature(enable = "avx2,fma,avx512f,avx512vl,avx512dq")]
    fn avx512<F: Finish>(product: &Product<'_, F>, y: &mut [f32]) {
        // SAFETY: this function may only be called where there are the instructions.
        unsafe { product.write::<__m512>(y) }
    }
    // SAFETY: the caller's.
    unsafe {
        match vectors {
            Vectors::Avx512 => avx512(product, y),
            _ => avx2(product, y),
        }
    }
}

/// `to = fromᵀ` with `from: [rows, columns]`, both multiples of [`LANES`], square by square.
#[target_feature(enable = "avx2,fma")]
fn transpose([rows, columns]: [usize; 2], from: &[f32], to: &mut [f32]) {
    for top in (0..rows).step_by(LANES) {
        for left in (0..columns).step_by(LANES) {
            let mut square = [_mm256_setzero_ps(); LANES];
            for (r, register) in square.iter_mut().enumerate() {
                let row = &from[(top + r) * columns + left..][..LANES];
                // SAFETY: eight numbers, on a processor with AVX2.
                *register = unsafe { __m256::load(row.as_ptr()) };
            }
            for (c, register) in transpose_square(square).into_iter().enumerate() {
                let row = &mut to[(left + c) * rows + top..][..LANES];
                // SAFETY: room for eight numbers, on a processor with AVX2.
                unsafe { register.store(row.as_mut_ptr()) };
            }
        }
    }
}

/// Rows become columns: pairs of rows are interleaved, then pairs of pairs, then halves.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn transpose_square(rows: [__m256; LANES]) -> [__m256; LANES] {
    let [a, b, c, d, e, f, g, h] = rows;
    let pairs = |a, b| [_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b)];
    let [ab, cd, ef, gh] = [pairs(a, b), pairs(c, d), pairs(e, f), pairs(g, h)];
    let low = |a, b| _mm256_shuffle_ps::<0b01_00_01_00>(a, b);
    let high = |a, b| _mm256_shuffle_ps::<0b11_10_11_10>(a, b);
    let fours = |p: [__m256; 2], q: [__m256; 2]| {
        [
            low(p[0], q[0]),
            high(p[0], q[0]),
            low(p[1], q[1]),
            high(p[1], q[1]),
        ]
    };
    let (top, bottom) = (fours(ab, cd), fours(ef, gh));
    let mut columns = [_mm256_setzero_ps(); LANES];
    for k in 0..LANES / 2 {
        columns[k] = _mm256_permute2f128_ps::<0x20>(top[k], bottom[k]);
        columns[k + LANES / 2] = _mm256_permute2f128_ps::<0x31>(top[k], bottom[k]);
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbers(len: usize, step: f32) -> Vec<f32> {
        (0..len).map(|i| (i as f32 * step).sin()).collect()
    }

    /// The three products one after the other.
    fn products(vectors: Vectors, dims: LayerDims) -> [Vec<f32>; 3] {
        let [rows, n_in, n_out] = dims;
        let (x, dy) = (numbers(rows * n_in, 0.7), numbers(rows * n_out, 2.1));
        let (w, bias) = (numbers(n_in * n_out, 1.3), numbers(n_out, 0.9));
        let [mut y, mut dx] = [rows * n_out, rows * n_in].map(|len| vec![9.0; len]);
        let [mut dw, mut scratch] = [n_in * n_out; 2].map(|len| vec![9.0; len]);
        // SAFETY: the caller asked the processor.
        unsafe {
            affine(vectors, dims, &x, &w, (&bias, 0.1), &mut y);
            input_gradient(vectors, dims, &dy, &w, (&x, 0.1), &mut scratch, &mut dx);
            weight_gradient(vectors, dims, &x, &dy, &mut dw);
        }
        [y, dx, dw]
    }

    proptest! {
        #[test]
        fn registers_of_either_width_give_the_same_bits(rows in 0..40usize, n_in in 1..9usize, n_out in 1..9usize) {
            if Vectors::of_processor() == Vectors::Avx512 {
                let dims = [rows, 8 * n_in, 8 * n_out];
                prop_assert_eq!(products(Vectors::Avx2, dims), products(Vectors::Avx512, dims));
            }
        }
    }
}
