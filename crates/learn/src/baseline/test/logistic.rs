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
//! order of the columns. A label alone sees a shift of the effect, not a lost dependence on S.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use fedcdi_core::{Dataset, VarId, VarSet};

use super::Evidence;
use super::g_test::Contexts;
use super::tail::ln_chi_squared;
use crate::baseline::Counted;
use crate::baseline::logistic::{fit, scores};

/// Rows that a regime needs for every parameter of a model of its own.
const ROWS_PER_PARAMETER: f64 = 5.0;

/// Additive logistic tests of some samples.
pub struct LogisticTest {
    samples: Contexts,
    /// Likelihoods in the observational samples; most are needed again for another x.
    known: Mutex<HashMap<(VarId, VarSet), f64>>,
}

impl LogisticTest {
    /// Of this data.
    pub fn new(data: &Dataset) -> Self {
        Self {
            samples: Contexts::new(data),
            known: Mutex::default(),
        }
    }

    fn observed(&self, effect: VarId, parents: &VarSet) -> f64 {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (effect, parents.clone());
        if let Some(value) = known().get(&key) {
            return *value;
        }
        let value = {
            let samples = &self.samples.observed;
            log_likelihood(samples, samples.free_rows(effect), effect, parents)
        };
        known().insert(key, value);
        value
    }
}

impl LogisticTest {
    fn modelled_first(&self, a: VarId, b: VarId) -> (VarId, VarId) {
        let samples = &self.samples.observed;
        let nothing = VarSet::empty(samples.n_vars());
        let rank = |v: VarId| (seen(samples, v), -self.observed(v, &nothing), v);
        if rank(b) < rank(a) { (b, a) } else { (a, b) }
    }
}

impl Evidence for LogisticTest {
    fn n_vars(&self) -> usize {
        self.samples.observed.n_vars()
    }

    fn regimes(&self) -> &[VarSet] {
        &self.samples.targets
    }

    fn independence(&self, a: VarId, b: VarId, given: &VarSet) -> f64 {
        let (effect, cause) = self.modelled_first(a, b);
        let more = self.observed(effect, &given.with(cause));
        let less = self.observed(effect, given);
        let samples = &self.samples.observed;
        ln_chi_squared(
            2.0 * (more - less),
            seen(samples, effect) * seen(samples, cause),
        )
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

    fn invariance(&self, var: VarId, regime: usize, given: &VarSet) -> f64 {
        let samples = &self.samples.labelled[regime];
        let label = VarId(self.n_vars());
        let wide = VarSet::from_members(self.n_vars() + 1, given.iter());
        let pooled = log_likelihood(samples, samples.free_rows(var), var, &wide);
        let rows = samples.free_rows(var).iter().copied();
        let rows: Vec<u32> = rows
            .filter(|r| samples.column(label)[*r as usize] == 1)
            .collect();
        let free = seen(samples, var) * (1.0 + given.iter().map(|g| seen(samples, g)).sum::<f64>());
        if (rows.len() as f64) < ROWS_PER_PARAMETER * free {
            let shifted = wide.with(label);
            let shifted = log_likelihood(samples, samples.free_rows(var), var, &shifted);
            return ln_chi_squared(2.0 * (shifted - pooled), seen(samples, var));
        }
        let apart = self.observed(var, given) + log_likelihood(samples, &rows, var, &wide);
        ln_chi_squared(2.0 * (apart - pooled), free)
    }
}

/// Minus infinity if there are too many combinations to count.
fn log_likelihood(samples: &Counted, rows: &[u32], effect: VarId, parents: &VarSet) -> f64 {
    let given: Vec<VarId> = parents.iter().collect();
    let sizes: Vec<usize> = given.iter().map(|p| samples.size(*p)).collect();
    let table = samples.table(rows, effect, &given);
    table.map_or(f64::NEG_INFINITY, |t| fit(&t, &sizes).log_likelihood)
}

/// Values of a variable that occur, less one.
fn seen(samples: &Counted, var: VarId) -> f64 {
    let mut seen = vec![false; samples.size(var)];
    let values = samples.column(var).iter();
    values.for_each(|value| seen[usize::from(*value)] = true);
    seen.iter().filter(|s| **s).count() as f64 - 1.0
}
