//! Matrix products of small layers with AVX2: tiles of the result stay in registers.
//!
//! The weights of a layer fit the L1 or L2 cache, so nothing is packed and nothing is blocked: a
//! tile of up to [`ROWS`] x 16 sums runs once through the inner dimension and is written together
//! with bias and activation. A row of the result does not depend on the rows around it.
#![allow(
    unsafe_code,
    reason = "bounds checks in the inner loop would cost a third of the speed"
)]

use std::arch::x86_64::{__m256, _mm256_fmadd_ps, _mm256_set1_ps, _mm256_setzero_ps};

use super::LANES;
use super::simd::{load, store};

/// Rows of a full tile. With two registers of columns, 12 of the 16 AVX2 registers hold sums:
/// enough to hide the latency of multiply-add, few enough to stay in registers.
const ROWS: usize = 6;

/// Left factor `[m, inner]`: entry `(r, k)` is number `r * row_stride + k * stride` of `values`.
#[derive(Clone, Copy)]
pub(super) struct Left<'a> {
    pub(super) values: &'a [f32],
    pub(super) row_stride: usize,
    pub(super) stride: usize,
}

impl Left<'_> {
    fn holds(&self, m: usize, inner: usize) -> bool {
        let last = (m.max(1) - 1) * self.row_stride + (inner.max(1) - 1) * self.stride;
        m * inner == 0 || last < self.values.len()
    }
}

/// `y = finish(start + left right)` with `left: [m, inner]`, `right: [inner, n]`, `y: [m, n]`, for
/// `n` a multiple of [`LANES`]; `start: [n]` is the same for every row. `finish` gets eight sums and
/// the place of the first in `y`.
#[target_feature(enable = "avx2,fma")]
pub(super) fn multiply(
    [m, n, inner]: [usize; 3],
    left: Left<'_>,
    right: &[f32],
    start: Option<&[f32]>,
    y: &mut [f32],
    finish: impl Fn(usize, __m256) -> __m256,
) {
    assert!(n.is_multiple_of(LANES) && left.holds(m, inner) && right.len() >= inner * n);
    let strip = Strip {
        n,
        inner,
        left,
        right,
        start,
        finish,
    };
    for (number, y) in y[..m * n].chunks_mut(ROWS * n).enumerate() {
        let first = number * ROWS;
        // SAFETY: `first + R <= m`, since `y` has `R` rows from there on.
        unsafe {
            match y.len() / n {
                6 => strip.multiply::<6>(first, y),
                5 => strip.multiply::<5>(first, y),
                4 => strip.multiply::<4>(first, y),
                3 => strip.multiply::<3>(first, y),
                2 => strip.multiply::<2>(first, y),
                _ => strip.multiply::<1>(first, y),
            }
        }
    }
}

/// What all strips of rows of one product have in common.
struct Strip<'a, F> {
    n: usize,
    inner: usize,
    left: Left<'a>,
    /// At least `[inner, n]`.
    right: &'a [f32],
    start: Option<&'a [f32]>,
    finish: F,
}

impl<F: Fn(usize, __m256) -> __m256> Strip<'_, F> {
    /// The `R` rows of the result from number `first` on.
    ///
    /// # Safety
    /// `left` has `first + R` rows of `inner`.
    #[target_feature(enable = "avx2,fma")]
    unsafe fn multiply<const R: usize>(&self, first: usize, y: &mut [f32]) {
        for at in (0..self.n).step_by(2 * LANES) {
            // SAFETY: the columns end at `n`, a multiple of `LANES`; the rows are the caller's.
            unsafe {
                if at + 2 * LANES <= self.n {
                    self.tile::<R, 2>((first, at), y);
                } else {
                    self.tile::<R, 1>((first, at), y);
                }
            }
        }
    }

    /// The part of a strip from column `at` on that is `C` registers wide.
    ///
    /// # Safety
    /// `left` has `first + R` rows of `inner`, and `at + C * LANES <= n`.
    #[target_feature(enable = "avx2,fma")]
    unsafe fn tile<const R: usize, const C: usize>(
        &self,
        (first, at): (usize, usize),
        y: &mut [f32],
    ) {
        let mut sums = [self.start::<C>(at); R];
        let Left {
            values,
            row_stride,
            stride,
        } = self.left;
        for k in 0..self.inner {
            let mut right = [_mm256_setzero_ps(); C];
            for (c, right) in right.iter_mut().enumerate() {
                let place = k * self.n + at + c * LANES;
                // SAFETY: row `k < inner` of `right`, up to column `at + C * LANES <= n`.
                *right = load(unsafe { &*self.right.as_ptr().add(place).cast() });
            }
            for (r, sums) in sums.iter_mut().enumerate() {
                let place = (first + r) * row_stride + k * stride;
                // SAFETY: row `first + r` and column `k < inner` of `left`, which holds them.
                let left = _mm256_set1_ps(unsafe { *values.get_unchecked(place) });
                for c in 0..C {
                    sums[c] = _mm256_fmadd_ps(left, right[c], sums[c]);
                }
            }
        }
        for (r, (y, sums)) in y.chunks_exact_mut(self.n).zip(sums).enumerate() {
            let (to, _) = y[at..at + C * LANES].as_chunks_mut::<LANES>();
            for (c, (to, sum)) in to.iter_mut().zip(sums).enumerate() {
                let place = (first + r) * self.n + at + c * LANES;
                store((self.finish)(place, sum), to);
            }
        }
    }

    #[target_feature(enable = "avx2,fma")]
    fn start<const C: usize>(&self, at: usize) -> [__m256; C] {
        let mut registers = [_mm256_setzero_ps(); C];
        if let Some(start) = self.start {
            let (chunks, _) = start[at..at + C * LANES].as_chunks::<LANES>();
            for (register, chunk) in registers.iter_mut().zip(chunks) {
                *register = load(chunk);
            }
        }
        registers
    }
}
