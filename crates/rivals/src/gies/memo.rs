//! Local scores that were computed before.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use fedcdi_core::{VarId, VarSet};
use rayon::prelude::*;

use fedcdi_learn::score::LocalScore;

/// A score with a memory. It is filled in batches, in parallel, and read afterwards: no locks, and
/// no value is computed twice.
pub(super) struct Memo<'a> {
    score: &'a dyn LocalScore,
    /// By effect.
    known: Vec<HashMap<VarSet, f64>>,
}

impl<'a> Memo<'a> {
    pub(super) fn new(score: &'a dyn LocalScore) -> Self {
        Self {
            score,
            known: vec![HashMap::new(); score.n_vars()],
        }
    }

    /// Computes those of these families that are not known. Asks `go_on` before each of them,
    /// with how many are begun before it and how many there are: once it says no, the rest stays
    /// unknown.
    pub(super) fn fill<'b>(
        &mut self,
        families: impl Iterator<Item = (VarId, &'b VarSet)>,
        go_on: &(dyn Fn(usize, usize) -> bool + Sync),
    ) {
        let is_known = |effect: VarId, parents| self.known[effect.index()].contains_key(parents);
        let unknown = families.filter(|(effect, parents)| !is_known(*effect, *parents));
        let mut unknown: Vec<(VarId, &VarSet)> = unknown.collect();
        unknown.sort_unstable();
        unknown.dedup();
        let (begun, total) = (AtomicUsize::new(0), unknown.len());
        let compute = |(effect, parents): &(VarId, &VarSet)| {
            let before = begun.fetch_add(1, Ordering::Relaxed);
            go_on(before, total).then(|| self.score.local(*effect, parents))
        };
        let values: Vec<Option<f64>> = unknown.par_iter().map(compute).collect();
        for ((effect, parents), value) in unknown.into_iter().zip(values) {
            if let Some(value) = value {
                self.known[effect.index()].insert(parents.clone(), value);
            }
        }
    }

    pub(super) fn get(&self, effect: VarId, parents: &VarSet) -> f64 {
        let known = self.known[effect.index()].get(parents).copied();
        known.unwrap_or_else(|| self.score.local(effect, parents))
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.known.iter().map(HashMap::len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Calls(AtomicUsize);

    impl LocalScore for Calls {
        fn n_vars(&self) -> usize {
            3
        }

        fn local(&self, effect: VarId, parents: &VarSet) -> f64 {
            self.0.fetch_add(1, Ordering::Relaxed);
            (effect.index() + 10 * parents.len()) as f64
        }
    }

    #[test]
    fn nothing_is_computed_twice() {
        let score = Calls(AtomicUsize::new(0));
        let mut memo = Memo::new(&score);
        let (none, one) = (VarSet::empty(3), VarSet::from_members(3, [VarId(0)]));
        let families = [(VarId(1), &none), (VarId(1), &one), (VarId(1), &none)];
        memo.fill(families.into_iter(), &|_, _| false);
        assert_eq!(memo.len(), 0);
        memo.fill(families.into_iter(), &|begun, total| {
            begun < 2 && total == 2
        });
        memo.fill(families.into_iter(), &|_, _| true);
        assert_eq!((memo.get(VarId(1), &one), memo.len()), (11.0, 2));
        assert_eq!(score.0.load(Ordering::Relaxed), 2);
    }
}
