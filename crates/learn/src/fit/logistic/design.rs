//! Counts and indicator columns of one model, its likelihood and gradient.

use crate::independence::counts::Table;
use crate::nn::math::exp64;
use crate::nn::simd::dispatched;

/// Doubles that are worked on at a time.
pub(super) const LANES: usize = 4;

/// Logit of a pad: nothing is left of its exponential.
const NO_VALUE: f64 = -1e300;

/// Added to variances, so that values a parent rules out do not make the curvature vanish.
const LEAST_VARIANCE: f64 = 1e-5;

/// What a model is fitted to: per combination of parent values, the counts of the effect's values
/// and the columns that are 1.
#[derive(Clone, Debug)]
pub(crate) struct Design {
    /// The intercept, then a column per parent and value.
    pub n_columns: usize,
    /// Values of the effect that occur.
    pub n_values: usize,
    pub values: Vec<usize>,
    /// Numbers kept per column and combination: the values, and zeros up to a multiple of
    /// `LANES`.
    pub stride: usize,
    /// Columns that are 1 in each combination: the intercept and one per parent.
    pub width: usize,
    /// `[combination, width]`.
    pub columns: Vec<u32>,
    /// `[combination, stride]`.
    pub counts: Vec<f64>,
    /// By combination.
    pub totals: Vec<f64>,
}

/// Free parameters for an effect of `size` categories and parents of `parents` categories.
pub(crate) fn n_parameters(size: usize, parents: impl Iterator<Item = usize>) -> f64 {
    let per_value = 1.0 + parents.map(|p| p as f64 - 1.0).sum::<f64>();
    (size as f64 - 1.0) * per_value
}

impl Design {
    /// From counts by parents of these sizes; values of the effect that never occur are left out,
    /// since their probability is 0 at the maximum.
    pub(crate) fn new(table: &Table, sizes: &[usize]) -> Self {
        let occurs = |v: &usize| table.rows().any(|row| row[*v] > 0.0);
        let values: Vec<usize> = (0..table.n_values).filter(occurs).collect();
        let stride = values.len().next_multiple_of(LANES);
        let mut counts = vec![0.0; table.n_combinations() * stride];
        for (to, row) in counts.chunks_exact_mut(stride.max(1)).zip(table.rows()) {
            to.iter_mut().zip(&values).for_each(|(c, v)| *c = row[*v]);
        }
        let width = 1 + sizes.len();
        let mut columns = vec![0u32; table.n_combinations() * width];
        let given = table.combinations.chunks_exact(sizes.len().max(1));
        for (active, values) in columns.chunks_exact_mut(width).zip(given) {
            let mut start = 1;
            for ((column, &value), &size) in active[1..].iter_mut().zip(values).zip(sizes) {
                *column = start + u32::from(value);
                start += size as u32;
            }
        }
        Self {
            n_columns: 1 + sizes.iter().sum::<usize>(),
            n_values: values.len(),
            values,
            stride,
            width,
            columns,
            counts,
            totals: table.rows().map(|row| row.iter().sum()).collect(),
        }
    }

    pub(crate) fn combinations(&self) -> impl Iterator<Item = (&[u32], &[f64], f64)> {
        let columns = self.columns.chunks_exact(self.width);
        let counts = self.counts.chunks_exact(self.stride);
        let both = columns.zip(counts).zip(&self.totals);
        both.map(|((columns, counts), total)| (columns, counts, *total))
    }
}

pub(super) type Lane = [f64; LANES];

/// Runs `$kernel::<FMA>` with room for the logits of one combination as its last argument. Where the
/// number of lanes is known beforehand, logits stay in registers.
macro_rules! with_logits {
    ($design:expr, $kernel:ident($($arg:expr),*)) => {
        match $design.stride / LANES {
            1 => $kernel::<FMA>($($arg,)* &mut [[0.0; LANES]; 1]),
            2 => $kernel::<FMA>($($arg,)* &mut [[0.0; LANES]; 2]),
            3 => $kernel::<FMA>($($arg,)* &mut [[0.0; LANES]; 3]),
            n => $kernel::<FMA>($($arg,)* &mut vec![[0.0; LANES]; n]),
        }
    };
}
pub(super) use with_logits;

dispatched! {
    /// Negative log-likelihood of `weights` `[column, stride]`; its gradient goes to `gradient`.
    pub(super) fn nll(design: &Design, weights: &[f64], gradient: &mut [f64]) -> f64 {
        let (weights, gradient) = (weights.as_chunks().0, gradient.as_chunks_mut().0);
        with_logits!(design, sum(design, weights, gradient))
    }
}

dispatched! {
    /// Second derivatives at `weights` between columns, per value: the lower triangle of `matrix`,
    /// `[column, column, stride]`. Of a value's distribution its variance is taken and not its
    /// covariance with other values, times `C / (C - 1)`, which is exact for two values and for any
    /// number of equally likely ones.
    pub(super) fn curvature(design: &Design, weights: &[f64], matrix: &mut [f64]) {
        let (weights, matrix) = (weights.as_chunks().0, matrix.as_chunks_mut().0);
        with_logits!(design, sum_squares(design, weights, matrix));
    }
}

#[inline(always)]
fn sum<const FMA: bool>(
    design: &Design,
    weights: &[Lane],
    gradient: &mut [Lane],
    logits: &mut [Lane],
) -> f64 {
    let (lanes, pads) = (logits.len(), pads(design));
    gradient.fill([0.0; LANES]);
    let mut nll = 0.0;
    for (columns, counts, total) in design.combinations() {
        set_logits(weights, columns, pads, logits);
        nll += residuals::<FMA>(logits, counts.as_chunks().0, total);
        for &column in columns {
            add(&mut gradient[column as usize * lanes..][..lanes], logits);
        }
    }
    nll
}

/// Second derivatives over all combinations, without those between values.
#[inline(always)]
fn sum_squares<const FMA: bool>(
    design: &Design,
    weights: &[Lane],
    matrix: &mut [Lane],
    logits: &mut [Lane],
) {
    let (n, lanes, pads) = (design.n_columns, logits.len(), pads(design));
    let values = design.n_values as f64;
    let among_all = values / (values - 1.0);
    matrix.fill([0.0; LANES]);
    for (columns, _, total) in design.combinations() {
        set_logits(weights, columns, pads, logits);
        let (_, sum) = exponentials::<FMA>(logits);
        for lane in logits.iter_mut().flatten() {
            let p = *lane / sum;
            *lane = total * (among_all * p * (1.0 - p) + LEAST_VARIANCE);
        }
        for (k, &a) in columns.iter().enumerate() {
            let row = &mut matrix[a as usize * n * lanes..][..n * lanes];
            for &b in &columns[..=k] {
                add(&mut row[b as usize * lanes..][..lanes], logits);
            }
        }
    }
}

/// The last lane of a combination's logits before anything is added.
pub(super) fn pads(design: &Design) -> Lane {
    pads_of(design.n_values)
}

/// The same for this many values.
pub(super) fn pads_of(n_values: usize) -> Lane {
    let n_pads = n_values.next_multiple_of(LANES) - n_values;
    let mut pads = [0.0; LANES];
    pads[LANES - n_pads..].fill(NO_VALUE);
    pads
}

#[inline(always)]
pub(super) fn set_logits(weights: &[Lane], columns: &[u32], pads: Lane, logits: &mut [Lane]) {
    let lanes = logits.len();
    logits.fill([0.0; LANES]);
    logits[lanes - 1] = pads;
    for &column in columns {
        add(logits, &weights[column as usize * lanes..][..lanes]);
    }
}

#[inline(always)]
pub(super) fn add(to: &mut [Lane], what: &[Lane]) {
    for (to, what) in to.iter_mut().zip(what) {
        for lane in 0..LANES {
            to[lane] += what[lane];
        }
    }
}

/// Turns logits into exponentials of what they are below the largest; returns that and the sum.
#[inline(always)]
pub(super) fn exponentials<const FMA: bool>(logits: &mut [Lane]) -> (f64, f64) {
    let larger = |a: f64, b: f64| if a > b { a } else { b };
    let mut most = [NO_VALUE; LANES];
    for logits in logits.iter() {
        for lane in 0..LANES {
            most[lane] = larger(logits[lane], most[lane]);
        }
    }
    let most = most.into_iter().fold(NO_VALUE, larger);
    let mut sums = [0.0; LANES];
    for logits in logits.iter_mut() {
        for lane in 0..LANES {
            logits[lane] = exp64::<FMA>(logits[lane] - most);
            sums[lane] += logits[lane];
        }
    }
    (most, sums.iter().sum())
}

/// Turns logits into expected minus observed counts; returns the negative log-likelihood.
#[inline(always)]
fn residuals<const FMA: bool>(logits: &mut [Lane], counts: &[Lane], total: f64) -> f64 {
    let mut observed = [0.0; LANES];
    for (logits, counts) in logits.iter().zip(counts) {
        for lane in 0..LANES {
            observed[lane] += logits[lane] * counts[lane];
        }
    }
    let (most, sum) = exponentials::<FMA>(logits);
    let scale = total / sum;
    for (logits, counts) in logits.iter_mut().zip(counts) {
        for lane in 0..LANES {
            logits[lane] = logits[lane] * scale - counts[lane];
        }
    }
    total * (most + sum.ln()) - observed.iter().sum::<f64>()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Two parents of 2 and 3 values, three values of the effect of which one never occurs.
    pub(in super::super) fn example() -> Design {
        let table = Table {
            n_values: 3,
            combinations: vec![0, 0, 1, 1, 0, 2, 1, 2, 1, 0],
            counts: vec![3., 0., 2., 1., 0., 5., 2., 0., 2., 4., 0., 1., 1., 0., 3.],
        };
        Design::new(&table, &[2, 3])
    }

    #[test]
    fn values_become_columns_and_absent_values_go() {
        let design = example();
        assert_eq!((design.n_values, design.n_columns), (2, 6));
        // The second value of both parents.
        assert_eq!(design.columns[3..6], [0, 2, 4]);
        assert_eq!(design.counts[4..8], [1.0, 5.0, 0.0, 0.0]);
        assert_eq!(design.values, [0, 2]);
        assert_eq!(n_parameters(3, [2, 3].into_iter()), 8.0);
    }

    #[test]
    fn the_gradient_is_that_of_the_likelihood() {
        let design = example();
        let weight = |k: usize| (k * 7 % 5) as f64 * 0.3 - 0.5;
        let padded = |k| if k % 4 < 2 { weight(k) } else { 0.0 };
        let weights: Vec<f64> = (0..24).map(padded).collect();
        let mut gradient = vec![0.0; 24];
        nll(&design, &weights, &mut gradient);
        for k in (0..24).filter(|k| k % 4 < 2) {
            let nll = |step: f64| {
                let mut moved = weights.clone();
                moved[k] += step;
                nll(&design, &moved, &mut [0.0; 24])
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
