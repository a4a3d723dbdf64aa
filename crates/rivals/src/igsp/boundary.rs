//! Markov boundary of a variable among others, by growing and shrinking.

use std::cmp::Ordering;

use fedcdi_core::{Dag, Digraph, VarId, VarSet};

use super::memo::TestMemo;

/// The variables of `among` that make all others of `among` independent of `var`: grows by the
/// strongest one, then drops those that the rest makes independent.
pub(super) fn boundary(tests: &TestMemo<'_>, var: VarId, among: &VarSet) -> VarSet {
    let mut found = VarSet::empty(tests.n_vars());
    while let Some(next) = strongest(tests, var, among, &found) {
        found.insert(next);
    }
    shrink(tests, var, &mut found);
    found
}

/// Of those that a test shows to depend on `var`: the first in the order of the tests, and where
/// it has none the one with the smallest p-value.
fn strongest(tests: &TestMemo<'_>, var: VarId, among: &VarSet, found: &VarSet) -> Option<VarId> {
    if let Some(order) = tests.likeliest(var, found) {
        let mut open = order.into_iter().filter(|v| among.contains(*v));
        return open.find(|v| !tests.is_independent(var, *v, found));
    }
    let open = among.iter().filter(|v| !found.contains(*v));
    let strengths = open.map(|v| (Strength::of(tests, var, v, found), v));
    let (strength, next) = strengths.min_by(|a, b| a.0.cmp(&b.0))?;
    tests.shows(strength.log_p).then_some(next)
}

/// Drops the member with the largest p-value given the others, again and again.
fn shrink(tests: &TestMemo<'_>, var: VarId, found: &mut VarSet) {
    loop {
        let members = found.iter();
        let strengths = members.map(|v| (Strength::of(tests, var, v, &found.without(v)), v));
        match strengths.max_by(|a, b| a.0.cmp(&b.0)) {
            Some((strength, weakest)) if !tests.shows(strength.log_p) => found.remove(weakest),
            _ => return,
        };
    }
}

/// How strongly two variables depend on each other; the smaller, the more.
struct Strength {
    /// Given others.
    log_p: f64,
    /// Given nothing: among equals, as tests without power are, the order of the columns must not
    /// decide.
    alone: f64,
}

impl Strength {
    fn of(tests: &TestMemo<'_>, a: VarId, b: VarId, given: &VarSet) -> Self {
        let nothing = VarSet::empty(tests.n_vars());
        Self {
            log_p: tests.log_p(a, b, given),
            alone: tests.log_p(a, b, &nothing),
        }
    }

    fn cmp(&self, other: &Self) -> Ordering {
        let by_others = self.log_p.total_cmp(&other.log_p);
        by_others.then(self.alone.total_cmp(&other.alone))
    }
}

/// The sparsest graph in this order of the variables that has all independencies it claims.
pub(super) fn minimal_map(tests: &TestMemo<'_>, order: &[VarId]) -> Dag {
    let mut graph = Digraph::empty(order.len());
    let mut before = VarSet::empty(order.len());
    for &var in order {
        for parent in boundary(tests, var, &before).iter() {
            graph.add_edge(parent, var);
        }
        before.insert(var);
    }
    Dag::try_from(graph).expect("edges follow the order")
}
