//! Counting pairs of categories, densely where that is small and by sorting where it is not.

use fedcdi_core::{Dataset, VarId};

/// Tables of at most this many cells are always counted densely.
const ALWAYS_DENSE: usize = 1 << 14;

/// Codes of some rows, `[variable][row]`.
pub(super) struct Rows {
    columns: Vec<Vec<u16>>,
    n_rows: usize,
}

/// How often a pair of categories occurs together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    /// Category of the cause.
    pub(super) cause: u16,
    /// Category of the effect.
    pub(super) effect: u16,
    /// Rows, at least one.
    pub(super) n: usize,
}

impl Rows {
    /// These samples of a table.
    pub(super) fn of(dataset: &Dataset, samples: &[usize]) -> Self {
        let column = |var: VarId| dataset.column(var).select(samples).codes().collect();
        Self {
            columns: dataset.schema().ids().map(column).collect(),
            n_rows: samples.len(),
        }
    }

    /// Rows of each of `n_categories` categories of `var`.
    pub(super) fn counts(&self, var: VarId, n_categories: usize) -> Vec<usize> {
        let mut counts = vec![0; n_categories];
        for &code in &self.columns[var.index()] {
            counts[usize::from(code)] += 1;
        }
        counts
    }

    /// Pairs of categories that occur, sorted by cause, then effect; `sizes` are the numbers of
    /// categories of cause and effect.
    pub(super) fn cells(&self, cause: VarId, effect: VarId, sizes: (usize, usize)) -> Vec<Cell> {
        let causes = self.columns[cause.index()].iter();
        let pairs = causes.zip(&self.columns[effect.index()]);
        let code =
            |(&cause, &effect): (&u16, &u16)| usize::from(cause) * sizes.1 + usize::from(effect);
        let cell = |code: usize, n: usize| Cell {
            cause: (code / sizes.1) as u16,
            effect: (code % sizes.1) as u16,
            n,
        };
        if sizes.0 * sizes.1 <= ALWAYS_DENSE.max(self.n_rows) {
            let mut counts = vec![0u32; sizes.0 * sizes.1];
            pairs.for_each(|pair| counts[code(pair)] += 1);
            let counts = counts.into_iter().enumerate().filter(|(_, n)| *n > 0);
            return counts.map(|(code, n)| cell(code, n as usize)).collect();
        }
        let mut codes: Vec<usize> = pairs.map(code).collect();
        codes.sort_unstable();
        let runs = codes.chunk_by(|a, b| a == b);
        runs.map(|run| cell(run[0], run.len())).collect()
    }
}

/// The same cells with cause and effect exchanged, sorted again.
pub(super) fn transposed(cells: &[Cell]) -> Vec<Cell> {
    let exchanged = cells.iter().map(|cell| Cell {
        cause: cell.effect,
        effect: cell.cause,
        n: cell.n,
    });
    let mut exchanged: Vec<Cell> = exchanged.collect();
    exchanged.sort_unstable_by_key(|cell| (cell.cause, cell.effect));
    exchanged
}
