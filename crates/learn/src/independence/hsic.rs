//! Hilbert-Schmidt independence criterion on real variables, and on category codes: how published
//! comparisons ran IGSP on categorical data.
//!
//! Gretton et al. (2007). With `K` and `L` the kernel matrices `exp(-(x - x')^2)` of n values of
//! two variables, and a tilde for double centring:
//!
//! | formula | code |
//! |---|---|
//! | `sum(K~ * L~) / n^2` | statistic |
//! | mean `(1 + mx my - mx - my) / n`, `mx` the off-diagonal mean of K | gamma null |
//! | variance `2 (n-4)(n-5) / (n(n-1)(n-2)(n-3))` times the off-diagonal mean of `(K~ * L~)^2` | gamma null |
//! | given other variables: residuals of an additive fit on them (backfitting): means of categories, running lines of reals | [`Hsic`] |
//!
//! Real variables are standardised first, for the kernel has a width. Residuals whose spread varies
//! with the given variables look dependent, and codes have no scale: treat this as a point of
//! comparison. Memory and time are O(n^2), so a random part of the rows is used.

use fedcdi_core::{Dataset, Seed, VarId, VarSet};
use ndarray::{Array2, Axis};
use rand::seq::SliceRandom;

use super::IndependenceTests;
use super::tail::ln_gamma_tail;
use super::targets::interventional;

const MAX_PASSES: usize = 100;

pub(crate) struct Hsic {
    observed: Vec<Values>,
    targets: Vec<VarSet>,
    /// By regime and variable; the last variable is the label of the regime.
    labelled: Vec<Vec<Values>>,
}

enum Values {
    Codes(Vec<f64>),
    Reals(Vec<f64>),
}

impl Values {
    fn of(data: &Dataset, var: VarId, rows: &[usize]) -> Self {
        if let Some(values) = data.column(var).reals() {
            return Self::Reals(standardised(rows.iter().map(|s| values[*s]).collect()));
        }
        let codes = rows.iter().map(|s| f64::from(data.value(*s, var)));
        Self::Codes(codes.collect())
    }

    fn numbers(&self) -> &[f64] {
        match self {
            Self::Codes(values) | Self::Reals(values) => values,
        }
    }

    /// Takes from `rest` what these values explain of it; the largest change. `fitted` is what a
    /// real variable explained before: a smoother would take more every time it is applied.
    fn explain(&self, rest: &mut [f64], fitted: &mut [f64]) -> f64 {
        match self {
            Self::Codes(codes) => subtract_means(codes, rest),
            Self::Reals(values) => subtract_line(values, rest, fitted),
        }
    }
}

impl Hsic {
    /// Of at most `max_rows` observational samples and, for invariance, as many of each regime and
    /// observational ones together; which, the seed decides.
    pub(crate) fn new(data: &Dataset, max_rows: usize, seed: &Seed) -> Self {
        let by_regime = data.samples_by_regime();
        let observed = some(&data.observational(), max_rows, &seed.derive("hsic", 0));
        let columns = |rows: &[usize]| -> Vec<Values> {
            let vars = data.schema().ids();
            vars.map(|var| Values::of(data, var, rows)).collect()
        };
        let labelled = |number: usize| {
            let seed = seed.derive("hsic", number + 1);
            let rows = some(&by_regime[number], max_rows / 2, &seed);
            let n_observed = observed.len().min(max_rows - rows.len());
            let both = [&observed[..n_observed], &rows[..]].concat();
            let mut table = columns(&both);
            let labels = (0..both.len()).map(|at| f64::from(u8::from(at >= n_observed)));
            table.push(Values::Codes(labels.collect()));
            table
        };
        let (numbers, targets) = interventional(data);
        Self {
            observed: columns(&observed),
            targets,
            labelled: numbers.into_iter().map(labelled).collect(),
        }
    }
}

/// At most `most` of these rows, in random order.
fn some(rows: &[usize], most: usize, seed: &Seed) -> Vec<usize> {
    let mut rows = rows.to_vec();
    rows.shuffle(&mut seed.rng());
    rows.truncate(most);
    rows
}

impl IndependenceTests for Hsic {
    fn n_vars(&self) -> usize {
        self.observed.len()
    }

    fn regimes(&self) -> &[VarSet] {
        &self.targets
    }

    fn independence(&self, a: VarId, b: VarId, given: &VarSet, _level: f64) -> f64 {
        log_p(&self.observed, a, b, given)
    }

    fn invariance(&self, var: VarId, regime: usize, given: &VarSet, _level: f64) -> f64 {
        log_p(&self.labelled[regime], var, VarId(self.n_vars()), given)
    }
}

/// Complexity: O(n^2).
fn log_p(columns: &[Values], a: VarId, b: VarId, given: &VarSet) -> f64 {
    let given: Vec<&Values> = given.iter().map(|v| &columns[v.index()]).collect();
    let x = residuals(columns[a.index()].numbers(), &given);
    let y = residuals(columns[b.index()].numbers(), &given);
    let n = x.len() as f64;
    if n < 6.0 {
        return 0.0;
    }
    let ((k, mx), (l, my)) = (centred_kernel(&x), centred_kernel(&y));
    let products = k * &l;
    let statistic = products.sum() / (n * n);
    let squares = products.mapv(|p| p * p);
    let off_diagonal = (squares.sum() - squares.diag().sum()) / (n * (n - 1.0));
    let factor = 2.0 * (n - 4.0) * (n - 5.0) / (n * (n - 1.0) * (n - 2.0) * (n - 3.0));
    let (mean, variance) = ((1.0 + mx * my - mx - my) / n, factor * off_diagonal);
    ln_gamma_tail(statistic, mean * mean / variance, variance / mean)
}

/// The double-centred kernel matrix, and the off-diagonal mean of the matrix before centring.
fn centred_kernel(values: &[f64]) -> (Array2<f64>, f64) {
    let n = values.len();
    let kernel = |(i, j): (usize, usize)| (-(values[i] - values[j]).powi(2)).exp();
    let mut matrix = Array2::from_shape_fn((n, n), kernel);
    let sums = matrix.sum_axis(Axis(0));
    let total = sums.sum();
    let n = n as f64;
    for ((i, j), value) in matrix.indexed_iter_mut() {
        *value += total / (n * n) - (sums[i] + sums[j]) / n;
    }
    (matrix, (total - n) / (n * (n - 1.0)))
}

/// What an additive fit on `given` leaves of `values`.
fn residuals(values: &[f64], given: &[&Values]) -> Vec<f64> {
    let mut rest = values.to_vec();
    let mut fitted = vec![vec![0.0; rest.len()]; given.len()];
    for _ in 0..if given.is_empty() { 0 } else { MAX_PASSES } {
        let given = given.iter().zip(&mut fitted);
        let changes = given.map(|(values, fitted)| values.explain(&mut rest, fitted));
        if changes.fold(0.0, f64::max) < 1e-6 {
            break;
        }
    }
    rest
}

/// Subtracts from `rest` its mean at every code; the largest mean.
fn subtract_means(codes: &[f64], rest: &mut [f64]) -> f64 {
    let most = codes.iter().copied().fold(0.0, f64::max) as usize;
    let mut sums = vec![(0.0, 0.0); most + 1];
    for (value, code) in rest.iter().zip(codes) {
        let (sum, n) = &mut sums[*code as usize];
        *sum += value;
        *n += 1.0;
    }
    let mut largest = 0.0f64;
    for (value, code) in rest.iter_mut().zip(codes) {
        let (sum, n) = sums[*code as usize];
        *value -= sum / n;
        largest = largest.max((sum / n).abs());
    }
    largest
}

/// Rows on either side that a running line is fitted to, as a share of all.
const NEIGHBOURS: f64 = 0.1;

/// Fits a line to the neighbours of every value, and subtracts it from `rest` instead of what was
/// `fitted` before; the largest change.
fn subtract_line(values: &[f64], rest: &mut [f64], fitted: &mut [f64]) -> f64 {
    rest.iter_mut().zip(&*fitted).for_each(|(r, f)| *r += f);
    let n = values.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let reach = ((n as f64 * NEIGHBOURS) as usize).max(2);
    // Sums of 1, x, y, x^2 and xy over the rows before each place.
    let mut before = vec![[0.0; 5]];
    for (at, &row) in order.iter().enumerate() {
        let (x, y) = (values[row], rest[row]);
        let terms = [1.0, x, y, x * x, x * y];
        before.push(std::array::from_fn(|k| before[at][k] + terms[k]));
    }
    let mut largest = 0.0f64;
    for (at, &row) in order.iter().enumerate() {
        let (from, to) = (at.saturating_sub(reach), (at + reach + 1).min(n));
        let [count, x, y, xx, xy] = std::array::from_fn(|k| before[to][k] - before[from][k]);
        let spread = xx - x * x / count;
        let slope = if spread > 1e-9 {
            (xy - x * y / count) / spread
        } else {
            0.0
        };
        let line = y / count + slope * (values[row] - x / count);
        rest[row] -= line;
        largest = largest.max((line - fitted[row]).abs());
        fitted[row] = line;
    }
    largest
}

/// With mean 0 and deviation 1.
fn standardised(mut values: Vec<f64>) -> Vec<f64> {
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    let deviation = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
    let scale = if deviation > 0.0 { deviation } else { 1.0 };
    values.iter_mut().for_each(|v| *v = (*v - mean) / scale);
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_by_hand() {
        let (centred, mean) = centred_kernel(&[0.0, 0.0, 1.0]);
        let e = (-1f64).exp();
        assert!((mean - (2.0 + 4.0 * e) / 6.0).abs() < 1e-15);
        // Row means (2 + e) / 3, (2 + e) / 3, (1 + 2e) / 3 and grand mean (5 + 4e) / 9.
        let expected = 1.0 - 2.0 * (2.0 + e) / 3.0 + (5.0 + 4.0 * e) / 9.0;
        assert!((centred[(0, 1)] - expected).abs() < 1e-15);
        assert!(centred.sum().abs() < 1e-14);
    }

    #[test]
    fn sums_of_categories_leave_nothing() {
        let (a, b) = ([0.0, 0.0, 1.0, 1.0, 2.0], [0.0, 1.0, 0.0, 1.0, 1.0]);
        let sums: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a * a + 3.0 * b).collect();
        let given = [a, b].map(|codes| Values::Codes(codes.to_vec()));
        let rest = residuals(&sums, &[&given[0], &given[1]]);
        assert!(rest.iter().all(|r| r.abs() < 1e-4), "{rest:?}");
    }

    #[test]
    fn a_smooth_function_of_a_real_leaves_little() {
        let x: Vec<f64> = (0..200).map(|i| f64::from(i) / 50.0 - 2.0).collect();
        let y: Vec<f64> = x.iter().map(|x| 2.0 * x + (1.5 * x).sin()).collect();
        let rest = residuals(&y, &[&Values::Reals(x)]);
        assert!(rest.iter().all(|r| r.abs() < 0.1), "{rest:?}");
    }
}
