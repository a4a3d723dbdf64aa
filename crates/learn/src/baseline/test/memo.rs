//! p-values that were computed before.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use fedcdi_core::{VarId, VarSet};

use super::Evidence;
use crate::progress::Observer;

type Known<K> = Mutex<HashMap<K, f64>>;

/// Tests with a memory, and a level at which they decide.
pub struct TestMemo<'a> {
    evidence: &'a dyn Evidence,
    /// Smaller p-values say dependent.
    alpha: f64,
    /// Smaller p-values say not invariant.
    alpha_invariance: f64,
    observer: Option<&'a dyn Observer>,
    independence: Known<(VarId, VarId, VarSet)>,
    invariance: Known<(VarId, usize, VarSet)>,
}

fn open<K>(known: &Known<K>) -> MutexGuard<'_, HashMap<K, f64>> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> TestMemo<'a> {
    /// Knows nothing yet.
    pub fn new(
        evidence: &'a dyn Evidence,
        alpha: f64,
        alpha_invariance: f64,
        observer: Option<&'a dyn Observer>,
    ) -> Self {
        Self {
            evidence,
            alpha,
            alpha_invariance,
            observer,
            independence: Mutex::default(),
            invariance: Mutex::default(),
        }
    }

    /// The tests.
    pub fn evidence(&self) -> &dyn Evidence {
        self.evidence
    }

    /// Whether the observer asked to stop. Tests then say 1 without looking, so that whoever uses
    /// them ends soon; what they say must not be used.
    pub fn is_cancelled(&self) -> bool {
        self.observer.is_some_and(Observer::is_cancelled)
    }

    /// p-value of independence.
    pub fn p(&self, a: VarId, b: VarId, given: &VarSet) -> f64 {
        let key = (a.min(b), a.max(b), given.clone());
        if let Some(p) = open(&self.independence).get(&key) {
            return *p;
        }
        if self.is_cancelled() {
            return 1.0;
        }
        let p = self.evidence.independence(key.0, key.1, given);
        open(&self.independence).insert(key, p);
        p
    }

    /// Whether the samples show a dependence of this p-value.
    pub fn shows(&self, p: f64) -> bool {
        p < self.alpha
    }

    /// Whether two variables look independent given others.
    pub fn is_independent(&self, a: VarId, b: VarId, given: &VarSet) -> bool {
        !self.shows(self.p(a, b, given))
    }

    /// Whether the law of a variable given others looks the same in a regime.
    pub fn is_invariant(&self, var: VarId, regime: usize, given: &VarSet) -> bool {
        let key = (var, regime, given.clone());
        let known = open(&self.invariance).get(&key).copied();
        let p = known.unwrap_or_else(|| {
            if self.is_cancelled() {
                return 1.0;
            }
            let p = self.evidence.invariance(var, regime, given);
            open(&self.invariance).insert(key, p);
            p
        });
        p >= self.alpha_invariance
    }

    /// Number of tests that were made.
    pub fn n_tests(&self) -> usize {
        open(&self.independence).len() + open(&self.invariance).len()
    }
}
