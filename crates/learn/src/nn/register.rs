//! Vector registers of 8 and 16 numbers behind one trait, so that a kernel is written once.
//!
//! The functions are those of one instruction each. They must become part of a function that is
//! compiled for the instructions (`#[target_feature]`), hence `inline(always)`.
#![allow(
    unsafe_code,
    clippy::inline_always,
    reason = "instructions take pointers and need their features; see the contract of the trait"
)]

use std::arch::x86_64::{
    __m256, __m512, _CMP_GT_OQ, _mm256_blendv_ps, _mm256_cmp_ps, _mm256_fmadd_ps, _mm256_loadu_ps,
    _mm256_max_ps, _mm256_mul_ps, _mm256_set1_ps, _mm256_setzero_ps, _mm256_storeu_ps,
    _mm512_cmp_ps_mask, _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_mask_blend_ps, _mm512_max_ps,
    _mm512_mul_ps, _mm512_set1_ps, _mm512_setzero_ps, _mm512_storeu_ps,
};

/// A register of [`Self::LANES`] numbers.
///
/// # Safety
/// Every function needs a processor with AVX2 and FMA (8 lanes) or AVX-512F (16 lanes).
pub(super) trait Register: Copy {
    const LANES: usize;
    /// Rows of a full tile of two registers of columns: sums enough to hide the latency of
    /// multiply-add, few enough to stay in registers.
    const ROWS: usize;
    /// The same number in every lane.
    unsafe fn splat(value: f32) -> Self;
    /// Reads [`Self::LANES`] numbers, which must be there; they need no alignment.
    unsafe fn load(from: *const f32) -> Self;
    /// Writes [`Self::LANES`] numbers, for which there must be room.
    unsafe fn store(self, to: *mut f32);
    /// `self * factor + sum`, rounded once.
    unsafe fn mul_add(self, factor: Self, sum: Self) -> Self;
    /// The leaky `ReLU`: the larger of `self` and `slope * self`, for a slope up to one.
    unsafe fn leaky(self, slope: Self) -> Self;
    /// `self` where `activation` is positive, `slope * self` elsewhere.
    unsafe fn leaky_where(self, activation: Self, slope: Self) -> Self;
}

/// The functions that differ in nothing but the names of their instructions.
macro_rules! by_instructions {
    ($set1:ident, $load:ident, $store:ident, $fmadd:ident, $max:ident, $mul:ident) => {
        #[inline(always)]
        unsafe fn splat(value: f32) -> Self {
            // SAFETY: the caller's processor has the instructions; so below.
            unsafe { $set1(value) }
        }

        #[inline(always)]
        unsafe fn load(from: *const f32) -> Self {
            // SAFETY: and the numbers are there.
            unsafe { $load(from) }
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut f32) {
            // SAFETY: and there is room for the numbers.
            unsafe { $store(to, self) }
        }

        #[inline(always)]
        unsafe fn mul_add(self, factor: Self, sum: Self) -> Self {
            unsafe { $fmadd(self, factor, sum) }
        }

        #[inline(always)]
        unsafe fn leaky(self, slope: Self) -> Self {
            unsafe { $max(self, $mul(slope, self)) }
        }
    };
}

impl Register for __m256 {
    const LANES: usize = 8;
    /// 12 of the 16 registers hold sums.
    const ROWS: usize = 6;

    by_instructions!(
        _mm256_set1_ps,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_fmadd_ps,
        _mm256_max_ps,
        _mm256_mul_ps
    );

    #[inline(always)]
    unsafe fn leaky_where(self, activation: Self, slope: Self) -> Self {
        unsafe {
            let positive = _mm256_cmp_ps::<_CMP_GT_OQ>(activation, _mm256_setzero_ps());
            _mm256_blendv_ps(_mm256_mul_ps(slope, self), self, positive)
        }
    }
}

impl Register for __m512 {
    const LANES: usize = 16;
    /// 16 of the 32 registers hold sums; a batch of 64 is made of whole tiles.
    const ROWS: usize = 8;

    by_instructions!(
        _mm512_set1_ps,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_fmadd_ps,
        _mm512_max_ps,
        _mm512_mul_ps
    );

    #[inline(always)]
    unsafe fn leaky_where(self, activation: Self, slope: Self) -> Self {
        unsafe {
            let positive = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(activation, _mm512_setzero_ps());
            _mm512_mask_blend_ps(positive, _mm512_mul_ps(slope, self), self)
        }
    }
}
