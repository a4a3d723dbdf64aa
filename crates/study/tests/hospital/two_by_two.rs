//! All tables of two variables with two values, by their statistics.

/// G of `[[a, b], [c, d]]`, centred as sites have it.
///
/// The mean of G in tables with the same margins is that of one cell alone: it decides the others.
pub(crate) struct Statistics {
    n: usize,
    ln_factorial: Vec<f64>,
    times_ln: Vec<f64>,
}

impl Statistics {
    pub(crate) fn new(n: usize) -> Self {
        let mut ln_factorial = vec![0.0; n + 1];
        for k in 1..=n {
            ln_factorial[k] = ln_factorial[k - 1] + (k as f64).ln();
        }
        let times_ln = |k: usize| {
            if k == 0 {
                0.0
            } else {
                k as f64 * (k as f64).ln()
            }
        };
        Self {
            n,
            ln_factorial,
            times_ln: (0..=n).map(times_ln).collect(),
        }
    }

    /// G of every table with `row` of `n` in the first row and `column` in the first column, with
    /// its first cell.
    pub(crate) fn of_margins(&self, row: usize, column: usize) -> Vec<(usize, f64)> {
        let n = self.n;
        let cells = (row + column).saturating_sub(n)..=row.min(column);
        let margins = [row, n - row, column, n - column];
        let of_margins: f64 = margins.iter().map(|m| self.times_ln[*m]).sum();
        let rest = |a: usize| [a, row - a, column - a, n + a - row - column];
        let g = |a: usize| {
            let of_cells: f64 = rest(a).iter().map(|c| self.times_ln[*c]).sum();
            2.0 * (of_cells + self.times_ln[n] - of_margins)
        };
        let of_margins: f64 = margins.iter().map(|m| self.ln_factorial[*m]).sum();
        let chance = |a: usize| {
            let of_cells: f64 = rest(a).iter().map(|c| self.ln_factorial[*c]).sum();
            (of_margins - self.ln_factorial[n] - of_cells).exp()
        };
        let mean: f64 = cells.clone().map(|a| chance(a) * g(a)).sum();
        cells.map(|a| (a, g(a) - mean + 1.0)).collect()
    }

    /// Calls `found` with every table whose rarer values come first, and its statistic; tables that
    /// are the same after turning them round come once if `turned`.
    pub(crate) fn every(&self, turned: bool, mut found: impl FnMut([usize; 4], f64)) {
        let half = self.n / 2;
        for row in 1..=half {
            for column in if turned { row } else { 1 }..=half {
                for (a, g) in self.of_margins(row, column) {
                    let d = self.n + a - row - column;
                    found([a, row - a, column - a, d], g);
                }
            }
        }
    }

    /// Whether independence would put `smallest` rows into every cell.
    pub(crate) fn is_told(&self, [a, b, c, _]: [usize; 4], smallest: f64) -> bool {
        let (row, column) = (a + b, a + c);
        let least = row.min(self.n - row) * column.min(self.n - column);
        least as f64 >= smallest * self.n as f64
    }
}
