//! Matrix products of small layers with vector registers: tiles of the result stay in them.
//!
//! The weights of a layer fit the L1 or L2 cache, so nothing is packed and nothing is blocked: a
//! tile of up to [`Register::ROWS`] rows and two registers of columns runs once through the inner
//! dimension and is written together with bias and activation. A number of the result is one sum in the order
//! of the inner dimension, so it depends neither on the rows around it nor on how wide registers
//! are.
#![allow(
    unsafe_code,
    clippy::inline_always,
    reason = "bounds checks in the inner loop would cost a third of the speed; all of it must become \
              part of a function compiled for the instructions"
)]

use std::arch::x86_64::__m256;

use super::LANES;
use super::matmul::Operand;
use super::register::Register;

impl Operand<'_> {
    fn holds(&self, m: usize, inner: usize) -> bool {
        let last = (m.max(1) - 1) * self.row_stride + (inner.max(1) - 1) * self.column_stride;
        m * inner == 0 || last < self.values.len()
    }
}

/// What happens to sums before they are written.
pub(super) trait Finish: Copy {
    /// Whether it can serve a result of this many numbers.
    fn serves(&self, _len: usize) -> bool {
        true
    }

    /// What is written to the numbers of the result from `place` on.
    ///
    /// # Safety
    /// The result has `V::LANES` numbers there, and `self` serves it; and as [`Product::write`].
    unsafe fn apply<V: Register>(&self, place: usize, sum: V) -> V;
}

/// The leaky `ReLU` of this slope; one leaves sums as they are.
#[derive(Clone, Copy)]
pub(super) struct Leaky(pub(super) f32);

impl Finish for Leaky {
    #[inline(always)]
    unsafe fn apply<V: Register>(&self, _: usize, sum: V) -> V {
        // SAFETY: the processor has the instructions.
        unsafe { sum.leaky(V::splat(self.0)) }
    }
}

/// Times the derivative of the leaky `ReLU` of this slope, given the activations, which have the
/// shape of the result.
#[derive(Clone, Copy)]
pub(super) struct LeakyBackward<'a>(pub(super) &'a [f32], pub(super) f32);

impl Finish for LeakyBackward<'_> {
    fn serves(&self, len: usize) -> bool {
        self.0.len() >= len
    }

    #[inline(always)]
    unsafe fn apply<V: Register>(&self, place: usize, sum: V) -> V {
        // SAFETY: the activations are there, and the processor has the instructions.
        unsafe { sum.leaky_where(V::load(self.0.as_ptr().add(place)), V::splat(self.1)) }
    }
}

/// `y = finish(start + left right)` with `left: [m, inner]`, `right: [inner, n]`, `y: [m, n]`, for
/// `n` a multiple of [`LANES`].
pub(super) struct Product<'a, F> {
    /// `m`, `n`, `inner`.
    pub(super) dims: [usize; 3],
    pub(super) left: Operand<'a>,
    pub(super) right: &'a [f32],
    /// `[n]`, the same for every row.
    pub(super) start: Option<&'a [f32]>,
    pub(super) finish: F,
}

impl<F: Finish> Product<'_, F> {
    /// Multiplies with registers `V`, and those of 8 numbers where fewer than a `V` are left.
    ///
    /// # Safety
    /// The processor has AVX2, FMA and the instructions of `V`.
    #[inline(always)]
    pub(super) unsafe fn write<V: Register>(&self, y: &mut [f32]) {
        let [m, n, inner] = self.dims;
        assert!(n.is_multiple_of(LANES) && self.left.holds(m, inner));
        assert!(self.right.len() >= inner * n && self.finish.serves(m * n));
        assert!(self.start.is_none_or(|start| start.len() >= n));
        for (number, y) in y[..m * n].chunks_mut(V::ROWS * n).enumerate() {
            let first = number * V::ROWS;
            // SAFETY: `first + R <= m`, since `y` has `R` rows from there on.
            unsafe {
                match y.len() / n {
                    8 => self.strip::<V, 8>(first, y),
                    7 => self.strip::<V, 7>(first, y),
                    6 => self.strip::<V, 6>(first, y),
                    5 => self.strip::<V, 5>(first, y),
                    4 => self.strip::<V, 4>(first, y),
                    3 => self.strip::<V, 3>(first, y),
                    2 => self.strip::<V, 2>(first, y),
                    _ => self.strip::<V, 1>(first, y),
                }
            }
        }
    }

    /// The `R` rows of the result from number `first` on, which are `y`.
    ///
    /// # Safety
    /// `left` has `first + R` rows of `inner`, `y` has `R` of `n`; and as [`Product::write`].
    #[inline(always)]
    unsafe fn strip<V: Register, const R: usize>(&self, first: usize, y: &mut [f32]) {
        let (n, mut at) = (self.dims[1], 0);
        // SAFETY: the columns end at `n`, a multiple of `LANES`; the rows are the caller's.
        unsafe {
            while at + 2 * V::LANES <= n {
                self.tile::<V, R, 2>((first, at), y);
                at += 2 * V::LANES;
            }
            if at + V::LANES <= n {
                self.tile::<V, R, 1>((first, at), y);
                at += V::LANES;
            }
            if at < n {
                self.tile::<__m256, R, 1>((first, at), y);
            }
        }
    }

    /// The part of a strip from column `at` on that is `C` registers wide.
    ///
    /// # Safety
    /// As [`Self::strip`], and `at + C * V::LANES <= n`.
    #[inline(always)]
    unsafe fn tile<V: Register, const R: usize, const C: usize>(
        &self,
        (first, at): (usize, usize),
        y: &mut [f32],
    ) {
        // SAFETY: rows up to `first + R` and columns up to `at + C * V::LANES` of all factors are
        // there: the caller's, and [`Self::write`] has compared the lengths.
        unsafe {
            let mut sums = [self.start::<V, C>(at); R];
            let left = self.left;
            let [_, n, inner] = self.dims;
            for k in 0..inner {
                let mut right = [V::splat(0.0); C];
                for (c, right) in right.iter_mut().enumerate() {
                    *right = V::load(self.right.as_ptr().add(k * n + at + c * V::LANES));
                }
                for (r, sums) in sums.iter_mut().enumerate() {
                    let place = (first + r) * left.row_stride + k * left.column_stride;
                    let left = V::splat(*left.values.get_unchecked(place));
                    for c in 0..C {
                        sums[c] = left.mul_add(right[c], sums[c]);
                    }
                }
            }
            for (r, sums) in sums.into_iter().enumerate() {
                for (c, sum) in sums.into_iter().enumerate() {
                    let column = at + c * V::LANES;
                    let sum = self.finish.apply((first + r) * n + column, sum);
                    sum.store(y.as_mut_ptr().add(r * n + column));
                }
            }
        }
    }

    /// What the sums of a row begin with from column `at` on.
    ///
    /// # Safety
    /// `at + C * V::LANES <= n`; and as [`Product::write`].
    #[inline(always)]
    unsafe fn start<V: Register, const C: usize>(&self, at: usize) -> [V; C] {
        // SAFETY: `start` has `n` numbers.
        unsafe {
            let mut registers = [V::splat(0.0); C];
            if let Some(start) = self.start {
                for (c, register) in registers.iter_mut().enumerate() {
                    *register = V::load(start.as_ptr().add(at + c * V::LANES));
                }
            }
            registers
        }
    }
}
