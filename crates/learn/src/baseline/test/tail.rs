//! Upper tails of the distributions that the statistics have if nothing depends.

use statrs::function::beta::checked_beta_reg;
use statrs::function::erf::erfc;
use statrs::function::gamma::checked_gamma_ur;

/// Probability that a chi-squared variable of this many degrees exceeds `x`; 1 without degrees.
pub fn chi_squared(x: f64, degrees: f64) -> f64 {
    gamma(x, degrees / 2.0, 2.0)
}

/// Probability that a gamma variable exceeds `x`; 1 where there is no such distribution.
pub fn gamma(x: f64, shape: f64, scale: f64) -> f64 {
    if x.is_nan() || x <= 0.0 || shape <= 0.0 || scale <= 0.0 {
        return 1.0;
    }
    checked_gamma_ur(shape, x / scale).unwrap_or(1.0)
}

/// Probability that a standard normal variable is further from 0 than `z`.
pub fn normal_two_sided(z: f64) -> f64 {
    erfc(z.abs() / std::f64::consts::SQRT_2)
}

/// Probability that an F variable exceeds `x`; 1 where there is no such distribution.
pub fn fisher(x: f64, above: f64, below: f64) -> f64 {
    if x.is_nan() || x <= 0.0 || above <= 0.0 || below <= 0.0 {
        return 1.0;
    }
    let at = below / (below + above * x);
    checked_beta_reg(below / 2.0, above / 2.0, at).unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_match_tables() {
        let near =
            |found: f64, table: f64| assert!((found - table).abs() < 5e-4, "{found} {table}");
        // Upper 5 % and 1 % points of the usual tables.
        near(chi_squared(3.841, 1.0), 0.05);
        near(chi_squared(21.666, 9.0), 0.01);
        near(normal_two_sided(-1.96), 0.05);
        near(fisher(4.965, 1.0, 10.0), 0.05);
        near(fisher(2.978, 10.0, 10.0), 0.05);
        // Exponential with mean 2: exp(-3).
        near(gamma(6.0, 1.0, 2.0), (-3f64).exp());
        assert_eq!((chi_squared(0.0, 3.0), chi_squared(5.0, 0.0)), (1.0, 1.0));
    }
}
