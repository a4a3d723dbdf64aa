//! Run-time choice of vector instructions for our own loops.
//!
//! A build for baseline x86-64 knows only SSE2, which costs these loops a factor of two to four.
//! [`dispatched`] compiles a function twice, the second time with AVX2 and FMA, and picks at run
//! time. The two differ in code generation and in [`mul_add`], which rounds once where the
//! processor can; the order of operations is the same.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256, _mm256_loadu_ps, _mm256_storeu_ps};

/// Whether the processor has what the wide versions are compiled for.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn has_wide_vectors() -> bool {
    std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma")
}

/// Eight numbers into a register.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(crate) fn load(values: &[f32; 8]) -> __m256 {
    // SAFETY: the array has the eight numbers that are read; they need no alignment.
    #[allow(unsafe_code, reason = "the instruction takes a pointer")]
    unsafe {
        _mm256_loadu_ps(values.as_ptr())
    }
}

/// A register to memory.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(crate) fn store(register: __m256, values: &mut [f32; 8]) {
    // SAFETY: the array has room for the eight numbers that are written; they need no alignment.
    #[allow(unsafe_code, reason = "the instruction takes a pointer")]
    unsafe {
        _mm256_storeu_ps(values.as_mut_ptr(), register);
    }
}

/// `a * b + c`, rounded once if `FMA`; without the instruction, one rounding would be a slow call.
#[allow(clippy::inline_always, reason = "must become part of the wide loops")]
#[inline(always)]
pub(crate) fn mul_add<const FMA: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

/// Defines a function whose body also exists compiled for AVX2 and FMA, chosen at run time. Inside,
/// the constant `FMA` tells which of the two it is.
macro_rules! dispatched {
    (
        $(#[$meta:meta])*
        $vis:vis fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $out:ty)? $body:block
    ) => {
        $(#[$meta])*
        $vis fn $name($($arg: $type),*) $(-> $out)? {
            #[allow(clippy::inline_always, reason = "the wide version must contain the body")]
            #[inline(always)]
            fn body<const FMA: bool>($($arg: $type),*) $(-> $out)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma")]
                fn wide($($arg: $type),*) $(-> $out)? {
                    body::<true>($($arg),*)
                }
                if $crate::nn::simd::has_wide_vectors() {
                    // SAFETY: the processor was just found to have both features.
                    #[allow(unsafe_code, reason = "calling a function with more features")]
                    return unsafe { wide($($arg),*) };
                }
            }
            body::<false>($($arg),*)
        }
    };
}
pub(crate) use dispatched;
