//! Which experiment next: how many directions it would settle to set one more variable.
//!
//! Ours. Two kinds of directions gain by rows that set a variable v and nothing else:
//!
//! | direction | it is worth |
//! |---|---|
//! | open in the class | P(edge), times the share of members of the class in which it is known once v is set: directly, or as a consequence |
//! | told, of an edge of v that no row sets alone | what its reverse still has |
//!
//! Members are drawn, each as likely as any other (`members`), from a stream of their own, in the order of
//! names: the order of variables changes nothing but which of them are drawn.

use ndarray::Array2;

use super::{Cpdag, Members, Settled};
use crate::knowledge::Knowledge;
use crate::seed::Seed;
use crate::variable::VarId;

/// Members that are drawn.
const DRAWS: usize = 64;

impl Settled {
    /// How many directions an experiment on each variable is expected to settle. `separated` says of which
    /// pairs some experiment set exactly one already.
    ///
    /// Complexity: one class per draw and variable with an open edge.
    pub fn worth_of_setting(
        &self,
        knowledge: &Knowledge,
        separated: impl Fn(VarId, VarId) -> bool + Sync,
    ) -> Vec<f64> {
        let n_vars = self.dag.n_vars();
        let mut worth = vec![0.0; n_vars];
        let class = Cpdag::separated(&self.dag, &separated);
        for (cause, effect) in self.dag.edges() {
            let is_open = class.has_undirected(cause, effect);
            if !is_open && !separated(cause, effect) && !knowledge.is_required(cause, effect) {
                let reverse = self.posterior.edge(effect, cause);
                worth[cause.index()] += reverse;
                worth[effect.index()] += reverse;
            }
        }
        let open: Vec<(VarId, VarId)> = class.undirected_edges().collect();
        let joined = Array2::from_shape_fn((n_vars, n_vars), |(a, b)| {
            self.posterior.joined(VarId(a), VarId(b))
        });
        let members = Members::new(&class, knowledge);
        let mut rng = Seed::new(0).derive("next experiment", 0).rng();
        for _ in 0..if open.is_empty() { 0 } else { DRAWS } {
            let member = members.sample(&mut rng);
            for set in member.vars().filter(|v| !class.neighbours(*v).is_empty()) {
                let apart = |a, b| (a == set) != (b == set) || separated(a, b);
                let then = Cpdag::separated(&member, apart);
                let settled = open.iter().filter(|(a, b)| !then.has_undirected(*a, *b));
                let settled = settled.map(|(a, b)| joined[(a.index(), b.index())]);
                worth[set.index()] += settled.sum::<f64>() / DRAWS as f64;
            }
        }
        worth
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Dag, Digraph, Posterior};

    fn settled(n: usize, edges: &[(usize, usize)], set: &[usize]) -> (Settled, Vec<f64>) {
        let pairs = edges.iter().map(|(c, e)| (VarId(*c), VarId(*e)));
        let dag = Dag::try_from(Digraph::from_edges(n, pairs)).unwrap();
        let mut sure = Array2::zeros((n, n));
        for place in edges {
            sure[*place] = 1.0;
        }
        let knowledge = Knowledge::none(n);
        let apart = |a: VarId, b: VarId| set.contains(&a.index()) != set.contains(&b.index());
        let settled = Posterior::new(sure).settle(&dag, &knowledge, apart);
        let worth = settled.worth_of_setting(&knowledge, apart);
        (settled, worth)
    }

    #[test]
    fn the_centre_of_a_star_settles_all() {
        let (_, worth) = settled(5, &[(0, 1), (0, 2), (0, 3), (0, 4)], &[]);
        assert_eq!(worth[0], 4.0);
        // A leaf settles its own edge, and the others as well only where it is the source: one in five.
        for leaf in &worth[1..] {
            assert!((*leaf - 1.6).abs() < 0.6, "{worth:?}");
        }
    }

    #[test]
    fn what_is_settled_is_worth_nothing_more() {
        let (_, worth) = settled(3, &[(0, 1), (1, 2)], &[0, 2]);
        assert_eq!(worth, [0.0; 3]);
        // 0 -> 2 <- 1 is known without any experiment.
        let (_, worth) = settled(3, &[(0, 2), (1, 2)], &[]);
        assert_eq!(worth, [0.0; 3]);
    }

    #[test]
    fn a_doubtful_direction_is_worth_its_doubt() {
        let (mut found, _) = settled(3, &[(0, 2), (1, 2)], &[]);
        let mut unsure = found.posterior.edges().clone();
        (unsure[(0, 2)], unsure[(2, 0)]) = (0.7, 0.3);
        found.posterior = Posterior::new(unsure);
        let worth = found.worth_of_setting(&Knowledge::none(3), |_, _| false);
        assert_eq!(worth, [0.3, 0.0, 0.3]);
    }
}
