//! Rows that can be summed over: a small table per site, drawn from its number.

use fedcdi_core::{ClientId, Seed, VarId};
use fedcdi_score::{Ask, Cells, GRID, Outline, Rows, Slope};
use rand::RngExt;

/// Rows of a site: codes, and the variable that was set.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    outline: Outline,
    rows: Vec<(Vec<usize>, Option<usize>)>,
}

impl Table {
    /// A chain in which every variable mostly repeats the one before, and every site sets variables of
    /// its own.
    pub(crate) fn of(site: ClientId, sizes: &[usize], seed: u64) -> Self {
        let mut rng = Seed::new(seed).derive("rows", site.0 as usize).rng();
        let n_vars = sizes.len();
        let row = |at: usize| {
            let set = at
                .is_multiple_of(3)
                .then(|| (at / 3 + site.0 as usize) % n_vars);
            let mut row: Vec<usize> = Vec::new();
            for (var, size) in sizes.iter().enumerate() {
                let chance = rng.random_range(0..*size);
                let repeats = var > 0 && set != Some(var) && rng.random_bool(0.7);
                row.push(if repeats { row[var - 1] % size } else { chance });
            }
            (row, set)
        };
        Self {
            outline: Outline(sizes.iter().copied().map(Some).collect()),
            rows: (0..60).map(row).collect(),
        }
    }

    fn beginning(&self) -> Vec<i64> {
        let n_vars = self.outline.n_vars();
        let apart = |at: usize| {
            let (cause, effect) = (at / n_vars, at % n_vars);
            let free = self.rows.iter().filter(|(_, set)| *set != Some(effect));
            if cause == effect {
                free.fold(0, |n, _| n + 1)
            } else {
                i64::from(free.into_iter().any(|(_, set)| *set == Some(cause)))
            }
        };
        (0..n_vars * n_vars).map(apart).collect()
    }

    fn table(&self, cells: &Cells) -> Vec<i64> {
        let mut counts = vec![0; cells.n_numbers(&self.outline)];
        for (row, _) in self.free_of(cells.free_of) {
            let place = |at: usize, var: &VarId| at * self.outline.width(*var) + row[var.0];
            counts[cells.variables.iter().fold(0, place)] += 1;
        }
        counts
    }

    fn free_of(&self, var: VarId) -> impl Iterator<Item = &(Vec<usize>, Option<usize>)> {
        let rows = self.rows.iter();
        rows.filter(move |(_, set)| *set != Some(var.0))
    }

    /// Negative log-likelihood, slopes, and with an outlook variances of the model's own columns, then slopes and
    /// variances of all others.
    fn slope(&self, slope: &Slope) -> Vec<i64> {
        let mut sums = vec![0i64; slope.n_numbers(&self.outline)];
        let is_asked = |set: Option<usize>| slope.set.is_none_or(|var| set == Some(var.0));
        let rows = self.free_of(slope.effect);
        for (row, _) in rows.filter(|(_, set)| is_asked(*set)) {
            let mut numbers = self.of_row(slope, row).into_iter();
            sums.iter_mut().for_each(|sum| {
                let number: f64 = numbers.next().expect("one for each");
                *sum = sum.saturating_add((number / GRID).round_ties_even() as i64);
            });
        }
        sums
    }

    fn of_row(&self, slope: &Slope, row: &[usize]) -> Vec<f64> {
        let n_free = slope.values.len() - 1;
        let design = self.columns(&slope.parents, row, true);
        let score = |value: usize| {
            let weights = slope.weights.chunks(n_free);
            let terms = design.iter().zip(weights).map(|(x, w)| x * w[value]);
            if value < n_free { terms.sum() } else { 0.0 }
        };
        let scores: Vec<f64> = (0..=n_free).map(score).collect();
        // A search tries weights so large that a share is 0, whose logarithm is still a number.
        let most = scores.iter().copied().fold(f64::MIN, f64::max);
        let total: f64 = scores.iter().map(|score| (score - most).exp()).sum();
        let logs: Vec<f64> = scores.iter().map(|s| s - most - total.ln()).collect();
        let shares: Vec<f64> = logs.iter().map(|log| log.exp()).collect();
        let is = |value: usize| f64::from(usize::from(slope.values[value]) == row[slope.effect.0]);
        let seen = (0..=n_free).map(|value| is(value) * logs[value]);
        let mut numbers = vec![-seen.sum::<f64>()];
        let slopes = |x: &f64, upto: usize| -> Vec<f64> {
            (0..upto).map(|v| x * (shares[v] - is(v))).collect()
        };
        let variances =
            |x: &f64| -> Vec<f64> { shares.iter().map(|p| x * x * p * (1.0 - p)).collect() };
        numbers.extend(design.iter().flat_map(|x| slopes(x, n_free)));
        if slope.outlook {
            let own = [vec![1.0], self.columns(&slope.parents, row, false)].concat();
            let others: Vec<VarId> = slope.others(&self.outline).collect();
            let others = self.columns(&others, row, false);
            numbers.extend(own.iter().flat_map(variances));
            numbers.extend(others.iter().flat_map(|x| slopes(x, n_free + 1)));
            numbers.extend(others.iter().flat_map(variances));
        }
        numbers
    }

    /// An intercept and a column per category but the last; or one per category.
    fn columns(&self, vars: &[VarId], row: &[usize], is_design: bool) -> Vec<f64> {
        let mut columns = vec![1.0; usize::from(is_design)];
        for var in vars {
            let width = self.outline.width(*var) - usize::from(is_design);
            columns.extend((0..width).map(|code| f64::from(row[var.0] == code)));
        }
        columns
    }
}

impl Rows for Table {
    fn sums(&mut self, ask: &Ask) -> Vec<i64> {
        match ask {
            Ask::Begin => self.beginning(),
            Ask::Moments(_) => Vec::new(),
            Ask::Sums(sums) => {
                let tables = sums.counts.iter().flat_map(|cells| self.table(cells));
                let models = sums.slopes.iter().flat_map(|slope| self.slope(slope));
                tables.chain(models).collect()
            }
        }
    }
}

/// Rows that always say the same, whatever is asked.
#[derive(Clone, Debug)]
pub(crate) struct Says(pub(crate) Vec<i64>);

impl Rows for Says {
    fn sums(&mut self, _: &Ask) -> Vec<i64> {
        self.0.clone()
    }
}
