//! Which edges a belief has, before anything is said about cycles.

use serde::{Deserialize, Serialize};

use crate::belief::Belief;
use crate::graph::Digraph;
use crate::variable::VarId;

/// Which edges a belief has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Raw {
    /// Those whose existence and orientation are both above 0, as in ENCO.
    #[default]
    Logits,
    /// Those more likely than not, as in the paper. Fewer: psi is the product of two probabilities.
    Psi,
}

impl Raw {
    /// The graph of a belief by this rule, which may have cycles.
    pub fn graph(self, belief: &Belief) -> Digraph {
        match self {
            Self::Logits => raw(belief),
            Self::Psi => above_half(belief),
        }
    }
}

/// Edges whose existence and orientation are both above 0: ENCO's graph, which may have cycles.
///
/// Complexity: O(N^2).
pub fn raw(belief: &Belief) -> Digraph {
    let pairs = belief.pairs();
    let edges = pairs.filter(|(cause, effect)| weight(belief, *cause, *effect) > 0.0);
    Digraph::from_edges(belief.n_vars(), edges)
}

/// Edges with psi > 0.5: the last line of the paper's Algorithm 1. The graph may have cycles, but
/// none of two edges: the orientations of a pair add up to 1.
///
/// Complexity: O(N^2).
pub fn above_half(belief: &Belief) -> Digraph {
    let pairs = belief.pairs();
    let edges = pairs.filter(|(cause, effect)| belief.probability(*cause, *effect) > 0.5);
    Digraph::from_edges(belief.n_vars(), edges)
}

/// min(existence, orientation): above 0 for the edges of either rule.
pub(super) fn weight(belief: &Belief, cause: VarId, effect: VarId) -> f64 {
    let at = (cause.index(), effect.index());
    belief.existence()[at].min(belief.orientation()[at])
}

#[cfg(test)]
mod tests {
    use super::super::{ExtractParams, OnRemoval, extract};
    use super::*;
    use crate::knowledge::Knowledge;
    use ndarray::array;

    fn edges(graph: &Digraph) -> Vec<(usize, usize)> {
        graph
            .edges()
            .map(|(cause, effect)| (cause.0, effect.0))
            .collect()
    }

    /// sigma(ln 3) = 3/4, sigma(ln 2) = 2/3, sigma(ln 3/2) = 3/5. 0 -> 1: 3/4 * 3/4 = 9/16. 1 -> 2:
    /// 2/3 * 2/3 = 4/9 and 2 -> 0: 3/5 * 2/3 = 2/5, although both logits are above 0.
    #[test]
    fn psi_above_a_half_by_hand() {
        let (ln2, ln3) = (2f64.ln(), 3f64.ln());
        let existence = array![[0.0, ln3, -1.0], [-1.0, 0.0, ln2], [1.5f64.ln(), -1.0, 0.0]];
        let orientation = array![[0.0, ln3, -ln2], [-ln3, 0.0, ln2], [ln2, -ln2, 0.0]];
        let belief = Belief::new(existence, orientation).unwrap();
        assert_eq!(edges(&above_half(&belief)), [(0, 1)]);
        assert_eq!(edges(&raw(&belief)), [(0, 1), (1, 2), (2, 0)]);
        assert_eq!(Raw::Psi.graph(&belief), above_half(&belief));
        assert_eq!(Raw::Logits.graph(&belief), raw(&belief));
        let found = |rule, on_removal| {
            let params = ExtractParams {
                raw: rule,
                on_removal,
            };
            edges(&extract(&belief, &Knowledge::none(3), params).dag)
        };
        // By logits the cycle loses its lightest edge, 2 -> 0; by psi there is no cycle.
        assert_eq!(found(Raw::Logits, OnRemoval::Drop), [(0, 1), (1, 2)]);
        assert_eq!(found(Raw::Psi, OnRemoval::Drop), [(0, 1)]);
    }

    /// Existence 1 and orientation 1/2: exactly a half is not above it.
    #[test]
    fn a_half_is_no_edge() {
        let existence = array![[0.0, 1e3], [1e3, 0.0]];
        let belief = Belief::new(existence, ndarray::Array2::zeros((2, 2))).unwrap();
        assert_eq!(belief.probability(VarId(0), VarId(1)), 0.5);
        assert_eq!(edges(&above_half(&belief)), []);
    }

    /// All three edges have 0.9 * 0.8 or more: a cycle by either rule, which loses the lightest.
    #[test]
    fn cycles_of_likely_edges_are_broken() {
        let logit = |p: f64| (p / (1.0 - p)).ln();
        let (a, b) = (logit(0.9), logit(0.8));
        let existence = array![[0.0, a, -a], [-a, 0.0, a], [a, -a, 0.0]];
        let orientation = array![[0.0, a, -b], [-a, 0.0, a], [b, -a, 0.0]];
        let belief = Belief::new(existence, orientation).unwrap();
        assert_eq!(edges(&above_half(&belief)), [(0, 1), (1, 2), (2, 0)]);
        let params: ExtractParams = read(r#"{"raw": "psi", "on_removal": "drop"}"#);
        let dag = extract(&belief, &Knowledge::none(3), params).dag;
        assert_eq!(edges(&dag), [(0, 1), (1, 2)]);
        assert_eq!(read("{}"), ExtractParams::default());
    }

    fn read(text: &str) -> ExtractParams {
        serde_json::from_str(text).unwrap()
    }
}
