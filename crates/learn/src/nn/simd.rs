//! Run-time choice of vector instructions for our own loops.
//!
//! A build for baseline x86-64 knows only SSE2, which costs these loops a factor of two to four.
//! [`dispatched`] compiles a function twice, the second time with AVX2 and FMA, and picks at run
//! time. Only code generation differs: the loops use plain arithmetic in a fixed order.

/// Whether the processor has what the wide versions are compiled for.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn has_wide_vectors() -> bool {
    std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma")
}

/// Defines a function whose body also exists compiled for AVX2 and FMA, chosen at run time.
macro_rules! dispatched {
    (
        $(#[$meta:meta])*
        $vis:vis fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $out:ty)? $body:block
    ) => {
        $(#[$meta])*
        $vis fn $name($($arg: $type),*) $(-> $out)? {
            #[allow(clippy::inline_always, reason = "the wide version must contain the body")]
            #[inline(always)]
            fn body($($arg: $type),*) $(-> $out)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma")]
                fn wide($($arg: $type),*) $(-> $out)? {
                    body($($arg),*)
                }
                if $crate::nn::simd::has_wide_vectors() {
                    // SAFETY: the processor was just found to have both features.
                    #[allow(unsafe_code, reason = "calling a function with more features")]
                    return unsafe { wide($($arg),*) };
                }
            }
            body($($arg),*)
        }
    };
}
pub(crate) use dispatched;
