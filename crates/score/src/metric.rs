//! A metric for fits: second derivatives of the likelihood as far as sums of pairs tell them.
//!
//! For value v, `H_v = S_v G S_v C / (C - 1)`: G are the cross sums of the columns, exact; the diagonal
//! matrix `S_v^2` has the mean of `p (1 - p)` where a column is 1. Covariances of values are left out,
//! and the factor makes up for them. A factorisation leaves out columns that others determine: one
//! category of every parent, and those that do not occur.

use crate::ask::{Cells, GRID};
use crate::design::Design;
use crate::known::{Known, pair};

/// Columns whose pivot is below this share of their sum depend on the ones before.
const DEPENDENT: f64 = 1e-9;

/// Approximate inverse second derivatives of a [`Design`].
#[derive(Clone, Debug)]
pub(crate) struct Metric {
    n: usize,
    n_values: usize,
    /// `[column, column]`.
    gram: Vec<f64>,
    /// Cholesky factor of it, lower triangle; the diagonal holds inverse pivots, 0 of dependent ones.
    factor: Vec<f64>,
    /// `[column, value]`: square roots of mean variances.
    spread: Vec<f64>,
}

/// The cells that a metric needs.
pub(crate) fn needed(design: &Design) -> Vec<Cells> {
    let effect = design.effect;
    let mut cells = Vec::new();
    for (at, a) in design.blocks.iter().enumerate() {
        let alone = if a.is_real { a.parent } else { effect };
        cells.push(pair(effect, a.parent, alone));
        cells.extend(
            design.blocks[..at]
                .iter()
                .map(|b| pair(effect, a.parent, b.parent)),
        );
    }
    cells
}

impl Metric {
    /// From cells that are all known; variances as if a column were the only one.
    pub(crate) fn new(design: &Design, known: &Known) -> Self {
        let gram = gram(design, known);
        let n = design.n_columns;
        let mut factor = gram.clone();
        factorise(&mut factor, n);
        Self {
            n,
            n_values: design.n_values(),
            spread: spread(design, known),
            gram,
            factor,
        }
    }

    /// With variances as they are at the maximum: sums of `p (1 - p)` per column and value.
    pub(crate) fn set_variances(&mut self, sums: &[f64]) {
        for (column, row) in sums.chunks_exact(self.n_values).enumerate() {
            let total = self.gram[column * self.n + column];
            for (value, sum) in row.iter().enumerate() {
                let spread = &mut self.spread[column * self.n_values + value];
                *spread = ((sum + 0.25) / (total + 1.0)).sqrt();
            }
        }
    }

    /// Takes the variances of another model's columns, where this one has them too.
    pub(crate) fn inherit(&mut self, from: &Self, design: &Design, other: &Design) {
        let m = self.n_values;
        let mut copy = |to: usize, at: usize| {
            self.spread[to * m..][..m].copy_from_slice(&from.spread[at * m..][..m]);
        };
        copy(0, 0);
        for block in &design.blocks {
            if let Some(known) = other.block(block.parent) {
                for (to, at) in block.columns().zip(known.columns()) {
                    copy(to, at);
                }
            }
        }
    }

    fn shrink(&self) -> f64 {
        let n = self.n_values as f64;
        (n - 1.0) / n
    }

    /// Replaces a gradient `[column, value]` by the inverse second derivatives times it.
    pub(crate) fn solve(&self, vector: &mut [f64]) {
        let (n, m) = (self.n, self.n_values);
        let mut column = vec![0.0; n];
        for value in 0..m {
            for k in 0..n {
                column[k] = vector[k * m + value] / self.spread[k * m + value];
            }
            solve(&self.factor, n, &mut column);
            for k in 0..n {
                vector[k * m + value] = column[k] / self.spread[k * m + value] * self.shrink();
            }
        }
    }

    /// What leaving out these columns costs in nats, by the quadratic model around the maximum at
    /// `weights`; and the best weights of the others in the same model.
    pub(crate) fn without(
        &self,
        weights: &[f64],
        left_out: &std::ops::Range<usize>,
    ) -> (f64, Vec<f64>) {
        let (n, m) = (self.n, self.n_values);
        let kept: Vec<usize> = (0..n).filter(|k| !left_out.contains(k)).collect();
        let mut factor: Vec<f64> = Vec::with_capacity(kept.len() * kept.len());
        for a in &kept {
            factor.extend(kept.iter().map(|b| self.gram[a * n + b]));
        }
        factorise(&mut factor, kept.len());
        let (mut loss, mut rest) = (0.0, vec![0.0; kept.len() * m]);
        let mut moved = vec![0.0; kept.len()];
        for value in 0..m {
            let scaled = |k: usize| weights[k * m + value] * self.spread[k * m + value];
            let push = |a: usize| {
                let terms = left_out.clone().map(|b| self.gram[a * n + b] * scaled(b));
                terms.sum::<f64>()
            };
            for (to, a) in moved.iter_mut().zip(&kept) {
                *to = push(*a);
            }
            let pushed = moved.clone();
            solve(&factor, kept.len(), &mut moved);
            let own: f64 = left_out.clone().map(|a| push(a) * scaled(a)).sum();
            loss += own - moved.iter().zip(&pushed).map(|(a, b)| a * b).sum::<f64>();
            for (to, (a, moved)) in kept.iter().zip(&moved).enumerate() {
                rest[to * m + value] = weights[a * m + value] + moved / self.spread[a * m + value];
            }
        }
        (0.5 * loss / self.shrink(), rest)
    }
}

/// `c' G^-1 c`, as far as columns are not dependent.
pub(crate) fn explained(mut gram: Vec<f64>, cross: &[f64]) -> f64 {
    factorise(&mut gram, cross.len());
    let mut weights = cross.to_vec();
    solve(&gram, cross.len(), &mut weights);
    weights.iter().zip(cross).map(|(w, c)| w * c).sum()
}

/// Cross sums of all columns, `[column, column]`.
pub(crate) fn gram(design: &Design, known: &Known) -> Vec<f64> {
    let (n, effect) = (design.n_columns, design.effect);
    let mut gram = vec![0.0; n * n];
    let mut put = |a: usize, b: usize, x: f64| {
        gram[a * n + b] = x;
        gram[b * n + a] = x;
    };
    put(0, 0, known.free[effect.index()]);
    for (at, a) in design.blocks.iter().enumerate() {
        if a.is_real {
            let sums = known.get(&pair(effect, a.parent, a.parent));
            put(0, a.start, sums[0] as f64 * GRID);
            put(a.start, a.start, sums[1] as f64 * GRID);
        } else {
            let counts = known.marginal(a.parent, effect);
            for (k, n) in a.columns().zip(counts) {
                put(0, k, n);
                put(k, k, n);
            }
        }
        for b in &design.blocks[..at] {
            let cells = pair(effect, a.parent, b.parent);
            let sums = known.get(&cells);
            // The first variable of the cells is the slower one.
            let (slow, fast) = if a.parent < b.parent { (a, b) } else { (b, a) };
            let unit = if a.is_real || b.is_real { GRID } else { 1.0 };
            for (at, sum) in sums.iter().enumerate() {
                let (x, y) = (slow.start + at / fast.width, fast.start + at % fast.width);
                put(x, y, *sum as f64 * unit);
            }
        }
    }
    gram
}

/// Deviations as if every column were the only one.
fn spread(design: &Design, known: &Known) -> Vec<f64> {
    let m = design.n_values();
    let mut spread = vec![0.5; design.n_columns * m];
    let mut put = |column: usize, counts: &dyn Fn(usize) -> f64| {
        let total: f64 = (0..m).map(counts).sum();
        for value in 0..m {
            let share = (counts(value) + 0.5) / (total + 0.5 * m as f64);
            spread[column * m + value] = (share * (1.0 - share)).max(1e-4).sqrt();
        }
    };
    let size = known.outline.width(design.effect);
    let values: Vec<usize> = design.values.iter().map(|v| usize::from(*v)).collect();
    for block in design.blocks.iter().filter(|block| !block.is_real) {
        let table = known.table_of(block.parent, design.effect);
        for (category, column) in block.columns().enumerate() {
            put(column, &|value| table[category * size + values[value]]);
        }
    }
    let all = known.effect_counts(design.effect);
    put(0, &|value| all[values[value]]);
    for block in design.blocks.iter().filter(|block| block.is_real) {
        put(block.start, &|value| all[values[value]]);
    }
    spread
}

/// Cholesky in place.
fn factorise(matrix: &mut [f64], n: usize) {
    for i in 0..n {
        let scale = matrix[i * n + i];
        let mut squares = 0.0;
        for j in 0..i {
            let (done, row) = matrix.split_at_mut(i * n);
            let other = &done[j * n..][..=j];
            let dot: f64 = row[..j].iter().zip(other).map(|(a, b)| a * b).sum();
            let x = (row[j] - dot) * other[j];
            row[j] = x;
            squares += x * x;
        }
        let pivot = scale - squares;
        if pivot > DEPENDENT * scale {
            matrix[i * n + i] = 1.0 / pivot.sqrt();
        } else {
            matrix[i * n..=i * n + i].fill(0.0);
        }
    }
}

/// Solves in place, down and up again.
fn solve(factor: &[f64], n: usize, vector: &mut [f64]) {
    for i in 0..n {
        let row = &factor[i * n..=i * n + i];
        let dot: f64 = row[..i].iter().zip(&vector[..i]).map(|(a, b)| a * b).sum();
        vector[i] = (vector[i] - dot) * row[i];
    }
    for i in (0..n).rev() {
        let row = &factor[i * n..=i * n + i];
        let x = vector[i] * row[i];
        vector[i] = x;
        for (to, a) in vector[..i].iter_mut().zip(row) {
            *to -= a * x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solving_undoes_the_matrix_but_for_dependent_columns() {
        // The third column is the sum of the others.
        let matrix = [4.0, 1.0, 5.0, 1.0, 3.0, 4.0, 5.0, 4.0, 9.0];
        let mut factor = matrix.to_vec();
        factorise(&mut factor, 3);
        let mut x = [6.0, 7.0, 13.0];
        solve(&factor, 3, &mut x);
        assert_eq!(x[2], 0.0);
        assert!((4.0 * x[0] + x[1] - 6.0).abs() < 1e-12 && (x[0] + 3.0 * x[1] - 7.0).abs() < 1e-12);
    }
}
