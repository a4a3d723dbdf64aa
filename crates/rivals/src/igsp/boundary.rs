//! Markov boundary of a variable among others, by growing and shrinking.

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
    let strengths = open.map(|v| (strength(tests, var, v, found), v));
    let (strength, next) = strengths.min_by(|a, b| compared(a.0, b.0))?;
    tests.shows(strength[0]).then_some(next)
}

/// Drops the member with the largest p-value given the others, again and again.
fn shrink(tests: &TestMemo<'_>, var: VarId, found: &mut VarSet) {
    loop {
        let members = found.iter();
        let strengths = members.map(|v| (strength(tests, var, v, &found.without(v)), v));
        match strengths.max_by(|a, b| compared(a.0, b.0)) {
            Some((strength, weakest)) if !tests.shows(strength[0]) => found.remove(weakest),
            _ => return,
        };
    }
}

/// How strongly two variables depend on each other given others, and then given nothing: among
/// equals, as tests without power are, the order of the columns must not decide. The smaller, the
/// more.
fn strength(tests: &TestMemo<'_>, a: VarId, b: VarId, given: &VarSet) -> [f64; 2] {
    let nothing = VarSet::empty(tests.n_vars());
    [given, &nothing].map(|given| tests.log_p(a, b, given))
}

fn compared(a: [f64; 2], b: [f64; 2]) -> std::cmp::Ordering {
    a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1]))
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
