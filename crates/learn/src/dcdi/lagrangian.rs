//! The augmented Lagrangian: how strongly cycles are punished, and when more strongly.
//!
//! Paper: DCDI appendix B.2.
//!
//! | paper | code |
//! |---|---|
//! | `L + lambda sum P / N^2 + gamma_t h + mu_t h^2 / 2` | [`Lagrangian::value`] |
//! | its derivative by h | [`Lagrangian::slope`] |
//! | the subproblem is solved | [`Lagrangian::is_settled`] |
//! | `gamma_t += mu_t h`; `mu_t *= 2` if h fell by less than a tenth | [`Lagrangian::update`] |

/// Iterations between two values of the validated Lagrangian.
pub(crate) const WINDOW: usize = 100;

/// The subproblem is solved when the Lagrangian moves by less than this per iteration.
const TOLERANCE: f64 = 1e-4;

/// The penalty grows unless h fell to this share of its value at the update before.
const ENOUGH: f64 = 0.9;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lagrangian {
    /// `gamma_t`.
    pub multiplier: f64,
    /// `mu_t`.
    pub penalty: f64,
    /// The penalty is multiplied by this.
    growth: f64,
    /// h at the update before.
    last_h: Option<f64>,
    /// The last values on held-out rows, oldest first.
    recent: [Option<f64>; 3],
    /// Values since the last decision.
    since: usize,
}

impl Lagrangian {
    pub(crate) fn new(penalty: f64, growth: f64) -> Self {
        Self {
            multiplier: 0.0,
            penalty,
            growth,
            last_h: None,
            recent: [None; 3],
            since: 0,
        }
    }

    pub(crate) fn value(&self, h: f64) -> f64 {
        self.multiplier * h + self.penalty / 2.0 * h * h
    }

    pub(crate) fn slope(&self, h: f64) -> f64 {
        self.multiplier + self.penalty * h
    }

    /// Forgets the values so far: what they measured has been replaced.
    pub(crate) fn forget_values(&mut self) {
        self.recent = [None; 3];
        self.since = 0;
    }

    /// Notes the Lagrangian on held-out rows; every second time tells whether the subproblem looks
    /// solved.
    pub(crate) fn is_settled(&mut self, value: f64) -> bool {
        self.recent.rotate_left(1);
        self.recent[2] = Some(value);
        self.since += 1;
        if self.since < 2 {
            return false;
        }
        self.since = 0;
        let [Some(first), Some(half), Some(last)] = self.recent else {
            return false;
        };
        let monotone = first.min(last) < half && half < first.max(last);
        let change = (last - first) / WINDOW as f64;
        monotone && (change.abs() < TOLERANCE || change > 0.0)
    }

    pub(crate) fn update(&mut self, h: f64) {
        self.multiplier += self.penalty * h;
        if self.last_h.is_some_and(|last| h > ENOUGH * last) {
            self.penalty *= self.growth;
        }
        self.last_h = Some(h);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_is_the_derivative_of_the_value() {
        let lagrangian = Lagrangian {
            multiplier: 3.0,
            ..Lagrangian::new(0.5, 2.0)
        };
        let quotient = (lagrangian.value(0.4 + 1e-6) - lagrangian.value(0.4 - 1e-6)) / 2e-6;
        assert!((quotient - lagrangian.slope(0.4)).abs() < 1e-8);
    }

    #[test]
    fn only_slow_or_rising_and_monotone_values_are_settled() {
        let settled = |values: [f64; 3]| {
            let mut lagrangian = Lagrangian::new(1.0, 2.0);
            lagrangian.is_settled(9.0);
            values.map(|value| lagrangian.is_settled(value))[2]
        };
        assert!(settled([1.0, 0.999, 0.998]));
        assert!(settled([1.0, 1.5, 2.0]), "rising: nothing more to gain");
        assert!(!settled([2.0, 1.5, 1.0]), "still falling");
        assert!(!settled([1.0, 1.5, 1.2]), "up and down");
    }

    /// mu 0.5: gamma 0.5 * 0.4 = 0.2 after the first update, mu as before; the second finds h at
    /// 0.38 > 0.9 * 0.4, so gamma is 0.2 + 0.19 and mu doubles; the third finds it at half.
    #[test]
    fn updates_by_hand() {
        let mut lagrangian = Lagrangian::new(0.5, 2.0);
        lagrangian.update(0.4);
        assert_eq!((lagrangian.multiplier, lagrangian.penalty), (0.2, 0.5));
        lagrangian.update(0.38);
        assert!((lagrangian.multiplier - 0.39).abs() < 1e-12);
        assert_eq!(lagrangian.penalty, 1.0);
        lagrangian.update(0.19);
        assert_eq!(lagrangian.penalty, 1.0);
    }
}
