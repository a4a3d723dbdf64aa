//! What is known of the rows of all sites: sums that were asked for.

use std::collections::HashMap;

use fedcdi_core::{VarId, VarSet};

use crate::ask::{Cells, GRID, MAGNITUDES, Outline};

/// Sums so far.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) outline: Outline,
    /// By variable: rows that leave it alone.
    pub(crate) free: Vec<f64>,
    /// `[cause, effect]`: whether some rows set the first and leave the second alone.
    set: Vec<bool>,
    /// By real variable in order: centre and unit.
    pub(crate) scales: Vec<(f64, f64)>,
    /// Rows in all, where a variable is real.
    n_measured: f64,
    cells: HashMap<Cells, Vec<i64>>,
}

impl Known {
    /// From the sums to [`Ask::Begin`](crate::Ask::Begin).
    pub(crate) fn new(outline: Outline, sums: &[i64]) -> Self {
        let n = outline.n_vars();
        let (pairs, bins) = sums.split_at(n * n);
        Self {
            free: (0..n).map(|var| pairs[var * n + var] as f64).collect(),
            set: (0..n * n)
                .map(|at| at / n != at % n && pairs[at] > 0)
                .collect(),
            scales: bins.chunks_exact(MAGNITUDES).map(largest).collect(),
            n_measured: bins.iter().take(MAGNITUDES).sum::<i64>() as f64,
            cells: HashMap::new(),
            outline,
        }
    }

    /// Sharper scales, from the sums to [`Ask::Moments`](crate::Ask::Moments).
    pub(crate) fn rescale(&mut self, sums: &[i64]) {
        let n_rows = self.n_measured.max(1.0);
        for ((centre, unit), moments) in self.scales.iter_mut().zip(sums.chunks_exact(2)) {
            let [sum, squares] = [moments[0], moments[1]].map(|steps| steps as f64 * GRID);
            let mean = sum / n_rows;
            let deviation = (squares / n_rows - mean * mean).max(0.0).sqrt();
            *centre += mean * *unit;
            // Less than this cannot be told from rounding.
            *unit *= if deviation > 1e-6 { deviation } else { 1.0 };
        }
    }

    /// Rows that prices are set by: the same for every variable, so that graphs of one class cost
    /// the same.
    pub(crate) fn n_rows(&self) -> f64 {
        self.free.iter().fold(0.0, |most: f64, n| most.max(*n))
    }

    /// Whether some experiment set exactly one of the two.
    pub(crate) fn is_separated(&self, a: VarId, b: VarId) -> bool {
        self.sets(a, b) || self.sets(b, a)
    }

    /// Whether some rows set the first and leave the second alone.
    pub(crate) fn sets(&self, cause: VarId, effect: VarId) -> bool {
        self.set[cause.index() * self.outline.n_vars() + effect.index()]
    }

    pub(crate) fn has(&self, cells: &Cells) -> bool {
        self.cells.contains_key(cells)
    }

    pub(crate) fn insert(&mut self, cells: Cells, sums: Vec<i64>) {
        self.cells.insert(cells, sums);
    }

    /// Sums that are there.
    pub(crate) fn get(&self, cells: &Cells) -> &[i64] {
        &self.cells[cells]
    }

    /// The counts of one variable where it is left alone with `effect`: from any table of the two.
    pub(crate) fn marginal(&self, var: VarId, effect: VarId) -> Vec<f64> {
        let table = self.get(&pair(effect, var, effect));
        let (size, other) = (self.outline.width(var), self.outline.width(effect));
        let mut counts = vec![0.0; size];
        for (at, n) in table.iter().enumerate() {
            let value = if var < effect { at / other } else { at % size };
            counts[value] += *n as f64;
        }
        counts
    }

    /// Counts of an effect where it is left alone.
    pub(crate) fn effect_counts(&self, effect: VarId) -> Vec<f64> {
        let alone = self.get(&pair(effect, effect, effect));
        alone.iter().map(|n| *n as f64).collect()
    }

    /// Rows by the values of a cause (rows of the matrix) and of an effect.
    pub(crate) fn table_of(&self, cause: VarId, effect: VarId) -> Vec<f64> {
        let table = self.get(&pair(effect, cause, effect));
        let (n, m) = (self.outline.width(cause), self.outline.width(effect));
        let at = |x: usize, y: usize| if cause < effect { x * m + y } else { y * n + x };
        (0..n * m).map(|k| table[at(k / m, k % m)] as f64).collect()
    }
}

/// The cells of two variables, or of one, where another is left alone.
pub(crate) fn pair(free_of: VarId, a: VarId, b: VarId) -> Cells {
    let mut variables = vec![a, b];
    variables.sort_unstable();
    variables.dedup();
    Cells { free_of, variables }
}

/// The cells of a family.
pub(crate) fn family_cells(effect: VarId, parents: &VarSet) -> Cells {
    Cells {
        free_of: effect,
        variables: parents.with(effect).iter().collect(),
    }
}

/// Centre and unit of numbers that have these magnitudes: none is larger than the unit.
fn largest(bins: &[i64]) -> (f64, f64) {
    let last = bins.iter().rposition(|n| *n > 0).unwrap_or(0);
    let exponent = if last == 0 {
        0
    } else {
        i32::try_from(last).map_or(1023, |last| last * 16 - 1074)
    };
    (0.0, 2f64.powi(exponent.clamp(-1000, 1023)))
}
