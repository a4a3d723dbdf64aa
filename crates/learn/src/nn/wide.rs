//! The three products of a dense layer with AVX2, fused with what follows them.
//!
//! Same meaning as in [`super::matmul`], which calls these where the processor allows it.

use std::arch::x86_64::{
    __m256, _CMP_GT_OQ, _mm256_blendv_ps, _mm256_cmp_ps, _mm256_max_ps, _mm256_mul_ps,
    _mm256_permute2f128_ps, _mm256_set1_ps, _mm256_setzero_ps, _mm256_shuffle_ps,
    _mm256_unpackhi_ps, _mm256_unpacklo_ps,
};

use super::LANES;
use super::simd::{load, store};
use super::tile::{Left, multiply};

/// `y = leaky(x w + bias)`.
#[target_feature(enable = "avx2,fma")]
pub(super) fn affine(
    [rows, n_in, n_out]: [usize; 3],
    x: &[f32],
    w: &[f32],
    (bias, slope): (&[f32], f32),
    y: &mut [f32],
) {
    let x = Left {
        values: x,
        row_stride: n_in,
        stride: 1,
    };
    let slope = _mm256_set1_ps(slope);
    let leaky = |_, sums| _mm256_max_ps(sums, _mm256_mul_ps(slope, sums));
    multiply([rows, n_out, n_in], x, w, Some(bias), y, leaky);
}

/// `dw = xᵀ dy`.
#[target_feature(enable = "avx2,fma")]
pub(super) fn weight_gradient(
    [rows, n_in, n_out]: [usize; 3],
    x: &[f32],
    dy: &[f32],
    dw: &mut [f32],
) {
    let x = Left {
        values: x,
        row_stride: 1,
        stride: n_in,
    };
    multiply([n_in, n_out, rows], x, dy, None, dw, |_, sums| sums);
}

/// `dx = dy wᵀ`, times `slope` where the activation is not positive; `transposed` is scratch for the
/// weights.
#[target_feature(enable = "avx2,fma")]
pub(super) fn input_gradient(
    [rows, n_in, n_out]: [usize; 3],
    dy: &[f32],
    w: &[f32],
    (activation, slope): (&[f32], f32),
    transposed: &mut [f32],
    dx: &mut [f32],
) {
    transpose([n_in, n_out], w, transposed);
    let dy = Left {
        values: dy,
        row_stride: n_out,
        stride: 1,
    };
    let (activation, _) = activation[..rows * n_in].as_chunks::<LANES>();
    let slope = _mm256_set1_ps(slope);
    let leaky = |place, sums| {
        let positive =
            _mm256_cmp_ps::<_CMP_GT_OQ>(load(&activation[place / LANES]), _mm256_setzero_ps());
        _mm256_blendv_ps(_mm256_mul_ps(slope, sums), sums, positive)
    };
    multiply([rows, n_in, n_out], dy, transposed, None, dx, leaky);
}

/// `to = fromᵀ` with `from: [rows, columns]`, both multiples of [`LANES`], square by square.
#[target_feature(enable = "avx2,fma")]
fn transpose([rows, columns]: [usize; 2], from: &[f32], to: &mut [f32]) {
    for top in (0..rows).step_by(LANES) {
        for left in (0..columns).step_by(LANES) {
            let mut square = [_mm256_setzero_ps(); LANES];
            for (r, register) in square.iter_mut().enumerate() {
                let (chunks, _) = from[(top + r) * columns + left..][..LANES].as_chunks();
                *register = load(&chunks[0]);
            }
            for (c, register) in transpose_square(square).into_iter().enumerate() {
                let (chunks, _) = to[(left + c) * rows + top..][..LANES].as_chunks_mut();
                store(register, &mut chunks[0]);
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
