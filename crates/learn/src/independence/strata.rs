//! The G statistic of two variables within every combination of others, centred.
//!
//! | formula | code |
//! |---|---|
//! | `G = 2 sum n_zxy ln(n_zxy n_z / (n_zx n_zy))` | first part of [`Strata::g`] |
//! | `E[G]` if x and y are independent given z, for `n_zx` and `n_zy` as they are | `expected_g` |
//! | degrees of freedom, over the values seen: `sum_z (x seen with z - 1) (y seen with z - 1)` | [`Strata::degrees`] |
//! | `G - E[G] + degrees` | [`Strata::g`] |
//!
//! The degrees of freedom are the mean of G in full tables only. With five to eight rows per cell it
//! is up to a tenth more or less, with fewer rows or skewed values further off, and always on the
//! same side for the same margins: over tables and sites this adds up until it looks like dependence
//! or hides it. The exact mean costs little: given the margins, a cell of independent variables is
//! hypergeometric. The spread is left to the degrees of freedom, which suit it in both directions:
//! that of two rare values is larger than their tiny mean would have it.
//!
//! Tests that leave a site leave out small cells: see [`crate::independence::disclosed`]. For the
//! test itself see [`fedcdi_core::edge_test`].

use super::counts::Cell;

/// Rows that a test needs for every cell of the tables it counts; the usual rule for G-tests.
const ROWS_PER_CELL: f64 = 5.0;

/// Cells less likely than this, relative to the likeliest count, add nothing.
const NEGLIGIBLE: f64 = 1e-14;

/// G and its degrees of freedom, summed over the combinations of other variables.
#[derive(Clone, Debug)]
pub struct Strata {
    n: usize,
    n_rows: f64,
    /// The statistic, centred: its mean is `degrees` if the two variables are independent.
    pub g: f64,
    /// Its degrees of freedom, over the values seen.
    pub degrees: f64,
    /// Counts of cause, then of effect.
    margins: [Vec<f64>; 2],
}

impl Strata {
    /// Of sorted cells of variables with so many values.
    pub fn of(cells: &[Cell], sizes: [usize; 2]) -> Self {
        let mut strata = Self::empty(sizes);
        for stratum in cells.chunk_by(|a, b| a.given == b.given) {
            let cells = stratum.iter();
            strata.add(cells.map(|c| (c.cause.into(), c.effect.into(), c.n.into())));
        }
        strata
    }

    /// Whether the rows are enough for a table per combination.
    pub(crate) fn is_filled(&self) -> bool {
        let sizes = [0, 1].map(|side| self.margins[side].len());
        is_filled(self.n_rows as usize, self.n, sizes)
    }

    pub(crate) fn empty(sizes: [usize; 2]) -> Self {
        Self {
            n: 0,
            n_rows: 0.0,
            g: 0.0,
            degrees: 0.0,
            margins: sizes.map(|size| vec![0.0; size]),
        }
    }

    /// One combination: its cells as value of the cause, value of the effect, and rows. Gives back
    /// how many rows that are.
    pub(crate) fn add(&mut self, cells: impl Iterator<Item = (usize, usize, f64)> + Clone) -> f64 {
        let [causes, effects] = &mut self.margins;
        causes.fill(0.0);
        effects.fill(0.0);
        let mut total = 0.0;
        for (cause, effect, count) in cells.clone() {
            causes[cause] += count;
            effects[effect] += count;
            total += count;
        }
        for (cause, effect, count) in cells {
            self.g += 2.0 * count * (count * total / (causes[cause] * effects[effect])).ln();
        }
        let seen = |counts: &[f64]| counts.iter().filter(|c| **c > 0.0).count() as f64 - 1.0;
        let degrees = seen(causes) * seen(effects);
        if degrees > 0.0 {
            self.g += degrees - expected_g(causes, effects, total);
        }
        self.degrees += degrees;
        self.n += 1;
        self.n_rows += total;
        total
    }
}

/// Mean of G over all tables with these margins, each as likely as independence makes it.
fn expected_g(causes: &[f64], effects: &[f64], total: f64) -> f64 {
    let margins = causes.iter().chain(effects).copied().map(times_ln);
    let mut sum = times_ln(total) - margins.sum::<f64>();
    for &cause in causes.iter().filter(|count| **count > 0.0) {
        for &effect in effects.iter().filter(|count| **count > 0.0) {
            sum += expected_times_ln(cause, effect, total);
        }
    }
    (2.0 * sum).max(0.0)
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

    use super::super::counts::Codes;
    use super::*;

    fn strata(codes: Vec<u64>, sizes: [usize; 2]) -> Strata {
        Strata::of(&Codes::new(codes, 1 << 40).cells(sizes), sizes)
    }

    #[test]
    fn the_statistic_is_that_of_the_table() {
        // One table [[3, 1], [1, 3]] (margins 4): G = 2 (2 * 3 ln 1.5 + 2 ln 0.5), one degree.
        let strata = strata(vec![0, 0, 0, 1, 2, 3, 3, 3], [2, 2]);
        let g = 2.0 * (6.0 * 1.5f64.ln() + 2.0 * 0.5f64.ln());
        let expected = expected_g(&[4.0, 4.0], &[4.0, 4.0], 8.0);
        assert!((strata.g - (g - expected + 1.0)).abs() < 1e-12);
        assert_eq!((strata.degrees, strata.n), (1.0, 1));
        assert!(is_filled(5, 1, [2, 2]) && !is_filled(4, 1, [2, 2]));
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
        // The cause is always 1, whatever the effect.
        let constant = strata(vec![2, 2, 3, 3], [2, 2]);
        assert_eq!((constant.g, constant.degrees), (0.0, 0.0));
    }

    /// G, centred, and its degrees of freedom after every shuffle.
    fn shuffled(causes: &[u64], effects: &mut [u64], n_tables: usize) -> Vec<(f64, f64)> {
        let mut rng = Seed::new(3).rng();
        let mut table = || {
            effects.shuffle(&mut rng);
            let pairs = causes.iter().zip(&*effects);
            let codes = pairs.map(|(cause, effect)| cause * 10 + effect);
            let strata = strata(codes.collect(), [10, 10]);
            (strata.g, strata.degrees)
        };
        (0..n_tables).map(|_| table()).collect()
    }

    /// Tables of about five rows per cell: uncentred, their mean is more than 3 off.
    #[test]
    fn shuffled_rows_have_the_degrees_of_freedom_as_their_mean() {
        let causes: Vec<u64> = (0..400).map(|row| row * row / 16_100).collect();
        let mut effects: Vec<u64> = (0..400).map(|row| row / 45).collect();
        let tables = shuffled(&causes, &mut effects, 2000);
        let mean = tables.iter().map(|(g, _)| g).sum::<f64>() / 2000.0;
        assert_eq!(tables[0].1, 72.0);
        // One table deviates by about sqrt(2 * 72) = 12, the mean by 0.27.
        assert!((mean - 72.0).abs() < 1.1, "{mean}");
    }

    /// Two values that are rare: 80 tables of 20 rows, each with one row of either. By hand, G is
    /// 7.94 in a table where they meet (one in 20) and 0.106 elsewhere: mean 0.5, variance 2.9. The
    /// sum over 80 tables must not often look like dependence.
    #[test]
    fn rare_values_that_meet_by_chance_are_no_dependence() {
        let causes: Vec<u64> = (0..20).map(|row| u64::from(row == 0)).collect();
        let tables = shuffled(&causes.clone(), &mut causes.clone(), 80 * 500);
        let sums = tables.chunks(80).map(|tables| {
            let excess: f64 = tables.iter().map(|(g, degrees)| g - degrees).sum();
            let degrees: f64 = tables.iter().map(|(_, degrees)| degrees).sum();
            excess / (2.0 * degrees).sqrt()
        });
        let sums: Vec<f64> = sums.collect();
        let mean = sums.iter().sum::<f64>() / 500.0;
        assert!(mean.abs() < 0.25, "{mean}");
        assert!(sums.iter().all(|deviations| *deviations < 5.0));
    }
}
