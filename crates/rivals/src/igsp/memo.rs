//! p-values that were computed before, as logarithms.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

use fedcdi_core::{VarId, VarSet};

use crate::registry::tell;
use fedcdi_learn::independence::IndependenceTests;
use fedcdi_learn::{Observer, Stage};

/// Tests between two words to an observer.
const TESTS_PER_WORD: usize = 16;

type Known<K, V = f64> = Mutex<HashMap<K, V>>;

/// Tests with a memory, and a level at which they decide.
pub(super) struct TestMemo<'a> {
    tests: &'a dyn IndependenceTests,
    /// Smaller logarithms of p-values say dependent.
    level: f64,
    /// Smaller ones say not invariant.
    level_invariance: f64,
    observer: Option<&'a dyn Observer>,
    independence: Known<(VarId, VarId, VarSet)>,
    invariance: Known<(VarId, usize, VarSet)>,
    likeliest: Known<(VarId, VarSet), Option<Vec<VarId>>>,
}

fn open<K, V>(known: &Known<K, V>) -> MutexGuard<'_, HashMap<K, V>> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> TestMemo<'a> {
    pub(super) fn new(
        tests: &'a dyn IndependenceTests,
        alpha: f64,
        alpha_invariance: f64,
        observer: Option<&'a dyn Observer>,
    ) -> Self {
        Self {
            tests,
            level: alpha.ln(),
            level_invariance: alpha_invariance.ln(),
            observer,
            independence: Mutex::default(),
            invariance: Mutex::default(),
            likeliest: Mutex::default(),
        }
    }

    pub(super) fn n_vars(&self) -> usize {
        self.tests.n_vars()
    }

    pub(super) fn regimes(&self) -> &'a [VarSet] {
        self.tests.regimes()
    }

    pub(super) fn likeliest(&self, var: VarId, given: &VarSet) -> Option<Vec<VarId>> {
        let key = (var, given.clone());
        self.recall(&self.likeliest, key, None, || {
            self.tests.likeliest(var, given)
        })
    }

    /// What is known of `key`, or else what `find` finds; `stopped` after a cancellation.
    fn recall<K: Eq + Hash, V: Clone>(
        &self,
        known: &Known<K, V>,
        key: K,
        stopped: V,
        find: impl FnOnce() -> V,
    ) -> V {
        if let Some(value) = open(known).get(&key) {
            return value.clone();
        }
        if self.is_cancelled() {
            return stopped;
        }
        let value = find();
        open(known).insert(key, value.clone());
        value
    }

    /// Whether the observer asked to stop. Tests then say independent without looking, so that
    /// whoever uses them ends soon; what they say must not be used.
    pub(super) fn is_cancelled(&self) -> bool {
        self.observer.is_some_and(Observer::is_cancelled)
    }

    pub(super) fn log_p(&self, a: VarId, b: VarId, given: &VarSet) -> f64 {
        let (a, b) = (a.min(b), a.max(b));
        self.recall(&self.independence, (a, b, given.clone()), 0.0, || {
            let log_p = self.tests.independence(a, b, given, self.level);
            let n_tests = 1 + open(&self.independence).len();
            if n_tests.is_multiple_of(TESTS_PER_WORD) {
                tell(self.observer, 0, Stage::Tests, (n_tests, 0), 0);
            }
            log_p
        })
    }

    pub(super) fn shows(&self, log_p: f64) -> bool {
        log_p < self.level
    }

    pub(super) fn is_independent(&self, a: VarId, b: VarId, given: &VarSet) -> bool {
        !self.shows(self.log_p(a, b, given))
    }

    pub(super) fn is_invariant(&self, var: VarId, regime: usize, given: &VarSet) -> bool {
        let (key, level) = ((var, regime, given.clone()), self.level_invariance);
        let test = || self.tests.invariance(var, regime, given, level);
        self.recall(&self.invariance, key, 0.0, test) >= level
    }
}
