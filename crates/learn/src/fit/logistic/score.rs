//! What one more parent promises: the score statistic (Rao 1948) of every candidate, from one pass
//! over the samples at the model without it.
//!
//! A fit per candidate says the same more exactly and costs tens of passes. The statistic here is for
//! choosing whom to look at first: it takes the terms that are in the model as given, and variances
//! of values without their covariances, as [`super::design::curvature`] does.

use std::ops::Range;

use fedcdi_core::{VarId, VarSet};

use super::Design;
use super::design::{LANES, Lane, add, exponentials, pads, set_logits, with_logits};
use super::fit::{Precision, weights};
use crate::independence::counts::Counted;
use crate::nn::simd::dispatched;

/// A statistic per candidate for `effect` given others, chi-squared with
/// `(C_effect - 1) (C_candidate - 1)` degrees if the candidate adds nothing; `None` if the effect
/// never varies.
///
/// Complexity: a fit, and O(n C (p + c)) for n samples, C values, p parents, c candidates.
pub(crate) fn scores(
    samples: &Counted,
    effect: VarId,
    given: &VarSet,
    candidates: &[VarId],
) -> Option<Vec<f64>> {
    let sizes: Vec<usize> = given.iter().map(|p| samples.size(p)).collect();
    let rows = samples.free_rows(effect);
    let design = Design::new(&samples.table(rows, effect, given), &sizes);
    if design.n_values < 2 {
        return None;
    }
    let mut place = vec![0; samples.size(effect)];
    for (at, value) in design.values.iter().enumerate() {
        place[*value] = at;
    }
    let asked = Columns::of(samples, candidates.iter().copied(), 0);
    let pass = Pass {
        weights: &weights(&design, Precision::Rough),
        design: &design,
        rows,
        observed: samples.column(effect),
        place: &place,
        // The intercept comes first.
        model: &Columns::of(samples, given.iter(), 1),
        asked: &asked,
    };
    let n_columns = asked.last().map_or(0, |columns| columns.places.end);
    let mut slopes = vec![0.0; n_columns * design.stride];
    let mut variances = slopes.clone();
    sum_pass(pass, &mut slopes, &mut variances);
    let values = design.n_values as f64;
    let statistic = |Columns { places, .. }: &Columns<'_>| {
        let places = places.start * design.stride..places.end * design.stride;
        let both = slopes[places.clone()].iter().zip(&variances[places]);
        let terms = both.filter(|(_, variance)| **variance > 0.0);
        (values - 1.0) / values * terms.map(|(s, v)| s * s / v).sum::<f64>()
    };
    Some(asked.iter().map(statistic).collect())
}

/// One variable: its codes, and a column of the model per value.
struct Columns<'a> {
    codes: &'a [u16],
    places: Range<usize>,
}

impl<'a> Columns<'a> {
    /// Those of several variables one after another, after `first` others.
    fn of(samples: &'a Counted, vars: impl Iterator<Item = VarId>, first: usize) -> Vec<Self> {
        let mut end = first;
        let columns = vars.map(|var| {
            let start = end;
            end += samples.size(var);
            let (codes, places) = (samples.column(var), start..end);
            Self { codes, places }
        });
        columns.collect()
    }
}

/// Samples, the model they are compared with, and the candidates.
#[derive(Clone, Copy)]
struct Pass<'a> {
    design: &'a Design,
    weights: &'a [f64],
    rows: &'a [u32],
    observed: &'a [u16],
    /// Of each value of the effect among those that occur.
    place: &'a [usize],
    model: &'a [Columns<'a>],
    asked: &'a [Columns<'a>],
}

dispatched! {
    /// Slopes and variances of all candidates' columns, `[column, stride]`.
    fn sum_pass(pass: Pass<'_>, slopes: &mut [f64], variances: &mut [f64]) {
        let sums = (slopes.as_chunks_mut().0, variances.as_chunks_mut().0);
        with_logits!(pass.design, sum_rows(pass, sums));
    }
}

#[inline(always)]
fn sum_rows<const FMA: bool>(
    pass: Pass<'_>,
    (slopes, variances): (&mut [Lane], &mut [Lane]),
    logits: &mut [Lane],
) {
    let (lanes, pads) = (logits.len(), pads(pass.design));
    let weights = pass.weights.as_chunks().0;
    let mut columns = vec![0; 1 + pass.model.len()];
    let mut variance = vec![[0.0; LANES]; lanes];
    for &row in pass.rows {
        let row = row as usize;
        for (column, Columns { codes, places }) in columns[1..].iter_mut().zip(pass.model) {
            *column = (places.start + usize::from(codes[row])) as u32;
        }
        set_logits(weights, &columns, pads, logits);
        let (_, sum) = exponentials::<FMA>(logits);
        for (p, variance) in logits.iter_mut().zip(&mut variance) {
            for lane in 0..LANES {
                p[lane] /= sum;
                variance[lane] = p[lane] * (1.0 - p[lane]);
            }
        }
        let observed = pass.place[usize::from(pass.observed[row])];
        logits[observed / LANES][observed % LANES] -= 1.0;
        for Columns { codes, places } in pass.asked {
            let at = (places.start + usize::from(codes[row])) * lanes;
            add(&mut slopes[at..][..lanes], logits);
            add(&mut variances[at..][..lanes], &variance);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::test_data;
    use fedcdi_core::Regime;

    /// Two values each and nothing in the model: Pearson's statistic, without a correction for the
    /// intercept, which the columns of a candidate sum to.
    #[test]
    fn without_parents_it_is_pearsons() {
        let observed = Regime::Observational;
        let count = |x: u16, y: u16| [[30, 10], [20, 40]][usize::from(x)][usize::from(y)];
        let cells = [[0, 0], [0, 1], [1, 0], [1, 1]];
        let rows: Vec<(&[u16], Regime)> = cells
            .iter()
            .flat_map(|c| vec![(&c[..], observed.clone()); count(c[0], c[1])])
            .collect();
        let counted = Counted::new(&test_data::table(&[2, 2], &rows));
        let found = scores(&counted, VarId(1), &VarSet::empty(2), &[VarId(0)]).unwrap();
        // Expected 20 20 30 30, each 10 off: 100 / 20 * 2 + 100 / 30 * 2.
        let expected = 10.0 + 20.0 / 3.0;
        assert!((found[0] - expected).abs() < 1e-3, "{found:?}");
    }
}
