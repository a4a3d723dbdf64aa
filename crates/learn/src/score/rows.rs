//! A site's sums over its rows: what [`fedcdi_score`] asks for.
//!
//! Rows are sorted by regime, so the rows that leave a variable alone are a few runs of them. The
//! designs of models are kept from one question to the next, since a fit asks for the same model
//! again and again.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use fedcdi_core::{Dataset, VarId};
use fedcdi_score::{Ask, Cells, GRID, MAGNITUDES, Outline, Rows, Slope, Sums};
use rayon::prelude::*;

use crate::fit::logistic::sums::{Cases, OTHER_VALUE, Other, Outlook, outlook, slopes};

/// The rows of a table, to be summed over.
pub fn rows(data: &Dataset) -> Box<dyn Rows> {
    Box::new(SiteRows::new(data))
}

/// Combinations of parents up to this many per row are told apart; with more of them every row is a
/// case of its own.
const CASES_PER_ROW: usize = 4;

struct SiteRows {
    outline: Outline,
    /// Codes by variable, none of a real one.
    codes: Vec<Vec<u16>>,
    /// Real numbers by variable, none of a categorical one.
    reals: Vec<Vec<f64>>,
    /// By variable, the rows that leave it alone.
    free: Vec<Vec<Range<usize>>>,
    /// By regime: what it sets, and its rows.
    regimes: Vec<(Vec<VarId>, Range<usize>)>,
    /// `[cause, effect]`: whether a row sets the first and leaves the second alone.
    apart: Vec<bool>,
    n_rows: usize,
    /// Cases of the models that were asked for last.
    cases: HashMap<Key, Cases>,
}

type Key = (VarId, Option<VarId>, Vec<u16>, Vec<VarId>);

impl SiteRows {
    fn new(data: &Dataset) -> Self {
        let groups = data.samples_by_regime();
        let sorted = data.select(&groups.concat());
        let vars = || data.schema().ids();
        let outline = vars().map(|var| {
            let variable = data.schema().variable(var);
            (!variable.is_real()).then(|| variable.n_categories())
        });
        let outline = Outline(outline.collect());
        let codes = |var| {
            let labels = (!outline.is_real(var)).then(|| sorted.column(var).codes());
            labels.into_iter().flatten().collect()
        };
        let reals = |var| {
            sorted
                .column(var)
                .reals()
                .map_or_else(Vec::new, <[f64]>::to_vec)
        };
        let free = |var| {
            let (mut runs, mut start) = (Vec::<Range<usize>>::new(), 0);
            for (regime, group) in data.regimes().iter().zip(&groups) {
                let end = start + group.len();
                match runs.last_mut() {
                    _ if regime.intervenes_on(var) => {}
                    Some(last) if last.end == start => last.end = end,
                    _ => runs.push(start..end),
                }
                start = end;
            }
            runs.retain(|run| !run.is_empty());
            runs
        };
        let mut start = 0;
        let regimes = data.regimes().iter().zip(&groups).map(|(regime, group)| {
            let rows = start..start + group.len();
            start = rows.end;
            (regime.targets().to_vec(), rows)
        });
        let regimes = regimes.collect();
        let n_vars = data.n_vars();
        let mut apart = vec![false; n_vars * n_vars];
        for (regime, group) in data.regimes().iter().zip(&groups) {
            for &set in regime.targets().iter().filter(|_| !group.is_empty()) {
                for other in vars().filter(|other| !regime.intervenes_on(*other)) {
                    apart[set.index() * n_vars + other.index()] = true;
                }
            }
        }
        Self {
            codes: vars().map(codes).collect(),
            reals: vars().map(reals).collect(),
            free: vars().map(free).collect(),
            apart,
            n_rows: data.n_samples(),
            regimes,
            cases: HashMap::new(),
            outline,
        }
    }

    fn begin(&self) -> Vec<i64> {
        let n_vars = self.outline.n_vars();
        let mut numbers: Vec<i64> = self.apart.iter().map(|apart| i64::from(*apart)).collect();
        for var in 0..n_vars {
            numbers[var * n_vars + var] = whole_of(self.n_free(VarId(var)));
        }
        for var in self.outline.reals() {
            let mut bins = vec![0; MAGNITUDES];
            for value in &self.reals[var.index()] {
                bins[magnitude(*value)] += 1;
            }
            numbers.extend(bins);
        }
        numbers
    }

    fn moments(&self, scales: &[(f64, f64)]) -> Vec<i64> {
        let both = self.outline.reals().zip(scales).flat_map(|(var, scale)| {
            let all = std::slice::from_ref(&(0..self.n_rows)).to_vec();
            self.sums_of(var, &all, *scale)
        });
        both.collect()
    }

    /// Sum and sum of squares of a real variable.
    fn sums_of(&self, var: VarId, runs: &[Range<usize>], scale: (f64, f64)) -> [i64; 2] {
        let mut sums = [0, 0];
        for row in runs.iter().cloned().flatten() {
            let x = scaled(self.reals[var.index()][row], scale);
            sums[0] += steps(x);
            sums[1] += steps(x * x);
        }
        sums
    }

    fn n_free(&self, var: VarId) -> usize {
        self.free[var.index()].iter().map(Range::len).sum()
    }

    fn scale_of(&self, var: VarId, sums: &Sums) -> (f64, f64) {
        let place = self.outline.reals().position(|real| real == var);
        sums.scales[place.expect("a real variable")]
    }

    /// The values of a real variable in these rows.
    fn scaled(&self, var: VarId, runs: &[Range<usize>], sums: &Sums) -> Vec<f64> {
        let scale = self.scale_of(var, sums);
        let values = of_runs(&self.reals[var.index()], runs);
        values
            .into_iter()
            .map(|value| scaled(value, scale))
            .collect()
    }

    fn count(&self, cells: &Cells, sums: &Sums) -> Vec<i64> {
        let runs = &self.free[cells.free_of.index()];
        let is_real = |var: &VarId| self.outline.is_real(*var);
        match cells.variables[..] {
            [only] if is_real(&only) => {
                self.sums_of(only, runs, self.scale_of(only, sums)).to_vec()
            }
            [a, b] if is_real(&a) || is_real(&b) => self.cross((a, b), cells, runs, sums),
            _ => self.table(&cells.variables, runs, cells.n_numbers(&self.outline)),
        }
    }

    /// Rows that leave a variable alone, and set another one if there is one.
    fn runs(&self, set: Option<VarId>, free_of: VarId) -> Cow<'_, [Range<usize>]> {
        let Some(set) = set else {
            return Cow::Borrowed(&self.free[free_of.index()]);
        };
        let regimes = self.regimes.iter();
        let of_both =
            regimes.filter(|(targets, _)| targets.contains(&set) && !targets.contains(&free_of));
        Cow::Owned(of_both.map(|(_, rows)| rows.clone()).collect())
    }

    fn cross(
        &self,
        (a, b): (VarId, VarId),
        cells: &Cells,
        runs: &[Range<usize>],
        sums: &Sums,
    ) -> Vec<i64> {
        let mut numbers = vec![0; cells.n_numbers(&self.outline)];
        let (real, other) = if self.outline.is_real(a) {
            (a, b)
        } else {
            (b, a)
        };
        let values = self.scaled(real, runs, sums);
        if self.outline.is_real(other) {
            let others = self.scaled(other, runs, sums);
            numbers[0] = values.iter().zip(&others).map(|(x, y)| steps(x * y)).sum();
        } else {
            let codes = of_runs(&self.codes[other.index()], runs);
            for (code, x) in codes.into_iter().zip(values) {
                numbers[usize::from(code)] += steps(x);
            }
        }
        numbers
    }

    /// Rows by the values of these variables, the first the slowest.
    fn table(&self, variables: &[VarId], runs: &[Range<usize>], n_cells: usize) -> Vec<i64> {
        let mut counts = vec![0u32; n_cells];
        for run in runs {
            let columns = variables
                .iter()
                .map(|var| &self.codes[var.index()][run.clone()]);
            let columns: Vec<&[u16]> = columns.collect();
            let sizes: Vec<u32> = variables
                .iter()
                .map(|var| self.outline.width(*var) as u32)
                .collect();
            match (&columns[..], &sizes[..]) {
                ([a], _) => a.iter().for_each(|a| counts[usize::from(*a)] += 1),
                ([a, b], [_, size]) => {
                    let size = *size as usize;
                    for (a, b) in a.iter().zip(*b) {
                        counts[usize::from(*a) * size + usize::from(*b)] += 1;
                    }
                }
                _ => {
                    for code in codes(&columns, &sizes) {
                        counts[code as usize] += 1;
                    }
                }
            }
        }
        counts.into_iter().map(i64::from).collect()
    }

    fn slope(&self, slope: &Slope, sums: &Sums) -> Vec<i64> {
        let cases = &self.cases[&key(slope)];
        let weights = full_weights(slope, &self.outline, cases.stride());
        let found = slopes(cases, &weights);
        let mut numbers = vec![found.nll];
        if slope.set.is_some() {
            return numbers;
        }
        let (stride, values) = (cases.stride(), cases.n_values);
        let free = free_columns(slope, &self.outline);
        for column in free {
            let row = &found.gradient[column * stride..][..values - 1];
            numbers.extend(row.iter().map(|x| whole(*x)));
        }
        if slope.outlook {
            let found = self.outlook(slope, sums, cases, &weights);
            for block in [&found.own_variances, &found.slopes, &found.variances] {
                for row in block.chunks_exact(stride) {
                    numbers.extend(row[..values].iter().map(|x| whole(*x)));
                }
            }
        }
        numbers
    }

    fn outlook(&self, slope: &Slope, sums: &Sums, cases: &Cases, weights: &[f64]) -> Outlook {
        let runs = &*self.runs(slope.set, slope.effect);
        let vars: Vec<VarId> = slope.others(&self.outline).collect();
        let codes: Vec<Vec<u16>> = vars
            .iter()
            .map(|var| {
                if self.outline.is_real(*var) {
                    Vec::new()
                } else {
                    of_runs(&self.codes[var.index()], runs)
                }
            })
            .collect();
        let reals: Vec<Vec<f64>> = vars
            .iter()
            .map(|var| {
                if self.outline.is_real(*var) {
                    self.scaled(*var, runs, sums)
                } else {
                    Vec::new()
                }
            })
            .collect();
        let others: Vec<Other<'_>> = (vars.iter().zip(&codes).zip(&reals))
            .map(|((var, codes), reals)| match self.outline.size(*var) {
                Some(size) => Other::Codes(codes, size),
                None => Other::Reals(reals),
            })
            .collect();
        outlook(cases, weights, &others)
    }

    /// The rows of a model, grouped.
    fn cases(&self, slope: &Slope, sums: &Sums) -> Cases {
        let effect = slope.effect;
        let is_real = |var: &&VarId| self.outline.is_real(**var);
        let labelled: Vec<VarId> = slope
            .parents
            .iter()
            .filter(|var| !is_real(var))
            .copied()
            .collect();
        let runs = &*self.runs(slope.set, effect);
        let n_rows = runs.iter().map(Range::len).sum();
        let columns: Vec<Vec<u16>> = labelled
            .iter()
            .map(|var| of_runs(&self.codes[var.index()], runs))
            .collect();
        let reals: Vec<Vec<f64>> = (slope.parents.iter().filter(is_real))
            .map(|var| self.scaled(*var, runs, sums))
            .collect();
        let of_row = if reals.is_empty() {
            let sizes: Vec<u32> = labelled
                .iter()
                .map(|var| self.outline.width(*var) as u32)
                .collect();
            let columns: Vec<&[u16]> = columns.iter().map(Vec::as_slice).collect();
            numbered(&columns, &sizes, n_rows)
        } else {
            (0..n_rows as u32).collect()
        };
        let mut cases = Cases {
            n_columns: 1,
            n_values: slope.values.len(),
            width: 1 + labelled.len(),
            columns: Vec::new(),
            real_columns: Vec::new(),
            reals: Vec::new(),
            counts: Vec::new(),
            totals: Vec::new(),
            observed: Vec::new(),
            of_row,
        };
        let mut starts = Vec::new();
        for parent in &slope.parents {
            if self.outline.is_real(*parent) {
                cases.real_columns.push(cases.n_columns as u32);
            } else {
                starts.push(cases.n_columns as u32);
            }
            cases.n_columns += self.outline.width(*parent);
        }
        let mut place = vec![OTHER_VALUE; self.outline.width(effect)];
        for (at, value) in slope.values.iter().enumerate() {
            place[usize::from(*value)] = at as u16;
        }
        let observed = of_runs(&self.codes[effect.index()], runs);
        cases.observed = observed
            .into_iter()
            .map(|value| place[usize::from(value)])
            .collect();
        let stride = cases.stride();
        for row in 0..n_rows {
            let case = cases.of_row[row] as usize;
            if case == cases.totals.len() {
                cases.totals.push(0.0);
                cases.counts.resize((case + 1) * stride, 0.0);
                cases.columns.push(0);
                let given = columns.iter().zip(&starts);
                cases
                    .columns
                    .extend(given.map(|(codes, start)| start + u32::from(codes[row])));
                cases.reals.extend(reals.iter().map(|values| values[row]));
            }
            if cases.observed[row] == OTHER_VALUE {
                continue;
            }
            cases.totals[case] += 1.0;
            cases.counts[case * stride + usize::from(cases.observed[row])] += 1.0;
        }
        cases
    }
}

impl Rows for SiteRows {
    fn sums(&mut self, ask: &Ask) -> Vec<i64> {
        let sums = match ask {
            Ask::Begin => return self.begin(),
            Ask::Moments(scales) => return self.moments(scales),
            Ask::Sums(sums) => sums,
        };
        let known: std::collections::HashSet<Key> = sums.slopes.iter().map(key).collect();
        self.cases.retain(|key, _| known.contains(key));
        let mut new: Vec<&Slope> = sums.slopes.iter().collect();
        new.retain(|slope| !self.cases.contains_key(&key(slope)));
        new.dedup_by_key(|slope| key(slope));
        let made: Vec<(Key, Cases)> = new
            .into_par_iter()
            .map(|slope| (key(slope), self.cases(slope, sums)))
            .collect();
        self.cases.extend(made);
        let this = &*self;
        let counts: Vec<Vec<i64>> = (sums.counts.par_iter())
            .with_min_len(4)
            .map(|cells| this.count(cells, sums))
            .collect();
        let slopes: Vec<Vec<i64>> = (sums.slopes.par_iter())
            .map(|slope| this.slope(slope, sums))
            .collect();
        counts.into_iter().chain(slopes).flatten().collect()
    }
}

fn key(slope: &Slope) -> Key {
    let (values, parents) = (slope.values.clone(), slope.parents.clone());
    (slope.effect, slope.set, values, parents)
}

fn of_runs<T: Copy>(column: &[T], runs: &[Range<usize>]) -> Vec<T> {
    let mut values = Vec::with_capacity(runs.iter().map(Range::len).sum());
    for run in runs {
        values.extend_from_slice(&column[run.clone()]);
    }
    values
}

/// One number per row, the same for the same values.
fn codes(columns: &[&[u16]], sizes: &[u32]) -> Vec<u32> {
    let mut codes: Vec<u32> = vec![0; columns.first().map_or(0, |column| column.len())];
    for (column, size) in columns.iter().zip(sizes) {
        for (code, value) in codes.iter_mut().zip(*column) {
            *code = *code * size + u32::from(*value);
        }
    }
    codes
}

/// Combinations in the order in which they are met; every row by itself where there may be too many.
fn numbered(columns: &[&[u16]], sizes: &[u32], n_rows: usize) -> Vec<u32> {
    let all = sizes
        .iter()
        .map(|size| *size as usize)
        .fold(1, usize::saturating_mul);
    if all > CASES_PER_ROW * n_rows.max(64) {
        return (0..n_rows as u32).collect();
    }
    if columns.is_empty() {
        return vec![0; n_rows];
    }
    let mut number = vec![u32::MAX; all];
    let mut n = 0;
    let mut of_row = codes(columns, sizes);
    for code in &mut of_row {
        let known = &mut number[*code as usize];
        if *known == u32::MAX {
            (*known, n) = (n, n + 1);
        }
        *code = *known;
    }
    of_row
}

/// Weights with the columns and values that are left out of the message, which are 0.
fn full_weights(slope: &Slope, outline: &Outline, stride: usize) -> Vec<f64> {
    let values = slope.values.len();
    let widths: usize = slope.parents.iter().map(|var| outline.width(*var)).sum();
    let mut full = vec![0.0; (1 + widths) * stride];
    let rows = slope.weights.chunks_exact(values - 1);
    for (column, row) in free_columns(slope, outline).into_iter().zip(rows) {
        full[column * stride..][..values - 1].copy_from_slice(row);
    }
    full
}

/// Columns of a design that have weights: all but the last of every categorical parent.
fn free_columns(slope: &Slope, outline: &Outline) -> Vec<usize> {
    let (mut columns, mut start) = (vec![0], 1);
    for parent in &slope.parents {
        columns.extend(start..start + outline.free_width(*parent));
        start += outline.width(*parent);
    }
    columns
}

fn scaled(value: f64, (centre, unit): (f64, f64)) -> f64 {
    (value - centre) / unit
}

/// In steps of the grid.
fn steps(x: f64) -> i64 {
    (x / GRID).round_ties_even() as i64
}

fn whole_of(n_rows: usize) -> i64 {
    i64::try_from(n_rows).expect("rows in memory are fewer")
}

/// Of a multiple of the grid, how many steps it is.
fn whole(x: f64) -> i64 {
    (x / GRID) as i64
}

/// Bin of a magnitude: 0 for zero, else by the binary exponent.
fn magnitude(value: f64) -> usize {
    if value == 0.0 {
        return 0;
    }
    let exponent = value.abs().log2().floor().clamp(-1074.0, 1023.0) as i32;
    1 + ((exponent + 1074) / 16) as usize
}
