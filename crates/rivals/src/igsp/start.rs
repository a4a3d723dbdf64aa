//! Orders to start from.

use fedcdi_core::{Digraph, VarId, VarSet};
use rand::{Rng, RngExt};
use rayon::prelude::*;

use super::boundary::boundary;
use super::memo::TestMemo;

/// Pairs of variables of which one is in the Markov boundary of the other, both ways round.
pub(super) fn moral_graph(tests: &TestMemo<'_>) -> Digraph {
    let n_vars = tests.n_vars();
    let all = VarSet::from_members(n_vars, (0..n_vars).map(VarId));
    let of_var = |v| boundary(tests, VarId(v), &all.without(VarId(v)));
    let boundaries: Vec<VarSet> = (0..n_vars).into_par_iter().map(of_var).collect();
    let mut graph = Digraph::empty(n_vars);
    for (var, found) in boundaries.iter().enumerate() {
        for other in found.iter() {
            graph.add_edge(VarId(var), other);
            graph.add_edge(other, VarId(var));
        }
    }
    graph
}

/// Takes out a variable with the fewest neighbours and joins those, again and again; the order is
/// the reverse. Ties are broken at random.
pub(super) fn elimination_order(moral: &Digraph, rng: &mut impl Rng) -> Vec<VarId> {
    let mut graph = moral.clone();
    let mut left: Vec<VarId> = graph.vars().collect();
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let degree = |v: &VarId| graph.children(*v).len();
        let least = left.iter().map(degree).min();
        let ties: Vec<VarId> = left
            .iter()
            .copied()
            .filter(|v| Some(degree(v)) == least)
            .collect();
        let var = ties[rng.random_range(0..ties.len())];
        let neighbours: Vec<VarId> = graph.children(var).iter().collect();
        for &a in &neighbours {
            graph.remove_edge(a, var);
            graph.remove_edge(var, a);
            for &b in neighbours.iter().filter(|b| **b != a) {
                graph.add_edge(a, b);
            }
        }
        left.retain(|v| *v != var);
        order.push(var);
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedcdi_core::Seed;

    #[test]
    fn leaves_go_first_and_come_last() {
        // A star around 0: every leaf has one neighbour, the centre three.
        let edges = [1, 2, 3].map(|leaf| [(VarId(0), VarId(leaf)), (VarId(leaf), VarId(0))]);
        let star = Digraph::from_edges(4, edges.concat());
        for seed in 0..10 {
            let order = elimination_order(&star, &mut Seed::new(seed).rng());
            assert!(order[..2].contains(&VarId(0)), "{order:?}");
        }
    }
}
