//! Counting categorical rows: the one place where scores, tests and verdicts count.
//!
//! Rows with the same values of some variables have the same code, a number with one digit per
//! variable. There are two ways to count codes:
//!
//! | what | in the order | for |
//! |---|---|---|
//! | [`Counted::family_table`]: a row of counts per combination of parents | in which combinations are met | scores, logistic fits |
//! | [`Codes::cells`]: the cells that occur, with two variables apart from the others | of codes | G-tests, disclosed tests, sufficiency |

use std::collections::HashMap;

use fedcdi_core::{Dataset, VarId, VarSet};

/// Codes up to this many per row are counted in a list, more by a hash map or by sorting.
const DENSE_PER_ROW: usize = 4;

/// More combinations than this are not counted.
pub(crate) const MAX_COMBINATIONS: f64 = 1e15;

/// A dataset as the counting scores and tests want it.
#[derive(Clone, Debug)]
pub struct Counted {
    sizes: Vec<usize>,
    /// Codes by variable.
    columns: Vec<Vec<u16>>,
    /// By variable, the samples of regimes that leave it alone.
    free_rows: Vec<Vec<u32>>,
    n_samples: usize,
}

/// Rows counted by the values of some variables: a table per combination that occurs.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    pub(crate) n_values: usize,
    /// `[combination, given variable]`.
    pub(crate) combinations: Vec<u16>,
    /// `[combination, value]`.
    pub(crate) counts: Vec<f64>,
}

/// How often a value of a cause, one of an effect and a combination of others occur together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Code of the others.
    pub(crate) given: u64,
    pub(crate) cause: u16,
    pub(crate) effect: u16,
    /// Rows, at least one.
    pub(crate) n: u32,
}

impl Counted {
    /// Takes the columns and regimes.
    pub fn new(data: &Dataset) -> Self {
        let vars = || data.schema().ids();
        let rows = 0..data.n_samples() as u32;
        let is_free = |row: u32, var| !data.regime(row as usize).intervenes_on(var);
        let free_rows = |var| rows.clone().filter(|row| is_free(*row, var)).collect();
        let size = |var| data.schema().variable(var).n_categories();
        Self {
            sizes: vars().map(size).collect(),
            columns: vars().map(|v| data.column(v).codes().collect()).collect(),
            free_rows: vars().map(free_rows).collect(),
            n_samples: data.n_samples(),
        }
    }

    /// The observational samples and those of one other regime, with one variable more, the last:
    /// 0 in the former and 1 in the latter. A mechanism is invariant if it does not depend on it.
    pub(crate) fn labelled(data: &Dataset, regime: usize) -> Self {
        let mut rows = data.observational();
        let n_observed = rows.len();
        rows.extend(&data.samples_by_regime()[regime]);
        let mut counted = Self::new(&data.select(&rows));
        let label = (0..rows.len()).map(|at| u16::from(at >= n_observed));
        counted.columns.push(label.collect());
        counted.sizes.push(2);
        counted.free_rows = vec![(0..rows.len() as u32).collect(); counted.sizes.len()];
        counted
    }

    /// Number of variables.
    pub fn n_vars(&self) -> usize {
        self.sizes.len()
    }

    pub(crate) fn n_samples(&self) -> usize {
        self.n_samples
    }

    pub(crate) fn size(&self, var: VarId) -> usize {
        self.sizes[var.index()]
    }

    /// Codes of one variable, by sample.
    pub(crate) fn column(&self, var: VarId) -> &[u16] {
        &self.columns[var.index()]
    }

    /// Samples of each category, in all regimes.
    pub(crate) fn counts(&self, var: VarId) -> Vec<usize> {
        let mut counts = vec![0; self.size(var)];
        let codes = self.column(var).iter();
        codes.for_each(|code| counts[usize::from(*code)] += 1);
        counts
    }

    /// Samples in which `var` followed its mechanism.
    pub(crate) fn free_rows(&self, var: VarId) -> &[u32] {
        &self.free_rows[var.index()]
    }

    /// Number of combinations of values, as a real number because it may be huge.
    pub fn n_combinations(&self, vars: &VarSet) -> f64 {
        vars.iter().map(|v| self.size(v) as f64).product()
    }

    /// Counts of `effect` by its parents, on the samples that leave it alone.
    pub fn family_table(&self, effect: VarId, parents: &VarSet) -> Table {
        self.table(self.free_rows(effect), effect, parents)
    }

    /// Counts of `var` by the values of `given` on these rows.
    ///
    /// Complexity: O(n g) for n rows and g given variables.
    pub(crate) fn table(&self, rows: &[u32], var: VarId, given: &VarSet) -> Table {
        let rows = || rows.iter().map(|row| *row as usize);
        let codes = self.codes(rows(), given.iter());
        let mut number = codes.numbering();
        let n_values = self.size(var);
        let (mut combinations, mut counts) = (Vec::new(), Vec::new());
        let column = self.column(var);
        for (&code, row) in codes.of_rows.iter().zip(rows()) {
            let number = number(code);
            if number * n_values == counts.len() {
                counts.resize(counts.len() + n_values, 0.0);
                combinations.extend(given.iter().map(|v| self.column(v)[row]));
            }
            counts[number * n_values + usize::from(column[row])] += 1.0;
        }
        Table {
            n_values,
            combinations,
            counts,
        }
    }

    /// The cells of two variables given others in all samples; `None` if there are too many
    /// combinations.
    ///
    /// Complexity: O(n (g + log n)) for n samples and g given variables.
    pub(crate) fn cells(&self, [a, b]: [VarId; 2], given: &VarSet) -> Option<Vec<Cell>> {
        let sizes = [a, b].map(|var| self.size(var));
        let combinations = self.n_combinations(given) * sizes[0] as f64 * sizes[1] as f64;
        let vars = given.iter().chain([a, b]);
        let codes = || self.codes(0..self.n_samples, vars).cells(sizes);
        (combinations <= MAX_COMBINATIONS).then(codes)
    }

    fn codes(
        &self,
        rows: impl ExactSizeIterator<Item = usize> + Clone,
        vars: impl Iterator<Item = VarId>,
    ) -> Codes {
        let mut codes = Codes::new(vec![0; rows.len()], 1);
        for var in vars {
            let (column, size) = (self.column(var), self.size(var) as u64);
            codes.make_room_for(size);
            for (code, row) in codes.of_rows.iter_mut().zip(rows.clone()) {
                *code = *code * size + u64::from(column[row]);
            }
        }
        codes
    }
}

/// One number per row, equal for rows with the same values of some variables.
#[derive(Clone, Debug)]
pub struct Codes {
    of_rows: Vec<u64>,
    /// More than the largest.
    below: u64,
}

impl Codes {
    /// These codes, all of them smaller than `below`.
    pub fn new(of_rows: Vec<u64>, below: u64) -> Self {
        Self { of_rows, below }
    }

    /// The cells that occur, sorted by code, where the last digit is the effect and the one before
    /// is the cause; `sizes` are those of cause and effect.
    pub fn cells(self, [causes, effects]: [usize; 2]) -> Vec<Cell> {
        let [causes, effects] = [causes as u64, effects as u64];
        let cell = |(code, n): (u64, u32)| Cell {
            given: code / effects / causes,
            cause: (code / effects % causes) as u16,
            effect: (code % effects) as u16,
            n,
        };
        self.sorted().into_iter().map(cell).collect()
    }

    pub(crate) fn n_different(self) -> usize {
        self.sorted().len()
    }

    /// The codes that occur, sorted, and how often.
    fn sorted(mut self) -> Vec<(u64, u32)> {
        if let Some(below) = self.dense() {
            let mut counts = vec![0; below];
            let codes = self.of_rows.iter();
            codes.for_each(|code| counts[*code as usize] += 1);
            return (0..).zip(counts).filter(|(_, n)| *n > 0).collect();
        }
        self.of_rows.sort_unstable();
        let runs = self.of_rows.chunk_by(|a, b| a == b);
        runs.map(|run| (run[0], run.len() as u32)).collect()
    }

    /// How many codes there may be, if a list of them is worth it.
    fn dense(&self) -> Option<usize> {
        let below = usize::try_from(self.below).ok()?;
        (below <= DENSE_PER_ROW * self.of_rows.len()).then_some(below)
    }

    /// For another digit: codes that would become too large are numbered anew.
    fn make_room_for(&mut self, size: u64) {
        if self.below.checked_mul(size).is_none() {
            let mut number = self.numbering();
            let codes = self.of_rows.iter_mut();
            codes.for_each(|code| *code = number(*code) as u64);
            self.below = self.of_rows.iter().max().map_or(0, |last| last + 1);
        }
        self.below *= size;
    }

    /// Numbers codes in the order in which they are first met.
    fn numbering(&self) -> impl FnMut(u64) -> usize + use<> {
        let dense = self.dense();
        let mut list = vec![u32::MAX; dense.unwrap_or(0)];
        let (mut map, mut n) = (HashMap::new(), 0);
        move |code| {
            let number = match dense {
                Some(_) => &mut list[code as usize],
                None => map.entry(code).or_insert(u32::MAX),
            };
            if *number == u32::MAX {
                *number = n;
                n += 1;
            }
            *number as usize
        }
    }
}

impl Table {
    pub(crate) fn n_combinations(&self) -> usize {
        self.counts.len() / self.n_values
    }

    /// Counts of the values, combination by combination.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.counts.chunks_exact(self.n_values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::test_data;
    use fedcdi_core::Regime;

    #[test]
    fn only_rows_that_leave_the_variable_alone_are_counted() {
        let on_b = Regime::intervened([VarId(1)]);
        let rows: [(&[u16], Regime); 4] = [
            (&[0, 1], Regime::Observational),
            (&[1, 0], Regime::Observational),
            (&[1, 0], Regime::Observational),
            (&[1, 1], on_b),
        ];
        let counted = Counted::new(&test_data::table(&[2, 2], &rows));
        let given_a = VarSet::from_members(2, [VarId(0)]);
        let table = counted.family_table(VarId(1), &given_a);
        assert_eq!(table.combinations, [0, 1]);
        assert_eq!(table.counts, [0.0, 1.0, 2.0, 0.0]);
        let alone = counted.family_table(VarId(0), &VarSet::empty(2));
        assert_eq!((alone.combinations, alone.counts), (vec![], vec![1.0, 3.0]));
    }

    /// 70 binary variables have more combinations than there are codes.
    #[test]
    fn combinations_beyond_the_codes_are_told_apart() {
        let n_vars = 71;
        let row = |ones: &[usize]| -> Vec<u16> {
            (0..n_vars).map(|v| u16::from(ones.contains(&v))).collect()
        };
        let rows = [row(&[0, 70]), row(&[69]), row(&[0, 69]), row(&[69, 70])];
        let rows: Vec<(&[u16], Regime)> = rows
            .iter()
            .map(|row| (&row[..], Regime::Observational))
            .collect();
        let counted = Counted::new(&test_data::table(&vec![2; n_vars], &rows));
        let given = VarSet::from_members(n_vars, (0..70).map(VarId));
        let table = counted.family_table(VarId(70), &given);
        assert_eq!(table.counts, [0.0, 1.0, 1.0, 1.0, 1.0, 0.0]);
        let of_ends = table.combinations.chunks_exact(70).map(|c| (c[0], c[69]));
        assert!(of_ends.eq([(1, 0), (0, 1), (1, 1)]));
    }

    #[test]
    fn a_label_tells_regimes_apart() {
        let (on_a, on_b) = (
            Regime::intervened([VarId(0)]),
            Regime::intervened([VarId(1)]),
        );
        let rows: [(&[u16], Regime); 4] = [
            (&[0, 1], on_b.clone()),
            (&[1, 0], Regime::Observational),
            (&[1, 1], on_a),
            (&[0, 0], on_b),
        ];
        // Regimes are sorted: observational, on a, on b.
        let counted = Counted::labelled(&test_data::table(&[2, 2], &rows), 2);
        assert_eq!(counted.column(VarId(0)), [1, 0, 0]);
        assert_eq!(counted.column(VarId(2)), [0, 1, 1]);
        assert_eq!((counted.size(VarId(2)), counted.n_samples()), (2, 3));
    }

    #[test]
    fn lists_and_maps_number_alike() {
        let of_rows = vec![7, 3, 7, 0, 3, 9];
        let numbers = |below| {
            let codes = Codes::new(of_rows.clone(), below);
            let mut number = codes.numbering();
            of_rows.iter().map(|code| number(*code)).collect()
        };
        let dense: Vec<usize> = numbers(10);
        assert_eq!(dense, [0, 1, 0, 2, 1, 3]);
        assert_eq!(dense, numbers(1000));
    }

    #[test]
    fn cells_are_sorted_whether_counted_in_a_list_or_by_sorting() {
        // Digits of the others, of a cause of 2 values and of an effect of 3.
        let codes = vec![7, 0, 7, 10, 0, 0];
        let cell = |given, cause, effect, n| Cell {
            given,
            cause,
            effect,
            n,
        };
        let expected = [cell(0, 0, 0, 3), cell(1, 0, 1, 2), cell(1, 1, 1, 1)];
        for below in [12, 1 << 40] {
            let codes = Codes::new(codes.clone(), below);
            assert_eq!(codes.clone().cells([2, 3]), expected);
            assert_eq!(codes.n_different(), 3);
        }
    }
}
