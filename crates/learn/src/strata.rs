//! The G statistic of two variables within every combination of others.
//!
//! `G = 2 sum n_zxy ln(n_zxy n_z / (n_zx n_zy))`; see [`fedcdi_core::edge_test`].

/// Rows that a test needs for every cell of the tables it counts; the usual rule for G-tests.
const ROWS_PER_CELL: f64 = 5.0;

/// More combinations than this are not counted.
pub const MAX_COMBINATIONS: f64 = 1e15;

/// G and its degrees of freedom, summed over the combinations of other variables.
#[derive(Clone, Debug)]
pub struct Strata {
    /// Combinations that occur.
    pub n: usize,
    /// The statistic.
    pub g: f64,
    /// Its degrees of freedom, over the values seen.
    pub degrees: f64,
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
            degrees: 0.0,
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
        let seen = |counts: &[f64]| counts.iter().filter(|c| **c > 0.0).count() as f64 - 1.0;
        self.degrees += seen(causes) * seen(effects);
        self.n += 1;
    }
}

/// Whether `n_rows` are enough for tables of so many causes and effects in `n_strata` combinations.
pub fn is_filled(n_rows: usize, n_strata: usize, [causes, effects]: [usize; 2]) -> bool {
    let cells = n_strata * causes.saturating_sub(1) * effects.saturating_sub(1);
    n_rows as f64 >= ROWS_PER_CELL * cells as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statistic_is_that_of_the_table() {
        // One table [[3, 1], [1, 3]] (margins 4): G = 2 (2 * 3 ln 1.5 + 2 ln 0.5), one degree.
        let strata = Strata::of(&[0, 0, 0, 1, 2, 3, 3, 3], 2, 2);
        let expected = 2.0 * (6.0 * 1.5f64.ln() + 2.0 * 0.5f64.ln());
        assert!((strata.g - expected).abs() < 1e-12);
        assert_eq!((strata.degrees, strata.n), (1.0, 1));
        assert!(strata.is_filled(5) && !strata.is_filled(4));
    }
}
