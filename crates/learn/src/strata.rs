//! The G statistic of two variables within every combination of others, and what independence would
//! make of it.
//!
//! | formula | code |
//! |---|---|
//! | `G = 2 sum n_zxy ln(n_zxy n_z / (n_zx n_zy))` | [`Strata::g`] |
//! | `E[G]` given all `n_zx` and `n_zy` | [`Strata::expected`] |
//!
//! The usual expectation, the degrees of freedom, holds for full tables. With about five rows per
//! cell the mean of G is 5 to 20 % above or below it, always on the same side for the same margins,
//! which adds up over tables and sites until it looks like dependence or hides it. The exact one
//! costs little: given the margins, a cell of independent variables is hypergeometric. A table of
//! one row or column has G = 0 and expects 0.
//!
//! See [`fedcdi_core::edge_test`] for the test.

/// Rows that a test needs for every cell of the tables it counts; the usual rule for G-tests.
const ROWS_PER_CELL: f64 = 5.0;

/// More combinations than this are not counted.
pub const MAX_COMBINATIONS: f64 = 1e15;

/// Cells less likely than this, relative to the likeliest count, add nothing.
const NEGLIGIBLE: f64 = 1e-14;

/// G and its expectation, summed over the combinations of other variables.
#[derive(Clone, Debug)]
pub struct Strata {
    /// Combinations that occur.
    pub n: usize,
    /// The statistic.
    pub g: f64,
    /// Its mean if the two variables are independent, given how often each value was seen.
    pub expected: f64,
    /// Counts of cause, then of effect.
    margins: [Vec<f64>; 2],
}

impl Strata {
    /// Of sorted codes: the last digit is the effect, the one before the cause, those before the
    /// combination.
    pub fn of(codes: &[u64], causes: usize, effects: usize) -> Self {
        let mut strata = Self::new(causes, effects);
        let cells = (causes * effects) as u64;
        for stratum in codes.chunk_by(|a, b| a / cells == b / cells) {
            strata.add(stratum);
        }
        strata
    }

    /// Whether this many rows are enough for a table per combination.
    pub fn is_filled(&self, n_rows: usize) -> bool {
        is_filled(n_rows, self.n, [0, 1].map(|side| self.margins[side].len()))
    }

    fn new(causes: usize, effects: usize) -> Self {
        Self {
            n: 0,
            g: 0.0,
            expected: 0.0,
            margins: [vec![0.0; causes], vec![0.0; effects]],
        }
    }

    /// One combination: sorted codes whose last two digits are cause and effect.
    fn add(&mut self, codes: &[u64]) {
        let sizes = [0, 1].map(|side| self.margins[side].len() as u64);
        let digits = |code: u64| {
            let (cause, effect) = (code / sizes[1] % sizes[0], code % sizes[1]);
            (cause as usize, effect as usize)
        };
        let [causes, effects] = &mut self.margins;
        causes.fill(0.0);
        effects.fill(0.0);
        for &code in codes {
            let (cause, effect) = digits(code);
            causes[cause] += 1.0;
            effects[effect] += 1.0;
        }
        for cell in codes.chunk_by(|a, b| a == b) {
            let (cause, effect) = digits(cell[0]);
            let (count, total) = (cell.len() as f64, codes.len() as f64);
            self.g += 2.0 * count * (count * total / (causes[cause] * effects[effect])).ln();
        }
        self.expected += expected_g(causes, effects, codes.len() as f64);
        self.n += 1;
    }
}

/// Mean of G over all tables with these margins, each as likely as independence makes it.
fn expected_g(causes: &[f64], effects: &[f64], total: f64) -> f64 {
    let seen = |counts: &[f64]| counts.iter().filter(|count| **count > 0.0).count();
    if seen(causes) < 2 || seen(effects) < 2 {
        return 0.0;
    }
    let margins = causes.iter().chain(effects).copied().map(times_ln);
    let mut sum = times_ln(total) - margins.sum::<f64>();
    for &cause in causes.iter().filter(|count| **count > 0.0) {
        for &effect in effects.iter().filter(|count| **count > 0.0) {
            sum += expected_times_ln(cause, effect, total);
        }
    }
    2.0 * sum
}

/// Mean of n ln n where n is hypergeometric: the rows among `total` that have both of two properties
/// which `a` and `b` of them have. The probabilities follow from the likeliest count by their ratios.
///
/// Complexity: O(sqrt of the mean count).
fn expected_times_ln(a: f64, b: f64, total: f64) -> f64 {
    let (least, most) = ((a + b - total).max(0.0), a.min(b));
    let neither = total - a - b;
    let mode = ((a + 1.0) * (b + 1.0) / (total + 2.0)).floor();
    let mode = mode.clamp(least, most);
    let (mut mass, mut sum) = (1.0, times_ln(mode));
    let (mut n, mut weight) = (mode, 1.0);
    while n < most && weight > NEGLIGIBLE {
        weight *= (a - n) * (b - n) / ((n + 1.0) * (neither + n + 1.0));
        n += 1.0;
        mass += weight;
        sum += weight * times_ln(n);
    }
    (n, weight) = (mode, 1.0);
    while n > least && weight > NEGLIGIBLE {
        weight *= n * (neither + n) / ((a - n + 1.0) * (b - n + 1.0));
        n -= 1.0;
        mass += weight;
        sum += weight * times_ln(n);
    }
    sum / mass
}

/// x ln x, and its limit 0 at 0.
fn times_ln(x: f64) -> f64 {
    if x > 0.0 { x * x.ln() } else { 0.0 }
}

/// Whether `n_rows` are enough for tables of so many causes and effects in `n_strata` combinations.
pub fn is_filled(n_rows: usize, n_strata: usize, [causes, effects]: [usize; 2]) -> bool {
    let cells = n_strata * causes.saturating_sub(1) * effects.saturating_sub(1);
    n_rows as f64 >= ROWS_PER_CELL * cells as f64
}

#[cfg(test)]
mod tests {
    use fedcdi_core::Seed;
    use rand::seq::SliceRandom;

    use super::*;

    #[test]
    fn the_statistic_is_that_of_the_table() {
        // One table [[3, 1], [1, 3]] (margins 4): G = 2 (2 * 3 ln 1.5 + 2 ln 0.5), one degree.
        let strata = Strata::of(&[0, 0, 0, 1, 2, 3, 3, 3], 2, 2);
        let expected = 2.0 * (6.0 * 1.5f64.ln() + 2.0 * 0.5f64.ln());
        assert!((strata.g - expected).abs() < 1e-12);
        assert_eq!(strata.n, 1);
        assert!(strata.is_filled(5) && !strata.is_filled(4));
    }

    #[test]
    fn the_expectation_is_the_mean_over_all_tables_with_the_same_margins() {
        // Margins 2, 2 and 2, 2: of the six ways to place the effects, one has the diagonal table
        // (G = 8 ln 2), one the other diagonal (the same), and four have ones everywhere (G = 0).
        let expected = 2.0 * 8.0 * 2f64.ln() / 6.0;
        assert!((expected_g(&[2.0, 2.0], &[2.0, 2.0], 4.0) - expected).abs() < 1e-12);
        // Margins 1, 2 and 1, 1, 1: whatever the row that is alone, G = 2 (3 ln 3 - 2 ln 2).
        let expected = 2.0 * (3.0 * 3f64.ln() - 2.0 * 2f64.ln());
        assert!((expected_g(&[1.0, 2.0], &[1.0, 1.0, 1.0], 3.0) - expected).abs() < 1e-12);
    }

    #[test]
    fn full_tables_expect_their_degrees_of_freedom() {
        let margins = [30_000.0, 50_000.0, 20_000.0];
        let expected = expected_g(&margins, &margins, 100_000.0);
        assert!((expected - 4.0).abs() < 1e-3, "{expected}");
    }

    #[test]
    fn values_that_are_not_seen_and_constants_change_nothing() {
        let expected = expected_g(&[2.0, 0.0, 2.0], &[0.0, 2.0, 2.0], 4.0);
        assert_eq!(expected, expected_g(&[2.0, 2.0], &[2.0, 2.0], 4.0));
        assert_eq!(expected_g(&[4.0, 0.0], &[1.0, 3.0], 4.0), 0.0);
    }

    /// Tables of about five rows per cell, whose degrees of freedom are off by several standard
    /// deviations of this mean.
    #[test]
    fn shuffled_rows_have_the_expected_mean() {
        let mut rng = Seed::new(3).rng();
        let causes: Vec<u64> = (0..400).map(|row| row * row / 16_100).collect();
        let mut effects: Vec<u64> = (0..400).map(|row| row / 45).collect();
        let n_tables = 2000;
        let (mut sum, mut expected) = (0.0, 0.0);
        for _ in 0..n_tables {
            effects.shuffle(&mut rng);
            let pairs = causes.iter().zip(&effects);
            let mut codes: Vec<u64> = pairs.map(|(cause, effect)| cause * 10 + effect).collect();
            codes.sort_unstable();
            let strata = Strata::of(&codes, 10, 10);
            sum += strata.g / f64::from(n_tables);
            expected = strata.expected;
        }
        // One table deviates by about sqrt(2 * 72) = 12, the mean by 0.27.
        assert!((sum - expected).abs() < 1.1, "{sum} of {expected}");
        assert!((sum - 72.0).abs() > 3.0, "{sum}");
    }
}
