//! Numbers that add up to the same bits in any order: fixed point in 64-bit integers.
//!
//! A number x travels as `round(x 2^bits)`, at most `2^62 / K` of one of K sites: no sum overflows.
//! Rounding costs each site at most `2^-(bits + 1)` per addend. Integers are also what blinding needs:
//! sums modulo `2^64` hide an addend completely.

/// Where the binary point stands, and how large an addend may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scale {
    bits: u32,
    largest: i64,
}

/// A number that does not fit.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{value} is too large for a sum over the sites, at most {limit} is possible")]
pub struct Overflow {
    value: f64,
    limit: f64,
}

impl Scale {
    /// `bits` binary digits after the point, in sums over `n_sites`.
    pub(crate) fn new(bits: u32, n_sites: usize) -> Self {
        let n_sites = i64::try_from(n_sites.max(1)).unwrap_or(i64::MAX);
        let largest = (1i64 << 62) / n_sites;
        Self { bits, largest }
    }

    fn one(self) -> f64 {
        (1u64 << self.bits) as f64
    }

    /// The nearest integer to `value 2^bits`, if that is not too large for the sum.
    pub(crate) fn encode(self, value: f64) -> Result<i64, Overflow> {
        let scaled = (value * self.one()).round_ties_even();
        let limit = self.decode(self.largest);
        let fits = scaled.abs() <= self.largest as f64;
        fits.then_some(scaled as i64)
            .ok_or(Overflow { value, limit })
    }

    /// The number that a sum stands for.
    pub(crate) fn decode(self, sum: i64) -> f64 {
        sum as f64 / self.one()
    }

    /// Whether one site can have sent this.
    pub(crate) fn fits(self, addend: i64) -> bool {
        addend.unsigned_abs() <= self.largest.unsigned_abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn too_large_is_refused_and_not_wrapped() {
        let scale = Scale::new(28, 10);
        assert_eq!(scale.encode(1.5), Ok(3 << 27));
        assert!(scale.encode(1e10).is_err());
        assert!(scale.encode(f64::NAN).is_err() && scale.encode(f64::NEG_INFINITY).is_err());
        assert!(scale.fits(-(1 << 50)) && !scale.fits(i64::MIN) && !scale.fits(i64::MAX));
    }

    proptest! {
        #[test]
        fn sums_are_exact_to_the_rounding(values in proptest::collection::vec(-1e6..1e6f64, 1..20)) {
            let scale = Scale::new(28, values.len());
            let sum: i64 = values.iter().map(|v| scale.encode(*v).unwrap()).sum();
            let error = (scale.decode(sum) - values.iter().sum::<f64>()).abs();
            prop_assert!(error < 1e-6, "{}", error);
        }
    }
}
