//! Making a belief agree with an acyclic graph.
//!
//! Paper: future work of section 6 (acyclicity within the rounds).
//!
//! Only pairs on which the belief's raw graph and the given graph differ are touched:
//!
//! | raw | graph | orientation | existence |
//! |---|---|---|---|
//! | i -> j | j -> i | turned: j -> i gets the margin | of j -> i at least the margin |
//! | i -> j | none | turned: j -> i gets the margin | of j -> i at most minus the margin |
//! | none | i -> j | of i -> j at least the margin, if it was not above 0 | of i -> j likewise |
//!
//! A raw edge that the graph lacks closes a cycle with it (or is impossible), so what is wrong is
//! taken to be its orientation; its existence stays as the clients found it. The margin is small, so
//! that the next round can revise the turn. The raw graph of the result is the given graph.

use fedcdi_core::graph::extract::raw;
use fedcdi_core::{Belief, Dag};

/// The belief, changed as little as the table in the source says, whose raw graph is `dag`.
///
/// # Panics
/// If belief and graph differ in their number of variables, or the margin is not a finite number
/// above 0.
///
/// Complexity: O(N^2).
pub fn project(belief: &Belief, dag: &Dag, margin: f64) -> Belief {
    assert_eq!(belief.n_vars(), dag.n_vars(), "about the same variables");
    assert!(margin > 0.0 && margin.is_finite(), "a margin is above 0");
    let found = raw(belief);
    let (mut existence, mut orientation) =
        (belief.existence().clone(), belief.orientation().clone());
    for (cause, effect) in belief.pairs() {
        let (wanted, present) = (dag.has_edge(cause, effect), found.has_edge(cause, effect));
        // Against the edge: `cause` now comes second.
        let turned = found.has_edge(effect, cause) && !dag.has_edge(effect, cause);
        if !turned && (!wanted || present) {
            continue;
        }
        let at = (cause.index(), effect.index());
        if orientation[at] <= 0.0 {
            orientation[at] = margin;
            orientation[(at.1, at.0)] = -margin;
        }
        existence[at] = match (wanted, existence[at] > 0.0) {
            (true, false) => margin,
            (false, true) => -margin,
            _ => existence[at],
        };
    }
    Belief::new(existence, orientation).expect("margins are finite and set in pairs")
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedcdi_core::graph::extract::{ExtractParams, OnRemoval, extract};
    use fedcdi_core::{Digraph, Knowledge, KnowledgeFile, Schema, Seed, VarId, Variable};
    use ndarray::{Array2, array};
    use proptest::prelude::*;
    use rand::RngExt;

    fn dag(n: usize, edges: &[(usize, usize)]) -> Dag {
        let edges = edges.iter().map(|&(c, e)| (VarId(c), VarId(e)));
        Dag::try_from(Digraph::from_edges(n, edges)).unwrap()
    }

    /// Existence 2 forward and `backward` backward, orientation 3 forward.
    fn forward(backward: f64) -> Belief {
        Belief::new(
            array![[0.0, 2.0], [backward, 0.0]],
            array![[0.0, 3.0], [-3.0, 0.0]],
        )
        .unwrap()
    }

    #[test]
    fn each_row_of_the_table_by_hand() {
        let check = |belief: &Belief, edges: &[(usize, usize)], logits: [f64; 3]| {
            let found = project(belief, &dag(2, edges), 0.5);
            let (gamma, theta) = (found.existence(), found.orientation());
            assert_eq!([gamma[(0, 1)], gamma[(1, 0)], theta[(0, 1)]], logits);
        };
        check(&forward(-1.0), &[(0, 1)], [2.0, -1.0, 3.0]);
        check(&forward(1.0), &[(1, 0)], [2.0, 1.0, -0.5]);
        check(&forward(-1.0), &[(1, 0)], [2.0, 0.5, -0.5]);
        check(&forward(1.0), &[], [2.0, -0.5, -0.5]);
        check(&forward(-1.0), &[], [2.0, -1.0, -0.5]);
        check(&Belief::uninformed(2), &[(0, 1)], [0.5, 0.0, 0.5]);
    }

    /// Random logits; a few required and forbidden edges from lower to higher numbers.
    fn any_case(n: usize, seed: u64) -> (Belief, Knowledge) {
        let mut rng = Seed::new(seed).rng();
        let mut file = KnowledgeFile::default();
        let existence = Array2::from_shape_simple_fn((n, n), || rng.random_range(-2.0..4.0));
        let mut orientation = Array2::zeros((n, n));
        for i in 0..n {
            for j in i + 1..n {
                orientation[(i, j)] = rng.random_range(-4.0..4.0);
                orientation[(j, i)] = -orientation[(i, j)];
                let edge = [format!("v{i}"), format!("v{j}")];
                match rng.random_range(0..10) {
                    0 => file.required.push(edge),
                    1 => file.forbidden.push(edge),
                    _ => {}
                }
            }
        }
        let variables = (0..n).map(|v| Variable::with_codes(format!("v{v}"), 2));
        let schema = Schema::new(variables.collect()).unwrap();
        let belief = Belief::new(existence, orientation).unwrap();
        (belief, file.check(&schema).unwrap())
    }

    proptest! {
        #[test]
        fn the_raw_graph_becomes_the_given_one(n in 2..=10usize, seed: u64) {
            let (belief, knowledge) = any_case(n, seed);
            for on_removal in [OnRemoval::Reverse, OnRemoval::Drop] {
                let found = extract(&belief, &knowledge, ExtractParams { on_removal }).dag;
                let projected = project(&belief, &found, 1.0);
                prop_assert_eq!(&raw(&projected), &*found);
                prop_assert_eq!(project(&projected, &found, 1.0), projected);
            }
        }
    }
}
