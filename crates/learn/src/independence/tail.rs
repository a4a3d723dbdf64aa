//! Upper tails of the distributions that the statistics have if nothing depends, as logarithms.

use statrs::function::beta::checked_beta_reg;
use statrs::function::gamma::{checked_gamma_ur, ln_gamma};

/// Smaller tails are taken by their logarithm, which does not underflow: strong dependences are told
/// apart, and not by the order of the variables.
const UNDERFLOW: f64 = 1e-280;

/// Logarithm of the probability that a chi-squared variable of this many degrees exceeds `x`; 0
/// without degrees.
pub(crate) fn ln_chi_squared(x: f64, degrees: f64) -> f64 {
    ln_gamma_tail(x, degrees / 2.0, 2.0)
}

/// Logarithm of the probability that a gamma variable exceeds `x`; 0 where there is no such
/// distribution.
pub(crate) fn ln_gamma_tail(x: f64, shape: f64, scale: f64) -> f64 {
    if x.is_nan() || x <= 0.0 || shape <= 0.0 || scale <= 0.0 {
        return 0.0;
    }
    let x = x / scale;
    match checked_gamma_ur(shape, x) {
        Ok(tail) if tail > UNDERFLOW => tail.ln(),
        Ok(_) => shape * x.ln() - x - ln_gamma(shape) + continued_fraction(x, shape).ln(),
        Err(_) => 0.0,
    }
}

/// The upper incomplete gamma function divided by `x^shape e^-x`, for `x` well above `shape`
/// (Legendre's continued fraction, by Lentz's method).
fn continued_fraction(x: f64, shape: f64) -> f64 {
    let mut denominator = x + 1.0 - shape;
    let mut c = 1.0 / f64::MIN_POSITIVE;
    let mut d = 1.0 / denominator;
    let mut value = d;
    for step in 1..200 {
        let factor = f64::from(step) * (shape - f64::from(step));
        denominator += 2.0;
        d = 1.0 / (factor * d + denominator);
        c = denominator + factor / c;
        value *= c * d;
        if (c * d - 1.0).abs() < 1e-12 {
            break;
        }
    }
    value
}

/// Logarithm of the probability that a standard normal variable is further from 0 than `z`: its
/// square is chi-squared.
pub(crate) fn ln_normal_two_sided(z: f64) -> f64 {
    ln_chi_squared(z * z, 1.0)
}

/// Probability that an F variable exceeds `x`; 1 where there is no such distribution.
pub(crate) fn fisher(x: f64, above: f64, below: f64) -> f64 {
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
        near(ln_chi_squared(3.841, 1.0).exp(), 0.05);
        near(ln_chi_squared(21.666, 9.0).exp(), 0.01);
        near(ln_normal_two_sided(-1.96).exp(), 0.05);
        near(fisher(4.965, 1.0, 10.0), 0.05);
        near(fisher(2.978, 10.0, 10.0), 0.05);
        // Exponential with mean 2: exp(-3).
        near(ln_gamma_tail(6.0, 1.0, 2.0), -3.0);
        assert_eq!(ln_chi_squared(0.0, 3.0), 0.0);
        assert_eq!(ln_chi_squared(5.0, 0.0), 0.0);
    }

    #[test]
    fn far_tails_go_on_where_near_ones_end() {
        // Of two degrees the tail is exp(-x / 2).
        assert!((ln_chi_squared(4000.0, 2.0) + 2000.0).abs() < 1e-6);
        for (x, degrees) in [(300.0_f64, 1.0), (500.0, 81.0), (1000.0, 300.0)] {
            let (x, shape) = (x / 2.0, degrees / 2.0);
            let far = shape * x.ln() - x - ln_gamma(shape) + continued_fraction(x, shape).ln();
            let near = checked_gamma_ur(shape, x).unwrap().ln();
            assert!((far - near).abs() < 1e-6 * near.abs(), "{far} {near}");
        }
        assert!(ln_chi_squared(3001.0, 81.0) < ln_chi_squared(3000.0, 81.0));
        assert!(ln_normal_two_sided(60.0) < ln_normal_two_sided(59.0));
    }
}
