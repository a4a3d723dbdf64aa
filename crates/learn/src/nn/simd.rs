//! Run-time choice of vector instructions for our own loops.
//!
//! A build for baseline x86-64 knows only SSE2, which costs these loops a factor of two to four.
//! [`dispatched`] compiles a function three times, also with AVX2 and FMA and with AVX-512, and
//! picks at run time. Numbers that are summed are summed in the same order in all three, whatever
//! the width of a register; they differ in [`mul_add`] alone, which rounds once where the processor
//! can. So AVX2 and AVX-512 give the same bits; a test trains a network with either.

/// What the processor can do, from least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Vectors {
    /// Whatever the build was made for.
    Baseline,
    /// AVX2 and FMA: registers of 8 numbers.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512: registers of 16 numbers, and twice as many of them.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Vectors {
    #[inline]
    pub(crate) fn of_processor() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            use std::is_x86_feature_detected as has;
            if has!("avx2") && has!("fma") {
                let more = has!("avx512f") && has!("avx512vl") && has!("avx512dq");
                let widest = if more { Self::Avx512 } else { Self::Avx2 };
                #[cfg(test)]
                let widest = widest.min(tests::WIDEST.get());
                return widest;
            }
        }
        Self::Baseline
    }
}

/// `a * b + c`, rounded once if `FMA`; without the instruction, one rounding would be a slow call.
#[allow(clippy::inline_always, reason = "must become part of the wide loops")]
#[inline(always)]
pub(crate) fn mul_add<const FMA: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

/// Defines a function whose body also exists compiled for AVX2 and for AVX-512, chosen at run time.
/// Inside, the constant `FMA` tells whether it is one of these.
macro_rules! dispatched {
    (
        $(#[$meta:meta])*
        $vis:vis fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $out:ty)? $body:block
    ) => {
        $(#[$meta])*
        $vis fn $name($($arg: $type),*) $(-> $out)? {
            #[allow(clippy::inline_always, reason = "the wide versions must contain the body")]
            #[inline(always)]
            fn body<const FMA: bool>($($arg: $type),*) $(-> $out)? $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            fn avx2($($arg: $type),*) $(-> $out)? {
                body::<true>($($arg),*)
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,avx512f,avx512vl,avx512dq")]
            fn avx512($($arg: $type),*) $(-> $out)? {
                body::<true>($($arg),*)
            }

            // SAFETY: each is called only where the processor was found to have its features.
            #[allow(unsafe_code, reason = "calling a function with more features")]
            match $crate::nn::simd::Vectors::of_processor() {
                #[cfg(target_arch = "x86_64")]
                $crate::nn::simd::Vectors::Avx512 => unsafe { avx512($($arg),*) },
                #[cfg(target_arch = "x86_64")]
                $crate::nn::simd::Vectors::Avx2 => unsafe { avx2($($arg),*) },
                $crate::nn::simd::Vectors::Baseline => body::<false>($($arg),*),
            }
        }
    };
}
pub(crate) use dispatched;

#[cfg(test)]
#[cfg(target_arch = "x86_64")]
mod tests {
    use std::cell::Cell;
    use std::sync::Arc;

    use fedcdi_core::{DatasetBuilder, Regime, Schema, Seed, Variable};

    use super::Vectors;
    use crate::fit::conditional::{Conditional, Scratch};
    use crate::fit::draws::{Draws, threshold};
    use crate::fit::samples::{Batch, Samples};
    use crate::nn::AdamParams;

    thread_local! {
        /// The widest vectors that this test's thread may use.
        pub(super) static WIDEST: Cell<Vectors> = const { Cell::new(Vectors::Avx512) };
    }

    /// Weights of a network that was trained for a while with these vectors at most.
    fn trained(widest: Vectors) -> Vec<f32> {
        WIDEST.set(widest);
        let variables = (0..4).map(|v| Variable::with_codes(format!("v{v}"), 10));
        let schema = Arc::new(Schema::new(variables.collect()).unwrap());
        let mut builder = DatasetBuilder::with_capacity(schema, 70);
        for row in 0..70u16 {
            let codes = [3, 7, 11, 13].map(|k| row * k % 10);
            builder.push(&codes, &Regime::Observational).unwrap();
        }
        let samples = Samples::new(&builder.finish().unwrap());
        let mut batch = Batch::default();
        batch.fill(&samples, samples.observational());
        let mut network = Conditional::new(&samples, 1, &[40, 32], 0.1, &Seed::new(1));
        let mut draws = Draws::new(&Seed::new(2));
        let mut scratch = Scratch::new(&samples, 70);
        let thresholds = [0.7, 0.0, 0.5, 0.9].map(threshold);
        for step in 1..40 {
            let step = AdamParams::at(5e-3).step(step, 1e-3);
            let rows = 0..batch.len();
            network.fit_step(&batch, rows, &thresholds, &mut draws, &step, &mut scratch);
        }
        let weights = network.network().parameters().flatten().copied();
        weights.collect()
    }

    #[test]
    fn wider_vectors_train_to_the_same_bits() {
        let weights = trained(Vectors::Avx512);
        assert!(weights.iter().all(|w| w.is_finite()));
        assert_eq!(trained(Vectors::Avx2), weights);
    }
}
