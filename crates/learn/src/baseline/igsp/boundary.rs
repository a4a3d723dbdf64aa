//! Markov boundary of a variable among others, by growing and shrinking.

use fedcdi_core::{Dag, Digraph, VarId, VarSet};

use crate::baseline::test::TestMemo;

/// The variables of `among` that make all others of `among` independent of `var`: grows by the
/// variable with the smallest p-value, then drops those that the rest makes independent.
pub(super) fn boundary(tests: &TestMemo<'_>, var: VarId, among: &VarSet) -> VarSet {
    let n_vars = tests.evidence().n_vars();
    let mut found = VarSet::empty(n_vars);
    loop {
        let open = among.iter().filter(|v| !found.contains(*v));
        let with_p = open.map(|v| (tests.p(var, v, &found), v));
        let next = with_p.min_by(|a, b| a.0.total_cmp(&b.0));
        match next {
            Some((p, next)) if tests.shows(p) => found.insert(next),
            _ => break,
        };
    }
    shrink(tests, var, &mut found);
    found
}

/// Drops the member with the largest p-value given the others, again and again.
fn shrink(tests: &TestMemo<'_>, var: VarId, found: &mut VarSet) {
    loop {
        let members = found.iter();
        let with_p = members.map(|v| (tests.p(var, v, &found.without(v)), v));
        let weakest = with_p.max_by(|a, b| a.0.total_cmp(&b.0));
        match weakest {
            Some((p, weakest)) if !tests.shows(p) => found.remove(weakest),
            _ => return,
        };
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
