//! Counts and indicator columns of one model, its likelihood and gradient.

use super::super::counted::Table;

/// What a model is fitted to: per combination of parent values, the counts of the effect's values
/// and the columns that are 1.
#[derive(Clone, Debug)]
pub struct Design {
    /// The intercept, then a column per parent and value.
    pub n_columns: usize,
    /// Values of the effect that occur.
    pub n_values: usize,
    /// Columns that are 1 in each combination: the intercept and one per parent.
    pub width: usize,
    /// `[combination, width]`.
    pub columns: Vec<u32>,
    /// `[combination, value]`.
    pub counts: Vec<f64>,
    /// By combination.
    pub totals: Vec<f64>,
}

/// Free parameters for an effect of `size` categories and parents of `parents` categories.
pub fn n_parameters(size: usize, parents: impl Iterator<Item = usize>) -> f64 {
    let per_value = 1.0 + parents.map(|p| p as f64 - 1.0).sum::<f64>();
    (size as f64 - 1.0) * per_value
}

impl Design {
    /// From counts by parents of these sizes; values of the effect that never occur are left out,
    /// since their probability is 0 at the maximum.
    pub fn new(table: &Table, sizes: &[usize]) -> Self {
        let occurs = |v: &usize| table.rows().any(|row| row[*v] > 0.0);
        let values: Vec<usize> = (0..table.n_values).filter(occurs).collect();
        let counts = table.rows().flat_map(|row| values.iter().map(|v| row[*v]));
        let width = 1 + sizes.len();
        let mut columns = vec![0u32; table.combinations.len() * width];
        for (active, &code) in columns.chunks_exact_mut(width).zip(&table.combinations) {
            let mut rest = code;
            let mut end = 1 + sizes.iter().sum::<usize>() as u32;
            for (column, &size) in active[1..].iter_mut().zip(sizes).rev() {
                end -= size as u32;
                *column = end + (rest % size as u64) as u32;
                rest /= size as u64;
            }
        }
        Self {
            n_columns: 1 + sizes.iter().sum::<usize>(),
            n_values: values.len(),
            width,
            columns,
            counts: counts.collect(),
            totals: table.rows().map(|row| row.iter().sum()).collect(),
        }
    }

    /// Columns, counts and total of every combination.
    pub fn combinations(&self) -> impl Iterator<Item = (&[u32], &[f64], f64)> {
        let columns = self.columns.chunks_exact(self.width);
        let counts = self.counts.chunks_exact(self.n_values);
        let both = columns.zip(counts).zip(&self.totals);
        both.map(|((columns, counts), total)| (columns, counts, *total))
    }

    /// Counts of the effect's values over all combinations.
    pub fn value_totals(&self) -> Vec<f64> {
        let mut totals = vec![0.0; self.n_values];
        for (_, counts, _) in self.combinations() {
            totals.iter_mut().zip(counts).for_each(|(t, c)| *t += c);
        }
        totals
    }

    /// Negative log-likelihood of `weights` `[column, value]`; its gradient goes to `gradient`.
    pub fn nll(&self, weights: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        let mut logits = vec![0.0; self.n_values];
        let mut nll = 0.0;
        for (columns, counts, total) in self.combinations() {
            logits.fill(0.0);
            for &column in columns {
                let row = &weights[column as usize * self.n_values..][..self.n_values];
                logits.iter_mut().zip(row).for_each(|(l, w)| *l += w);
            }
            nll += residuals(&mut logits, counts, total);
            for &column in columns {
                let row = &mut gradient[column as usize * self.n_values..][..self.n_values];
                row.iter_mut().zip(&logits).for_each(|(g, r)| *g += r);
            }
        }
        nll
    }
}

/// Turns logits into expected minus observed counts; returns the negative log-likelihood.
fn residuals(logits: &mut [f64], counts: &[f64], total: f64) -> f64 {
    let most = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let observed: f64 = logits.iter().zip(counts).map(|(l, c)| l * c).sum();
    let mut sum = 0.0;
    for logit in logits.iter_mut() {
        *logit = (*logit - most).exp();
        sum += *logit;
    }
    for (logit, count) in logits.iter_mut().zip(counts) {
        *logit = *logit * total / sum - count;
    }
    total * (most + sum.ln()) - observed
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Two parents of 2 and 3 values, three values of the effect of which one never occurs.
    pub(in super::super) fn example() -> Design {
        let table = Table {
            n_values: 3,
            combinations: vec![0, 4, 2, 5, 3],
            counts: vec![3., 0., 2., 1., 0., 5., 2., 0., 2., 4., 0., 1., 1., 0., 3.],
        };
        Design::new(&table, &[2, 3])
    }

    #[test]
    fn codes_become_columns_and_absent_values_go() {
        let design = example();
        assert_eq!((design.n_values, design.n_columns), (2, 6));
        // Code 4 = 1 * 3 + 1: second value of both parents.
        assert_eq!(design.columns[3..6], [0, 2, 4]);
        assert_eq!(design.counts[2..4], [1.0, 5.0]);
        assert_eq!(design.value_totals(), [11.0, 13.0]);
        assert_eq!(n_parameters(3, [2, 3].into_iter()), 8.0);
    }

    #[test]
    fn the_gradient_is_that_of_the_likelihood() {
        let design = example();
        let weights: Vec<f64> = (0..12).map(|k| f64::from(k * 7 % 5) * 0.3 - 0.5).collect();
        let mut gradient = vec![0.0; 12];
        design.nll(&weights, &mut gradient);
        for k in 0..12 {
            let nll = |step: f64| {
                let mut moved = weights.clone();
                moved[k] += step;
                design.nll(&moved, &mut [0.0; 12])
            };
            let slope = (nll(1e-5) - nll(-1e-5)) / 2e-5;
            assert!(
                (slope - gradient[k]).abs() < 1e-6,
                "{slope} {}",
                gradient[k]
            );
        }
    }
}
