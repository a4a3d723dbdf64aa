//! A belief that agrees with a graph whose edges have gains.
//!
//! Ours. A gain is a difference of log-likelihoods with their penalty, in nats: under even odds, the
//! log-odds that the edge is there. So it stands where a logit stands.
//!
//! | pair | existence | orientation |
//! |---|---|---|
//! | directed in the class | at least the gain | at least the gain, along the edge |
//! | joined, direction open | both directions at least the gain, and equal | 0 |
//! | not joined | `-|existence|` in both directions | as it was |
//! | not joined, and nothing was believed | [`ABSENT`] | as it was |
//!
//! Gains are within 0 and the largest logit that travels. An edge that knowledge requires may have a
//! negative gain; it stays at what was believed, or at 0.

use fedcdi_core::{Belief, Dag, Origin};

use crate::rules::MAX_LOGIT;
use crate::scored::Scored;

/// Existence of a pair that the search left apart, where no belief says more. The score says that an edge
/// would lose, and not by how much: at least 0 nats. -3 is a probability of 0.05, the usual level of one
/// edge too many; it is far from 0.5, and further from any certainty.
pub(super) const ABSENT: f64 = -3.0;

/// The belief with what the search says of every pair.
///
/// Complexity: O(N^2).
pub(super) fn refined(belief: &Belief, dag: &Dag, scored: &Scored) -> Belief {
    let mut existence = belief.existence().clone();
    let mut orientation = belief.orientation().clone();
    for (cause, effect) in belief.pairs().filter(|(a, b)| !dag.adjacent(*a, *b)) {
        for at in [(cause.0, effect.0), (effect.0, cause.0)] {
            existence[at] = match existence[at] {
                0.0 => ABSENT,
                believed => -believed.abs(),
            };
        }
    }
    for ((cause, effect), gain) in scored.gains_of(dag) {
        let (along, against) = ((cause.0, effect.0), (effect.0, cause.0));
        let gain = gain.clamp(0.0, MAX_LOGIT);
        let is_open = scored.class.has_undirected(cause, effect);
        existence[along] = existence[along].max(gain);
        // Existence that was split from psi does not know directions.
        if is_open || belief.origin() == Origin::Psi {
            let both = existence[along].max(existence[against]);
            (existence[along], existence[against]) = (both, both);
        }
        let sure = if is_open {
            0.0
        } else {
            orientation[along].max(gain)
        };
        (orientation[along], orientation[against]) = (sure, -sure);
    }
    let refined = Belief::new(existence, orientation);
    refined
        .expect("finite gains make finite logits")
        .with_origin(belief.origin())
}

#[cfg(test)]
mod tests {
    use fedcdi_core::{Cpdag, Digraph, VarId};
    use ndarray::array;

    use super::*;
    use crate::scored::Changes;

    fn scored(dag: &Dag, gains: &[f64], open: &[(usize, usize)]) -> Scored {
        let open = open.iter().map(|(c, e)| (VarId(*c), VarId(*e)));
        Scored {
            class: Cpdag::opened(dag, open),
            gains: gains.to_vec(),
            odds: fedcdi_score::Odds::default(),
            set: ndarray::Array2::zeros((dag.n_vars(), dag.n_vars())),
            score: 0.0,
            n_questions: 1,
            n_numbers: 9,
            n_sites: 1,
            changes: Changes::default(),
            has_ended: true,
        }
    }

    fn dag(n_vars: usize, edges: &[(usize, usize)]) -> Dag {
        let edges = edges.iter().map(|(c, e)| (VarId(*c), VarId(*e)));
        Dag::try_from(Digraph::from_edges(n_vars, edges)).unwrap()
    }

    #[test]
    fn a_belief_agrees_with_the_graph() {
        // 0 -> 1 was believed reversed, 1 - 2 is open, 0 and 2 were believed joined.
        let existence = array![[0.0, 1.0, 2.0], [4.0, 0.0, 5.0], [-2.0, 0.5, 0.0]];
        let orientation = array![[0.0, -3.0, 1.0], [3.0, 0.0, 7.0], [-1.0, -7.0, 0.0]];
        let belief = Belief::new(existence, orientation).unwrap();
        let graph = dag(3, &[(0, 1), (1, 2)]);
        let found = refined(&belief, &graph, &scored(&graph, &[80.0, 3.0], &[(1, 2)]));
        let existence = array![[0.0, 64.0, -2.0], [4.0, 0.0, 5.0], [-2.0, 5.0, 0.0]];
        let orientation = array![[0.0, 64.0, 1.0], [-64.0, 0.0, 0.0], [-1.0, 0.0, 0.0]];
        assert_eq!(found, Belief::new(existence, orientation).unwrap());
    }

    #[test]
    fn where_nothing_was_believed_gains_decide() {
        let graph = dag(3, &[(2, 0)]);
        let nothing = Belief::uninformed(3);
        let found = refined(&nothing, &graph, &scored(&graph, &[10.0], &[]));
        assert!(found.probability(VarId(2), VarId(0)) > 0.99);
        assert!(found.probability(VarId(0), VarId(2)) < 0.01);
        for (a, b) in [(0, 1), (1, 0), (1, 2), (2, 1)] {
            let apart = found.probability(VarId(a), VarId(b));
            assert!((apart - 0.0237).abs() < 1e-4, "{apart}");
        }
        // Required, though the rows speak against it.
        let found = refined(&nothing, &graph, &scored(&graph, &[-10.0], &[]));
        assert_eq!(found.existence()[(2, 0)], 0.0);
    }

    #[test]
    fn existence_that_was_split_from_psi_stays_without_directions() {
        let belief = Belief::from_psi(&array![[0.0, 0.4], [0.3, 0.0]]).unwrap();
        let graph = dag(2, &[(0, 1)]);
        let found = refined(&belief, &graph, &scored(&graph, &[5.0], &[]));
        assert_eq!(found.origin(), Origin::Psi);
        assert_eq!(found.existence()[(0, 1)], found.existence()[(1, 0)]);
        assert!(found.probability(VarId(0), VarId(1)) > 0.98);
    }
}
