//! Independence tests as they may leave a site: no small cell decides them.
//!
//! Ours. A test of cause x and effect y given z is one table per combination of z. Two statistics of
//! these tables are bounded below in the rows that stand behind each of their cells:
//!
//! | statistic | its cells | power |
//! |---|---|---|
//! | G of every table, without values that make a cell smaller than the limit (`large_cells`) | of each table | any dependence, where rows are many |
//! | generalised Cochran-Mantel-Haenszel: `T' V^-1 T`, T the sum over tables of observed less expected counts, V its covariance (`summed_cells`) | of the sum of all tables | dependence of the same kind at most combinations, however few rows each has |
//!
//! Combinations of fewer rows than a cell must have do not count in either. The first is told if its
//! tables keep nine rows of ten, else the second. The choice goes by margins alone, which say nothing about
//! dependence: so the statistic keeps its law. Rows of an expected cell are `n_zx n_zy / n_z`; the rarest
//! value leaves first, and what is left is a test of the same independence among the values that stay.
//!
//! Complexity: O(n) for n rows and, per combination, the square of its cells, which are at most
//! `MOST_SUMMED` in the second.

use super::counts::Cell;
use super::strata::{Strata, is_filled};
use super::summed::Summed;

/// Larger tables are not summed: their covariance costs the square of this.
const MOST_SUMMED: usize = 25;

/// Share of the rows of tables that tell something, from which large cells speak for all.
const ENOUGH: f64 = 0.9;

/// A pair of variables with more combinations of values than this is not tested.
pub(crate) const MOST_CELLS: usize = 4096;

/// One table per combination of the other variables.
#[derive(Clone, Debug)]
pub struct Tables {
    /// Values of the cause and of the effect.
    sizes: [usize; 2],
    /// Rows by `[table, cause, effect]`.
    rows: Vec<f64>,
}

/// Which values of the cause and of the effect still count.
type Kept = [Vec<bool>; 2];

impl Tables {
    /// Of sorted cells. Combinations of fewer than `smallest` rows do not count; none at all if the
    /// rows of the others are too few for so many tables.
    pub fn of(cells: &[Cell], sizes: [usize; 2], smallest: f64) -> Self {
        let n_rows = |cells: &[Cell]| cells.iter().map(|cell| cell.n as usize).sum::<usize>();
        let strata = cells.chunk_by(|a, b| a.given == b.given);
        let strata = strata.filter(|cells| n_rows(cells) as f64 >= smallest);
        let mut rows = Vec::new();
        // A test of a few values among many would take back edges that the other values show.
        if is_filled(
            strata.clone().map(n_rows).sum(),
            strata.clone().count(),
            sizes,
        ) {
            // Where one side has one value alone, nothing can depend on it.
            let tells = |cells: &&[Cell]| {
                cells.iter().any(|cell| cell.cause != cells[0].cause)
                    && cells.iter().any(|cell| cell.effect != cells[0].effect)
            };
            for cells in strata.filter(tells) {
                let start = rows.len();
                rows.resize(start + sizes[0] * sizes[1], 0.0);
                for cell in cells {
                    let at = usize::from(cell.cause) * sizes[1] + usize::from(cell.effect);
                    rows[start + at] = f64::from(cell.n);
                }
            }
        }
        Self { sizes, rows }
    }

    /// Of rows by `[table, cause, effect]`.
    pub fn of_counts(rows: Vec<f64>, sizes: [usize; 2]) -> Self {
        Self { sizes, rows }
    }

    fn tables(&self) -> impl Iterator<Item = &[f64]> {
        self.rows
            .chunks_exact((self.sizes[0] * self.sizes[1]).max(1))
    }

    /// Statistic and degrees of freedom as they are told; none if no cell is as large as
    /// `smallest`.
    pub fn told(&self, smallest: f64) -> Option<(f64, f64)> {
        let (kept, large) = self.large_cells(smallest);
        let n_rows: f64 = self.rows.iter().sum();
        if large.is_some() && kept >= ENOUGH * n_rows {
            return large;
        }
        self.summed_cells(smallest).or(large)
    }

    /// G over the tables without small cells, and how many rows stand behind it.
    fn large_cells(&self, smallest: f64) -> (f64, Option<(f64, f64)>) {
        let mut n_rows = 0.0;
        let mut strata = Strata::empty(self.sizes);
        for table in self.tables() {
            let expected = |kept: &Kept| expected(table, self.sizes, kept);
            if let Some(kept) = self.without_rare(smallest, expected) {
                let cells = table.iter().enumerate();
                let cells = cells.map(|(at, n)| (at / self.sizes[1], at % self.sizes[1], *n));
                n_rows +=
                    strata.add(cells.filter(|(c, e, n)| kept[0][*c] && kept[1][*e] && *n > 0.0));
            }
        }
        let test = (strata.degrees > 0.0).then_some((strata.g, strata.degrees));
        (n_rows, test)
    }

    /// The sum of all tables against what independence would give: statistic and degrees of freedom.
    pub fn summed_cells(&self, smallest: f64) -> Option<(f64, f64)> {
        let summed = |kept: &Kept| {
            let mut sum = vec![0.0; self.sizes[0] * self.sizes[1]];
            for table in self.tables() {
                let expected = expected(table, self.sizes, kept);
                sum.iter_mut().zip(expected).for_each(|(s, e)| *s += e);
            }
            sum
        };
        let kept = self.without_rare(smallest, summed)?;
        let values = [0, 1].map(|side| places(&kept[side]));
        let degrees = (values[0].len() - 1) * (values[1].len() - 1);
        if degrees > MOST_SUMMED {
            return None;
        }
        let mut sum = Summed::new(degrees);
        for table in self.tables() {
            sum.add(table, self.sizes[1], &values);
        }
        sum.statistic().map(|statistic| (statistic, degrees as f64))
    }

    /// The values that stay when the rarest leave, one by one, until every expected cell is large;
    /// none if fewer than two of either side would.
    fn without_rare(&self, smallest: f64, expected: impl Fn(&Kept) -> Vec<f64>) -> Option<Kept> {
        let mut kept = self.sizes.map(|size| vec![true; size]);
        loop {
            let cells = expected(&kept);
            // Values that do not occur are not there to be compared.
            let margins = margins(&cells, self.sizes);
            for side in 0..2 {
                let absent = |at: &usize| margins[side][*at] <= 0.0;
                (0..self.sizes[side])
                    .filter(absent)
                    .for_each(|at| kept[side][at] = false);
            }
            let left = [0, 1].map(|side| places(&kept[side]));
            if left.iter().any(|values| values.len() < 2) {
                return None;
            }
            let rarest = [0, 1].map(|side| {
                let rarer =
                    |a: &&usize, b: &&usize| margins[side][**a].total_cmp(&margins[side][**b]);
                *left[side].iter().min_by(rarer).expect("there are two")
            });
            let least = |c: &usize| {
                let row = &cells[c * self.sizes[1]..];
                left[1]
                    .iter()
                    .fold(f64::INFINITY, |least, e| least.min(row[*e]))
            };
            if left[0].iter().all(|c| least(c) >= smallest) {
                return Some(kept);
            }
            let side = usize::from(margins[0][rarest[0]] > margins[1][rarest[1]]);
            kept[side][rarest[side]] = false;
        }
    }
}

fn places(kept: &[bool]) -> Vec<usize> {
    (0..kept.len()).filter(|at| kept[*at]).collect()
}

fn margins(cells: &[f64], sizes: [usize; 2]) -> [Vec<f64>; 2] {
    let mut margins = sizes.map(|size| vec![0.0; size]);
    for (at, rows) in cells.iter().enumerate() {
        margins[0][at / sizes[1]] += rows;
        margins[1][at % sizes[1]] += rows;
    }
    margins
}

/// What independence would put into each cell, with these values alone.
fn expected(table: &[f64], sizes: [usize; 2], kept: &Kept) -> Vec<f64> {
    let inside = |(at, rows): (usize, &f64)| {
        let is_in = kept[0][at / sizes[1]] && kept[1][at % sizes[1]];
        if is_in { *rows } else { 0.0 }
    };
    let inside: Vec<f64> = table.iter().enumerate().map(inside).collect();
    let margins = margins(&inside, sizes);
    let total: f64 = margins[0].iter().sum();
    let cell = |at: usize| margins[0][at / sizes[1]] * margins[1][at % sizes[1]];
    if total <= 0.0 {
        return inside;
    }
    (0..inside.len()).map(|at| cell(at) / total).collect()
}

#[cfg(test)]
mod tests {
    use fedcdi_core::Seed;
    use rand::{Rng, RngExt};

    use super::super::counts::Codes;
    use super::*;

    /// By how many standard deviations a statistic exceeds its mean under independence.
    fn deviations((statistic, degrees): (f64, f64)) -> f64 {
        (statistic - degrees) / (2.0 * degrees).sqrt()
    }

    /// Counts of two variables of these sizes in several combinations.
    fn tables(counts: &[&[u32]], sizes: [usize; 2], smallest: f64) -> Tables {
        let combinations = (0u64..).zip(counts);
        let cells = combinations.flat_map(|(given, counts)| {
            let cell = move |(at, n): (usize, &u32)| Cell {
                given,
                cause: (at / sizes[1]) as u16,
                effect: (at % sizes[1]) as u16,
                n: *n,
            };
            counts.iter().enumerate().map(cell)
        });
        let cells: Vec<Cell> = cells.filter(|cell| cell.n > 0).collect();
        Tables::of(&cells, sizes, smallest)
    }

    #[test]
    fn a_small_cell_is_not_told() {
        // 461 rows, one person with a value of her own: her row and her value do not count.
        let with = tables(&[&[200, 100, 60, 100, 1, 0]], [3, 2], 5.0);
        let without = tables(&[&[200, 100, 60, 100, 0, 0]], [3, 2], 5.0);
        assert_eq!(with.told(5.0), without.told(5.0));
        let tiny = tables(&[&[4, 4, 4, 4]], [2, 2], 4.0);
        assert_eq!(tiny.told(5.0), None);
        assert!(tiny.told(4.0).is_some());
    }

    #[test]
    fn a_rare_combination_is_not_told() {
        // Thin tables, which are summed: a small one more would count as much as any other.
        let common: Vec<&[u32]> = vec![&[3, 1, 1, 3]; 40];
        let rare = [&common[..], &[&[2, 0, 0, 2]]].concat();
        let told = |counts: &[&[u32]]| tables(counts, [2, 2], 5.0).told(5.0);
        assert!(told(&common).is_some());
        assert_eq!(told(&common), told(&rare));
    }

    #[test]
    fn large_cells_speak_for_all_only_if_they_have_nearly_all_rows() {
        // 200 rows that show nothing in one large table, 320 that show much in thin ones.
        let thin: Vec<&[u32]> = vec![&[4, 0, 0, 4]; 40];
        let counts = [&thin[..], &[&[50, 50, 50, 50]]].concat();
        let tables = tables(&counts, [2, 2], 5.0);
        let (kept, large) = tables.large_cells(5.0);
        assert_eq!(
            (kept, large.map(|(_, degrees)| degrees)),
            (200.0, Some(1.0))
        );
        assert_eq!(tables.told(5.0), tables.summed_cells(5.0));
        assert!(deviations(tables.told(5.0).unwrap()) > 10.0);
    }

    #[test]
    fn the_sum_over_tables_by_hand() {
        // Mantel and Haenszel for two tables of two by two, without correction. Table 1: 8 2 / 3 7,
        // n 20, margins 10 and 11: excess 8 - 5.5, variance 10 10 11 9 / (400 19). Table 2 the same.
        let tables = tables(&[&[8, 2, 3, 7], &[8, 2, 3, 7]], [2, 2], 5.0);
        let variance = 10.0 * 10.0 * 11.0 * 9.0 / (400.0 * 19.0);
        let expected = (2.0 * 2.5) * (2.0 * 2.5) / (2.0 * variance);
        let (statistic, degrees) = tables.summed_cells(5.0).unwrap();
        assert!((statistic - expected).abs() < 1e-9, "{statistic}");
        assert_eq!(degrees, 1.0);
    }

    #[test]
    fn sparse_tables_tell_together_what_none_tells_alone() {
        // 200 combinations of eight rows: no cell of any has five.
        let alike: Vec<&[u32]> = vec![&[4, 0, 0, 4]; 200];
        let unlike: Vec<&[u32]> = vec![&[2, 2, 2, 2]; 200];
        let strength = |counts: &[&[u32]]| {
            let tables = tables(counts, [2, 2], 5.0);
            assert_eq!(tables.large_cells(5.0), (0.0, None));
            deviations(tables.told(5.0).unwrap())
        };
        assert!(strength(&alike) > 50.0 && strength(&unlike) < 0.0);
    }

    #[test]
    fn a_dependence_that_turns_round_is_told_by_large_tables() {
        let counts: [&[u32]; 2] = [&[90, 10, 10, 90], &[10, 90, 90, 10]];
        let tables = tables(&counts, [2, 2], 5.0);
        assert!(tables.summed_cells(5.0).unwrap().0 < 1e-9);
        assert!(deviations(tables.told(5.0).unwrap()) > 50.0);
    }

    /// 600 rows of two independent variables in so many combinations, one of them skewed.
    fn independent(rng: &mut impl Rng, combinations: u64) -> Tables {
        let mut row = || {
            let skewed = u64::from(rng.random_bool(0.2)) + u64::from(rng.random_bool(0.2));
            rng.random_range(0..combinations) * 9 + skewed * 3 + rng.random_range(0..3u64)
        };
        let codes: Vec<u64> = (0..600).map(|_| row()).collect();
        Tables::of(&Codes::new(codes, 1 << 40).cells([3, 3]), [3, 3], 5.0)
    }

    #[test]
    fn independent_variables_have_statistics_about_their_degrees() {
        // With few combinations cells are large, with many they must be summed.
        for combinations in [1, 8, 25] {
            let mut rng = Seed::new(3).rng();
            let mean = |of: fn((f64, f64)) -> f64, rng: &mut _| {
                let tables = (0..400).map(|_| independent(rng, combinations));
                tables
                    .map(|tables| of(tables.told(5.0).unwrap()))
                    .sum::<f64>()
                    / 400.0
            };
            let shift = mean(deviations, &mut rng);
            assert!(shift.abs() < 0.15, "{combinations}: {shift}");
            let spread = mean(|test| deviations(test).powi(2), &mut rng);
            assert!((0.6..1.6).contains(&spread), "{combinations}: {spread}");
        }
    }
}
