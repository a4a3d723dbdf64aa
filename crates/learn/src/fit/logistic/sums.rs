//! Log-likelihood and slopes of an additive model at given weights, in sums that do not depend on how
//! rows are divided, to the bit.
//!
//! Probabilities and log-probabilities are rounded to multiples of [`GRID`] row by row; such multiples
//! add up exactly in double precision, in any order, as long as a sum stays below `2^25`.
//!
//! | sum over rows | code |
//! |---|---|
//! | `-ln p(y)` | [`Slopes::nll`] |
//! | `x (p - y)`, per column and value | [`Slopes::gradient`] |
//! | `x^2 p (1 - p)` | [`Outlook::variances`] |

use fedcdi_score::GRID;

use super::design::{LANES, Lane, add, exponentials, pads_of, set_logits};
use crate::nn::simd::dispatched;

/// Rows with the same categorical parents, or single rows where a parent is real.
pub(crate) struct Cases {
    /// The intercept, then a column per parent and category, or one of a real parent.
    pub(crate) n_columns: usize,
    /// Values of the effect that occur somewhere.
    pub(crate) n_values: usize,
    /// Columns that are 1 in each case: the intercept and one per categorical parent.
    pub(crate) width: usize,
    /// `[case, width]`.
    pub(crate) columns: Vec<u32>,
    /// Columns of real parents.
    pub(crate) real_columns: Vec<u32>,
    /// Their values, `[case, real parent]`.
    pub(crate) reals: Vec<f64>,
    /// `[case, stride]`.
    pub(crate) counts: Vec<f64>,
    /// By case.
    pub(crate) totals: Vec<f64>,
    /// The case of every row.
    pub(crate) of_row: Vec<u32>,
    /// The place of every row's value among those of the model; [`OTHER_VALUE`] of rows with
    /// another value, which do not count.
    pub(crate) observed: Vec<u16>,
}

/// A value that the model does not have.
pub(crate) const OTHER_VALUE: u16 = u16::MAX;

impl Cases {
    /// Numbers kept per column and case: the values, and zeros up to a multiple of [`LANES`].
    pub(crate) fn stride(&self) -> usize {
        self.n_values.next_multiple_of(LANES)
    }

    fn n_cases(&self) -> usize {
        self.totals.len()
    }

    fn reals_of(&self, case: usize) -> &[f64] {
        let n = self.real_columns.len();
        &self.reals[case * n..][..n]
    }
}

/// What a model comes to at some weights.
pub(crate) struct Slopes {
    /// Negative log-likelihood in steps of [`GRID`].
    pub(crate) nll: i64,
    /// `[column, stride]`.
    pub(crate) gradient: Vec<f64>,
}

/// Slopes of a model at `weights`, `[column, stride]`.
pub(crate) fn slopes(cases: &Cases, weights: &[f64]) -> Slopes {
    let mut gradient = vec![0.0; cases.n_columns * cases.stride()];
    let nll = sum_slopes(cases, weights, &mut gradient);
    Slopes { nll, gradient }
}

/// Another variable, row by row.
pub(crate) enum Other<'a> {
    /// Category codes and how many categories there are.
    Codes(&'a [u16], usize),
    /// Real numbers.
    Reals(&'a [f64]),
}

impl Other<'_> {
    pub(crate) fn width(&self) -> usize {
        match self {
            Self::Codes(_, size) => *size,
            Self::Reals(_) => 1,
        }
    }
}

/// What other variables promise a model.
pub(crate) struct Outlook {
    /// Of the model's own columns, `[column, stride]`.
    pub(crate) own_variances: Vec<f64>,
    /// Of the others' columns, `[column, stride]`.
    pub(crate) slopes: Vec<f64>,
    pub(crate) variances: Vec<f64>,
}

/// The outlook of a model at `weights`; `others` are about the rows of `cases` in their order.
pub(crate) fn outlook(cases: &Cases, weights: &[f64], others: &[Other<'_>]) -> Outlook {
    let stride = cases.stride();
    let n_columns: usize = others.iter().map(Other::width).sum();
    let mut own_variances = vec![0.0; cases.n_columns * stride];
    let mut shares = vec![0.0; cases.n_cases() * stride];
    sum_variances(cases, weights, &mut shares, &mut own_variances);
    let mut slopes = vec![0.0; n_columns * stride];
    let mut variances = slopes.clone();
    let (mut first, lanes) = (0, stride / LANES);
    let shares = shares.as_chunks::<LANES>().0;
    for other in others {
        let room = first * stride..(first + other.width()) * stride;
        let slopes = slopes[room.clone()].as_chunks_mut().0;
        let variances = variances[room].as_chunks_mut().0;
        match lanes {
            1 => sum_other::<1>(cases, shares, other, slopes, variances),
            2 => sum_other::<2>(cases, shares, other, slopes, variances),
            3 => sum_other::<3>(cases, shares, other, slopes, variances),
            _ => sum_other_wide(cases, shares, other, slopes, variances),
        }
        first += other.width();
    }
    Outlook {
        own_variances,
        slopes,
        variances,
    }
}

/// To the nearest multiple of [`GRID`], for numbers below `2^23`.
#[inline(always)]
fn on_grid(x: f64) -> f64 {
    const ROUND: f64 = 1.5 * (1u64 << 52) as f64 * GRID;
    (x + ROUND) - ROUND
}

/// Room for logits and their copy, on the stack where there are few.
macro_rules! with_lanes {
    ($cases:expr, $kernel:ident($($arg:expr),*)) => {
        match $cases.stride() / LANES {
            1 => $kernel::<FMA>($($arg,)* &mut [[0.0; LANES]; 2]),
            2 => $kernel::<FMA>($($arg,)* &mut [[0.0; LANES]; 4]),
            3 => $kernel::<FMA>($($arg,)* &mut [[0.0; LANES]; 6]),
            n => $kernel::<FMA>($($arg,)* &mut vec![[0.0; LANES]; 2 * n]),
        }
    };
}

dispatched! {
    fn sum_slopes(cases: &Cases, weights: &[f64], gradient: &mut [f64]) -> i64 {
        let (weights, gradient) = (weights.as_chunks().0, gradient.as_chunks_mut().0);
        with_lanes!(cases, sum(cases, weights, gradient))
    }
}

dispatched! {
    /// Probabilities of every case, `[case, stride]`, and variances of the model's own columns.
    fn sum_variances(cases: &Cases, weights: &[f64], shares: &mut [f64], own: &mut [f64]) {
        let weights = weights.as_chunks().0;
        let (shares, own) = (shares.as_chunks_mut().0, own.as_chunks_mut().0);
        with_lanes!(cases, own_variances(cases, weights, shares, own));
    }
}

/// Logits of one case.
#[inline(always)]
fn set_case(cases: &Cases, weights: &[Lane], pads: Lane, case: usize, logits: &mut [Lane]) {
    let columns = &cases.columns[case * cases.width..][..cases.width];
    set_logits(weights, columns, pads, logits);
    let lanes = logits.len();
    for (&column, &x) in cases.real_columns.iter().zip(cases.reals_of(case)) {
        let weights = &weights[column as usize * lanes..][..lanes];
        for (logits, weights) in logits.iter_mut().zip(weights) {
            for lane in 0..LANES {
                logits[lane] += x * weights[lane];
            }
        }
    }
}

#[inline(always)]
fn sum<const FMA: bool>(
    cases: &Cases,
    weights: &[Lane],
    gradient: &mut [Lane],
    room: &mut [Lane],
) -> i64 {
    let lanes = room.len() / 2;
    let pads = pads_of(cases.n_values);
    let (logits, kept) = room.split_at_mut(lanes);
    let mut nll = 0i64;
    for case in 0..cases.n_cases() {
        set_case(cases, weights, pads, case, logits);
        kept.copy_from_slice(logits);
        let (most, sum) = exponentials::<FMA>(logits);
        let counts = cases.counts[case * lanes * LANES..][..lanes * LANES]
            .as_chunks()
            .0;
        nll += of_counts(kept, counts, most + sum.ln());
        let total = cases.totals[case];
        for (p, counts) in logits.iter_mut().zip(counts) {
            for lane in 0..LANES {
                p[lane] = on_grid(p[lane] / sum) * total - counts[lane];
            }
        }
        for &column in &cases.columns[case * cases.width..][..cases.width] {
            add(&mut gradient[column as usize * lanes..][..lanes], logits);
        }
        for (&column, &x) in cases.real_columns.iter().zip(cases.reals_of(case)) {
            let to = &mut gradient[column as usize * lanes..][..lanes];
            for (to, what) in to.iter_mut().zip(logits.iter()) {
                for lane in 0..LANES {
                    to[lane] += on_grid(x * what[lane]);
                }
            }
        }
    }
    nll
}

/// Negative log-likelihood of the counts of one case, in steps of the grid.
#[inline(always)]
fn of_counts(logits: &[Lane], counts: &[Lane], normaliser: f64) -> i64 {
    let mut nll = 0;
    for (logits, counts) in logits.iter().zip(counts) {
        for lane in 0..LANES {
            if counts[lane] > 0.0 {
                let steps = ((normaliser - logits[lane]) / GRID).round_ties_even() as i64;
                nll += counts[lane] as i64 * steps;
            }
        }
    }
    nll
}

#[inline(always)]
fn own_variances<const FMA: bool>(
    cases: &Cases,
    weights: &[Lane],
    shares: &mut [Lane],
    own: &mut [Lane],
    room: &mut [Lane],
) {
    let lanes = room.len() / 2;
    let pads = pads_of(cases.n_values);
    let (logits, _) = room.split_at_mut(lanes);
    for case in 0..cases.n_cases() {
        set_case(cases, weights, pads, case, logits);
        let (_, sum) = exponentials::<FMA>(logits);
        let shares = &mut shares[case * lanes..][..lanes];
        for (p, share) in logits.iter_mut().zip(shares) {
            for lane in 0..LANES {
                share[lane] = on_grid(p[lane] / sum);
                p[lane] = on_grid(share[lane] * (1.0 - share[lane])) * cases.totals[case];
            }
        }
        for &column in &cases.columns[case * cases.width..][..cases.width] {
            add(&mut own[column as usize * lanes..][..lanes], logits);
        }
        for (&column, &x) in cases.real_columns.iter().zip(cases.reals_of(case)) {
            let to = &mut own[column as usize * lanes..][..lanes];
            for (to, what) in to.iter_mut().zip(logits.iter()) {
                for lane in 0..LANES {
                    to[lane] += on_grid(x * x * what[lane]);
                }
            }
        }
    }
}

/// Slopes and variances of one other variable, row by row.
#[inline(always)]
fn sum_other<const N: usize>(
    cases: &Cases,
    shares: &[Lane],
    other: &Other<'_>,
    slopes: &mut [Lane],
    variances: &mut [Lane],
) {
    match other {
        Other::Codes(codes, _) => {
            let rows = cases.of_row.iter().zip(&cases.observed).zip(*codes);
            for ((&case, &observed), &code) in rows.filter(|((_, y), _)| **y != OTHER_VALUE) {
                let share: &[Lane; N] = shares[case as usize * N..].first_chunk().expect(WHOLE);
                let at = usize::from(code) * N;
                let to: &mut [Lane; N] = variances[at..].first_chunk_mut().expect(WHOLE);
                for n in 0..N {
                    for lane in 0..LANES {
                        let p = share[n][lane];
                        to[n][lane] += on_grid(p * (1.0 - p));
                    }
                }
                let to: &mut [Lane; N] = slopes[at..].first_chunk_mut().expect(WHOLE);
                for n in 0..N {
                    for lane in 0..LANES {
                        to[n][lane] += share[n][lane];
                    }
                }
                to.as_flattened_mut()[usize::from(observed)] -= 1.0;
            }
        }
        Other::Reals(_) => sum_other_wide(cases, shares, other, slopes, variances),
    }
}

const WHOLE: &str = "every case has all its lanes";

/// The same for many values, or for a real variable.
fn sum_other_wide(
    cases: &Cases,
    shares: &[Lane],
    other: &Other<'_>,
    slopes: &mut [Lane],
    variances: &mut [Lane],
) {
    let lanes = cases.stride() / LANES;
    for (row, (&case, &observed)) in cases.of_row.iter().zip(&cases.observed).enumerate() {
        if observed == OTHER_VALUE {
            continue;
        }
        let share = shares[case as usize * lanes..][..lanes].as_flattened();
        let (at, x) = match other {
            Other::Codes(codes, _) => (usize::from(codes[row]) * lanes, 1.0),
            Other::Reals(values) => (0, values[row]),
        };
        let to = variances[at..][..lanes].as_flattened_mut();
        for (to, p) in to.iter_mut().zip(share) {
            *to += on_grid(x * x * on_grid(p * (1.0 - p)));
        }
        let to = slopes[at..][..lanes].as_flattened_mut();
        for (value, (to, p)) in to.iter_mut().zip(share).enumerate() {
            let y = f64::from(u8::from(value == usize::from(observed)));
            *to += on_grid(x * (p - y));
        }
    }
}
