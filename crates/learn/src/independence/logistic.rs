//! Likelihood-ratio tests between additive multinomial logistic models.
//!
//! | test | 2 times | degrees, over the values seen |
//! |---|---|---|
//! | x, y independent given S | `l(y given S, x) - l(y given S)` | `(C_x - 1) (C_y - 1)` |
//! | law of y given S invariant | `l` in the observational rows and `l` in the regime's, less `l` in both together | those of one model |
//! | the same, where the regime has few rows | `l(y given S, label) - l(y given S)` | `C_y - 1` |
//!
//! Ours: they keep their power where a table per combination has none. Of a pair the variable with
//! fewer values is y, among equals the more predictable one: by id, a result would depend on the
//! order of the columns. Rough fits decide the tests that they put clearly on one side of their level,
//! which are most. A label alone sees a shift of the effect, not a lost dependence on S.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use fedcdi_core::{VarId, VarSet};

use super::IndependenceTests;
use super::g_test::Contexts;
use super::tail::ln_chi_squared;
use crate::fit::logistic::{Precision, fit, scores};
use crate::independence::counts::Counted;

/// Rows that a regime needs for every parameter of a model of its own.
const ROWS_PER_PARAMETER: f64 = 5.0;

/// What a statistic of rough fits may be off by: twice the 3 nats that were ever missing are 6 for two
/// fits, and 12 where two are compared with one.
const MARGIN: f64 = 16.0;

pub(crate) struct LogisticTest {
    samples: Contexts,
    /// Likelihoods in the observational samples; most are needed again for another x.
    known: Mutex<HashMap<(VarId, VarSet, Precision), f64>>,
}

impl LogisticTest {
    pub(crate) fn new(samples: Contexts) -> Self {
        Self {
            samples,
            known: Mutex::default(),
        }
    }

    fn observed(&self, effect: VarId, parents: &VarSet, precision: Precision) -> f64 {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (effect, parents.clone(), precision);
        if let Some(value) = known().get(&key) {
            return *value;
        }
        let samples = &self.samples.observed;
        let rows = samples.free_rows(effect);
        let value = log_likelihood(samples, rows, effect, parents, precision);
        known().insert(key, value);
        value
    }

    fn modelled_first(&self, a: VarId, b: VarId) -> (VarId, VarId) {
        let samples = &self.samples.observed;
        let nothing = VarSet::empty(samples.n_vars());
        let alone = |v| self.observed(v, &nothing, Precision::Fine);
        let rank = |v: VarId| (seen(samples, v), -alone(v), v);
        if rank(b) < rank(a) { (b, a) } else { (a, b) }
    }
}

impl IndependenceTests for LogisticTest {
    fn n_vars(&self) -> usize {
        self.samples.observed.n_vars()
    }

    fn regimes(&self) -> &[VarSet] {
        &self.samples.targets
    }

    fn independence(&self, a: VarId, b: VarId, given: &VarSet, level: f64) -> f64 {
        let (effect, cause) = self.modelled_first(a, b);
        let samples = &self.samples.observed;
        let more = given.with(cause);
        let gain = |precision| {
            self.observed(effect, &more, precision) - self.observed(effect, given, precision)
        };
        log_p(gain, seen(samples, effect) * seen(samples, cause), level)
    }

    fn likeliest(&self, var: VarId, given: &VarSet) -> Option<Vec<VarId>> {
        let samples = &self.samples.observed;
        let vars = (0..samples.n_vars()).map(VarId);
        let open: Vec<VarId> = vars.filter(|v| *v != var && !given.contains(*v)).collect();
        let scores = scores(samples, var, given, &open)?;
        let degrees = |v: VarId| seen(samples, var) * seen(samples, v);
        let p_value = |(&v, score): (&VarId, f64)| (ln_chi_squared(score, degrees(v)), -score, v);
        let mut ranked: Vec<_> = open.iter().zip(scores).map(p_value).collect();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        Some(ranked.into_iter().map(|(_, _, v)| v).collect())
    }

    fn invariance(&self, var: VarId, regime: usize, given: &VarSet, level: f64) -> f64 {
        let samples = &self.samples.labelled[regime];
        let label = VarId(self.n_vars());
        let wide = VarSet::from_members(self.n_vars() + 1, given.iter());
        let of_both = |given: &VarSet, precision| {
            log_likelihood(samples, samples.free_rows(var), var, given, precision)
        };
        let labels = samples.column(label);
        let mut rows = samples.free_rows(var).to_vec();
        rows.retain(|row| labels[*row as usize] == 1);
        let free = seen(samples, var) * (1.0 + given.iter().map(|g| seen(samples, g)).sum::<f64>());
        if (rows.len() as f64) < ROWS_PER_PARAMETER * free {
            let shifted = wide.with(label);
            let gain = |precision| of_both(&shifted, precision) - of_both(&wide, precision);
            return log_p(gain, seen(samples, var), level);
        }
        let gain = |precision| {
            let own = log_likelihood(samples, &rows, var, &wide, precision);
            self.observed(var, given, precision) + own - of_both(&wide, precision)
        };
        log_p(gain, free, level)
    }
}

/// Logarithm of the p-value of twice a gain of likelihood, `gain` by precision: from rough fits if
/// they put it clearly on one side of the level.
fn log_p(gain: impl Fn(Precision) -> f64, degrees: f64, level: f64) -> f64 {
    let statistic = 2.0 * gain(Precision::Rough);
    let shows = |statistic| ln_chi_squared(statistic, degrees) < level;
    if shows(statistic - MARGIN) == shows(statistic + MARGIN) {
        return ln_chi_squared(statistic, degrees);
    }
    ln_chi_squared(2.0 * gain(Precision::Fine), degrees)
}

fn log_likelihood(
    samples: &Counted,
    rows: &[u32],
    effect: VarId,
    parents: &VarSet,
    precision: Precision,
) -> f64 {
    let sizes: Vec<usize> = parents.iter().map(|p| samples.size(p)).collect();
    fit(&samples.table(rows, effect, parents), &sizes, precision)
}

/// Values of a variable that occur, less one.
fn seen(samples: &Counted, var: VarId) -> f64 {
    let counts = samples.counts(var);
    counts.iter().filter(|n| **n > 0).count() as f64 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::test_data;
    use fedcdi_core::Digraph;

    /// Half of the margin is enough for all pairs of a dense graph given all others.
    #[test]
    fn rough_fits_are_within_the_margin() {
        let n_vars = 8;
        let edges = (0..n_vars).flat_map(|e| (0..e).map(move |c| (VarId(c), VarId(e))));
        let graph = Digraph::from_edges(n_vars, edges);
        let data = test_data::copies(&[5; 8], &graph, (4000, 100), &[1], 1);
        let tests = LogisticTest::new(Contexts::new(&data));
        let mut largest: f64 = 0.0;
        for effect in (0..n_vars).map(VarId) {
            let others = VarSet::from_members(n_vars, (0..n_vars).map(VarId)).without(effect);
            for cause in others.iter() {
                let given = others.without(cause);
                let gain = |precision| {
                    let more = tests.observed(effect, &others, precision);
                    more - tests.observed(effect, &given, precision)
                };
                let off = 2.0 * (gain(Precision::Rough) - gain(Precision::Fine));
                largest = largest.max(off.abs());
            }
        }
        assert!(0.0 < largest && largest < MARGIN / 2.0, "{largest}");
    }
}
