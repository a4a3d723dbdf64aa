//! The extraction itself: threshold, knowledge, cycles, reversals.

use serde::{Deserialize, Serialize};

use super::part::{Part, WeightedEdge};
use super::raw::{Raw, weight};
use super::{MAX_EXACT, exact, local};
use crate::belief::{Belief, Origin};
use crate::graph::{Dag, Digraph};
use crate::knowledge::Knowledge;
use crate::variable::VarId;

/// Settings of [`extract`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractParams {
    /// Which edges a belief has before cycles are broken.
    pub raw: Raw,
    /// What becomes of an edge that cannot stay.
    pub on_removal: OnRemoval,
}

/// What becomes of an edge that cannot stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnRemoval {
    /// It comes back the other way round if that direction's own existence is above 0, it is
    /// allowed, and no cycle arises. Best where both existence logits of a pair are known.
    #[default]
    Reverse,
    /// It is gone. Best for a belief that came as psi alone, where existence is symmetric and says
    /// nothing about the other direction.
    Drop,
}

impl OnRemoval {
    /// What suits a belief: existence that was split from psi says nothing about the reverse.
    pub fn suited_to(belief: &Belief) -> Self {
        match belief.origin() {
            Origin::Logits => Self::Reverse,
            Origin::Psi => Self::Drop,
        }
    }
}

/// An edge of the raw graph that could not stay: knowledge does not allow it, or it was among the
/// lightest edges that break all cycles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Removal {
    /// Cause.
    pub cause: VarId,
    /// Effect.
    pub effect: VarId,
    /// min(existence, orientation), > 0.
    pub weight: f64,
    /// Whether effect -> cause was put in its place (not if it is required and was in anyway).
    pub reversed: bool,
}

/// An acyclic graph, and what had to change to get it.
#[derive(Clone, Debug, PartialEq)]
pub struct Extraction {
    /// The graph.
    pub dag: Dag,
    /// Raw edges that could not stay, heaviest first.
    pub removed: Vec<Removal>,
}

impl Removal {
    fn of(belief: &Belief, cause: VarId, effect: VarId) -> Self {
        Self {
            cause,
            effect,
            weight: weight(belief, cause, effect),
            reversed: false,
        }
    }
}

/// The acyclic graph of a belief, under the settings that suit it. Panics if belief and knowledge
/// differ in their number of variables.
pub fn dag(belief: &Belief, knowledge: &Knowledge) -> Dag {
    let params = ExtractParams {
        on_removal: OnRemoval::suited_to(belief),
        ..ExtractParams::default()
    };
    extract(belief, knowledge, params).dag
}

/// The acyclic graph of a belief, with all required edges and only allowed ones.
///
/// Numbering the variables differently gives the same graph, unless sets of edges tie in weight
/// exactly; then ids decide. An edge removed because of a cycle still has a path from its effect to
/// its cause, so reversing it closes none; the check for cycles matters where knowledge turned an
/// edge against the order found. Reversals go heaviest first, ties by ids. Panics if belief and
/// knowledge differ in their number of variables.
///
/// Complexity: O(2^n n^2) for strongly connected parts of n <= [`MAX_EXACT`] variables, a fixed
/// number of O(n^2) sweeps for larger ones, O(N (N + E)) for the rest.
pub fn extract(belief: &Belief, knowledge: &Knowledge, params: ExtractParams) -> Extraction {
    assert_eq!(belief.n_vars(), knowledge.n_vars(), "the same variables");
    let (mut graph, mut removed) = with_knowledge(belief, knowledge, params.raw);
    for part in graph.strong_components() {
        if part.len() > 1 {
            removed.extend(break_part(&mut graph, &part, belief, knowledge));
        }
    }
    removed.sort_by(heaviest_first);
    if params.on_removal == OnRemoval::Reverse {
        for removal in &mut removed {
            removal.reversed = reverse(&mut graph, belief, knowledge, removal);
        }
    }
    let dag = Dag::try_from(graph).expect("every cycle was broken and none was closed");
    Extraction { dag, removed }
}

/// Raw edges that are allowed and the required ones; raw edges that are not allowed.
fn with_knowledge(belief: &Belief, knowledge: &Knowledge, rule: Raw) -> (Digraph, Vec<Removal>) {
    let all = rule.graph(belief);
    let mut graph = all.clone();
    let mut removed = Vec::new();
    for (cause, effect) in all.edges() {
        if !knowledge.allows(cause, effect) {
            graph.remove_edge(cause, effect);
            removed.push(Removal::of(belief, cause, effect));
        }
    }
    for (cause, effect) in knowledge.required().edges() {
        graph.add_edge(cause, effect);
    }
    (graph, removed)
}

/// Takes from `graph` the edges that point backwards in the order of one strongly connected part.
fn break_part(
    graph: &mut Digraph,
    members: &[VarId],
    belief: &Belief,
    knowledge: &Knowledge,
) -> Vec<Removal> {
    let edges: Vec<WeightedEdge> = graph
        .edges()
        .map(|(c, e)| {
            let free = !knowledge.is_required(c, e);
            (c, e, free.then(|| weight(belief, c, e)))
        })
        .collect();
    let part = Part::new(members, &edges);
    let order = if part.n <= MAX_EXACT {
        exact::order(&part)
    } else {
        local::order(&part)
    };
    let order: Vec<VarId> = order.into_iter().map(|at| members[at]).collect();
    point_forward(graph, belief, &order)
}

/// Takes the edges from later to earlier variables of `order` out of `graph`, and gives them back.
/// Those that close no cycle after all stay: an optimal order has none, a locally optimal one may.
fn point_forward(graph: &mut Digraph, belief: &Belief, order: &[VarId]) -> Vec<Removal> {
    let mut removed = Vec::new();
    for (at, &effect) in order.iter().enumerate() {
        for &cause in &order[at + 1..] {
            if graph.remove_edge(cause, effect) {
                removed.push(Removal::of(belief, cause, effect));
            }
        }
    }
    removed.sort_by(heaviest_first);
    removed.retain(|r| {
        let closes_a_cycle = graph.reachable_from(r.effect).contains(r.cause);
        closes_a_cycle || !graph.add_edge(r.cause, r.effect)
    });
    removed
}

fn heaviest_first(a: &Removal, b: &Removal) -> std::cmp::Ordering {
    let ids = |r: &Removal| (r.cause, r.effect);
    b.weight.total_cmp(&a.weight).then(ids(a).cmp(&ids(b)))
}

/// Puts the edge effect -> cause in, if belief, knowledge and the rest of the graph admit it.
fn reverse(graph: &mut Digraph, belief: &Belief, knowledge: &Knowledge, removal: &Removal) -> bool {
    let (cause, effect) = (removal.effect, removal.cause);
    belief.existence()[(cause.index(), effect.index())] > 0.0
        && knowledge.allows(cause, effect)
        && !graph.reachable_from(effect).contains(cause)
        && graph.add_edge(cause, effect)
}

#[cfg(test)]
mod tests {
    use super::super::raw;
    use super::*;
    use crate::knowledge::KnowledgeFile;
    use crate::schema::Schema;
    use crate::variable::Variable;
    use ndarray::{Array2, array};

    /// A belief from `(cause, effect, existence, orientation)`; everything else is -1 and 0.
    fn belief(n: usize, entries: &[(usize, usize, f64, f64)]) -> Belief {
        let mut existence = Array2::from_elem((n, n), -1.0);
        let mut orientation = Array2::zeros((n, n));
        for &(c, e, gamma, theta) in entries {
            existence[(c, e)] = gamma;
            orientation[(c, e)] = theta;
            orientation[(e, c)] = -theta;
        }
        Belief::new(existence, orientation).unwrap()
    }

    fn knowledge(text: &str) -> Knowledge {
        let variables = ["a", "b", "c"].map(|name| Variable::with_codes(name, 2));
        let schema = Schema::new(variables.to_vec()).unwrap();
        let file: KnowledgeFile = toml::from_str(text).unwrap();
        file.check(&schema).unwrap()
    }

    fn edges(graph: &Digraph) -> Vec<(usize, usize)> {
        graph.edges().map(|(c, e)| (c.index(), e.index())).collect()
    }

    /// 0 -> 1 -> 2 -> 0; the weights are 2, 3 and 1, and only the orientation of the last is weak.
    fn cycle(existence_of_0_to_2: f64) -> Belief {
        let belief = belief(3, &[(0, 1, 2.0, 4.0), (1, 2, 3.0, 3.0), (2, 0, 9.0, 1.0)]);
        with_existence(&belief, 0, 2, existence_of_0_to_2)
    }

    fn with_existence(belief: &Belief, cause: usize, effect: usize, logit: f64) -> Belief {
        let mut existence = belief.existence().clone();
        existence[(cause, effect)] = logit;
        Belief::new(existence, belief.orientation().clone()).unwrap()
    }

    #[test]
    fn the_lightest_edge_leaves_a_cycle() {
        let belief = cycle(-1.0);
        assert_eq!(edges(&raw(&belief)), [(0, 1), (1, 2), (2, 0)]);
        let found = extract(&belief, &Knowledge::none(3), ExtractParams::default());
        assert_eq!(edges(&found.dag), [(0, 1), (1, 2)]);
        assert_eq!(found.removed.len(), 1);
        assert!(found.removed[0].weight == 1.0 && !found.removed[0].reversed);
    }

    #[test]
    fn a_removed_edge_returns_reversed_if_its_own_existence_says_so() {
        let none = Knowledge::none(3);
        let found = extract(&cycle(0.5), &none, ExtractParams::default());
        assert_eq!(edges(&found.dag), [(0, 1), (0, 2), (1, 2)]);
        assert!(found.removed[0].reversed);
        let drop = ExtractParams {
            on_removal: OnRemoval::Drop,
            ..ExtractParams::default()
        };
        let found = extract(&cycle(0.5), &none, drop);
        assert_eq!(edges(&found.dag), [(0, 1), (1, 2)]);
    }

    #[test]
    fn one_probability_per_edge_says_nothing_about_its_reverse() {
        // Two of three voters for each edge of a cycle, and one for none.
        let psi = array![[0.0, 0.67, 0.0], [0.0, 0.0, 0.66], [0.65, 0.0, 0.0]];
        let found = dag(&Belief::from_psi(&psi).unwrap(), &Knowledge::none(3));
        assert_eq!(edges(&found), [(0, 1), (1, 2)]);
    }

    #[test]
    fn a_poor_order_costs_no_more_edges_than_the_cycles_do() {
        // In the order 1, 0, 2 both 0 -> 1 and 2 -> 0 point backwards; one is enough.
        let belief = cycle(-1.0);
        let mut graph = raw(&belief);
        let removed = point_forward(&mut graph, &belief, &[VarId(1), VarId(0), VarId(2)]);
        assert_eq!(edges(&graph), [(0, 1), (1, 2)]);
        assert_eq!(removed.len(), 1);
    }

    #[test]
    fn a_required_edge_is_never_removed() {
        let found = dag(&cycle(-1.0), &knowledge("required = [['c', 'a']]"));
        assert_eq!(edges(&found), [(1, 2), (2, 0)]);
    }

    #[test]
    fn an_impossible_edge_is_turned_where_the_belief_supports_it() {
        let known = knowledge("tiers = [['a'], ['c']]");
        let found = extract(&cycle(0.5), &known, ExtractParams::default());
        assert_eq!(edges(&found.dag), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(found.removed.len(), 1);
        let known = knowledge("tiers = [['a'], ['c']]\nforbidden = [['a', 'c']]");
        assert_eq!(edges(&dag(&cycle(0.5), &known)), [(0, 1), (1, 2)]);
    }

    #[test]
    fn turning_an_edge_never_closes_a_cycle() {
        // 0 -> 1 -> 2, and 0 -> 2 is forbidden: 2 -> 0 may exist but would close a cycle.
        let belief = belief(3, &[(0, 1, 2.0, 2.0), (1, 2, 2.0, 2.0), (0, 2, 2.0, 2.0)]);
        let belief = with_existence(&belief, 2, 0, 5.0);
        let found = dag(&belief, &knowledge("forbidden = [['a', 'c']]"));
        assert_eq!(edges(&found), [(0, 1), (1, 2)]);
    }
}
