//! Exponential and logarithm in f32 that vectorise: no calls, no branches, no saturating casts.
//!
//! Polynomials of the Cephes library (`expf`, `logf`); relative error below 2e-7 in the ranges
//! used here.

use super::simd::mul_add;

/// Below this the exponential is not a normal f32; above its negative it is infinite.
const EXP_LIMIT: f32 = 87.0;

/// `e^x` for `x` clipped to about +-87; NaN is not kept.
#[allow(clippy::inline_always, reason = "must become part of the wide loops")]
#[inline(always)]
pub(crate) fn exp<const FMA: bool>(x: f32) -> f32 {
    // Adding 1.5 * 2^23 rounds to an integer that then stands in the low mantissa bits.
    const ROUND: f32 = 12_582_912.0;
    let x = if x > EXP_LIMIT { EXP_LIMIT } else { x };
    let x = if x > -EXP_LIMIT { x } else { -EXP_LIMIT };
    let shifted = mul_add::<FMA>(x, std::f32::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = mul_add::<FMA>(n, 2.121_944_4e-4, mul_add::<FMA>(n, -0.693_359_4, x));
    let mut p = 1.987_569_1e-4;
    for c in [
        1.398_199_9e-3,
        8.333_452e-3,
        4.166_579_6e-2,
        1.666_666_5e-1,
        0.5,
    ] {
        p = mul_add::<FMA>(p, r, c);
    }
    let p = mul_add::<FMA>(p, r * r, r) + 1.0;
    f32::from_bits(p.to_bits().wrapping_add(shifted.to_bits() << 23))
}

/// `e^x` in f64 for `x` clipped to about +-700; NaN is not kept. Taylor's series on half an octave:
/// relative error below 1e-14.
#[allow(clippy::inline_always, reason = "must become part of the wide loops")]
#[inline(always)]
pub(crate) fn exp64<const FMA: bool>(x: f64) -> f64 {
    // Adding 1.5 * 2^52 rounds to an integer that then stands in the low mantissa bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    const LIMIT: f64 = 700.0;
    // ln 2 in two parts, the first with few enough bits that its multiples are exact.
    const LN_2_HIGH: f64 = 0.693_145_751_953_125;
    const LN_2_LOW: f64 = 1.428_606_820_309_417_2e-6;
    let fused = |a: f64, b: f64, c: f64| if FMA { a.mul_add(b, c) } else { a * b + c };
    let x = if x > LIMIT { LIMIT } else { x };
    let x = if x > -LIMIT { x } else { -LIMIT };
    let shifted = fused(x, std::f64::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = fused(n, -LN_2_LOW, fused(n, -LN_2_HIGH, x));
    let mut p = 1.0 / 479_001_600.0;
    for factorial in [
        39_916_800.0,
        3_628_800.0,
        362_880.0,
        40_320.0,
        5_040.0,
        720.0,
        120.0,
        24.0,
        6.0,
        2.0,
    ] {
        p = fused(p, r, 1.0 / factorial);
    }
    let p = fused(p, r * r, r) + 1.0;
    f64::from_bits(p.to_bits().wrapping_add(shifted.to_bits() << 52))
}

/// Natural logarithm of a positive, normal `x`.
#[allow(clippy::inline_always, reason = "must become part of the wide loops")]
#[inline(always)]
pub(crate) fn ln<const FMA: bool>(x: f32) -> f32 {
    const SQRT_HALF: i32 = 0x3f35_04f3;
    let bits = x.to_bits().cast_signed();
    let exponent = (bits - SQRT_HALF) >> 23;
    let e = exponent as f32;
    let r = f32::from_bits((bits - (exponent << 23)).cast_unsigned()) - 1.0;
    let mut p = 7.037_683_6e-2;
    for c in [
        -1.151_461e-1,
        1.167_699_9e-1,
        -1.242_014_1e-1,
        1.424_932_3e-1,
        -1.666_805_8e-1,
        2.000_071_5e-1,
        -2.499_999_4e-1,
        0.333_333_3,
    ] {
        p = mul_add::<FMA>(p, r, c);
    }
    let square = r * r;
    let small = mul_add::<FMA>(e, -2.121_944_4e-4, p * r * square) - 0.5 * square;
    mul_add::<FMA>(e, 0.693_359_4, r + small)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn exp_is_close(x in -86.0f32..86.0) {
            let exact = f64::from(x).exp();
            prop_assert!((f64::from(exp::<false>(x)) / exact - 1.0).abs() < 3e-7);
        }

        #[test]
        fn exp64_is_close(x in -699.0f64..699.0) {
            prop_assert!((exp64::<false>(x) / x.exp() - 1.0).abs() < 1e-14);
            prop_assert!((exp64::<true>(x) / x.exp() - 1.0).abs() < 1e-14);
        }

        #[test]
        fn ln_is_close(x in prop_oneof![1e-30f32..1e-3, 0.4f32..2.5, 1.0f32..1e30]) {
            let exact = f64::from(x).ln();
            let error = (f64::from(ln::<false>(x)) - exact).abs();
            prop_assert!(error < 2e-7 * exact.abs().max(0.5));
        }
    }

    #[test]
    fn extremes_stay_finite() {
        assert!(exp::<false>(-1e30) < 2e-38 && exp::<false>(-1e30) > 0.0);
        assert!(exp::<false>(1e30).is_finite());
        assert_eq!(exp::<false>(0.0), 1.0);
        assert_eq!(ln::<false>(1.0), 0.0);
    }
}
