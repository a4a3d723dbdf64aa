//! What the search over sums came to.
//!
//! The search itself is in [`fedcdi_score`]; here is what the parties of a study keep of it, and tell each
//! other. The graph is that of the result.

use std::fmt;

use fedcdi_core::{Cpdag, Dag, Digraph, VarId};
use fedcdi_score::{FAR, Odds};
use ndarray::Array2;
use serde::Serialize;

use crate::codec::{DecodeError, wire};

/// What the search over sums came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    /// The graphs that all rows together cannot tell from that of the result.
    pub class: Cpdag,
    /// Of every edge, in the order of [`Digraph::edges`]: nats that the score loses without it.
    pub gains: Vec<f64>,
    /// How sure the graph is of single pairs.
    pub odds: Odds,
    /// `[cause, effect]`: 1 if some rows set the first and leave the second alone.
    pub set: Array2<u32>,
    /// The score, in nats.
    pub score: f64,
    /// Questions about sums, those of searches that were broken off included.
    pub n_questions: u32,
    /// Numbers that a site which answered all of them told.
    pub n_numbers: u64,
    /// Sites whose rows are in the sums.
    pub n_sites: usize,
    /// What the search changed in the graph that it started from.
    pub changes: Changes,
    /// Whether it ended because nothing was left that improves the score.
    pub has_ended: bool,
}

/// How two graphs differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Changes {
    /// Edges that only the later has, in neither direction the earlier.
    pub added: usize,
    /// Edges that only the earlier has.
    pub removed: usize,
    /// Edges that both have, in different directions.
    pub turned: usize,
}

impl Changes {
    /// From one graph to another of the same variables.
    ///
    /// Complexity: O(edges).
    pub fn between(before: &Digraph, after: &Digraph) -> Self {
        let new = |graph: &Digraph, other: &Digraph| {
            let edges = graph.edges().filter(|(c, e)| !other.adjacent(*c, *e));
            edges.count()
        };
        let turned = |(c, e): &(VarId, VarId)| !before.has_edge(*c, *e) && before.has_edge(*e, *c);
        Self {
            added: new(after, before),
            removed: new(before, after),
            turned: after.edges().filter(turned).count(),
        }
    }
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            added,
            removed,
            turned,
        } = self;
        write!(f, "{added} added, {removed} removed, {turned} turned")
    }
}

impl Scored {
    /// The gain of every edge of the graph that was found.
    pub fn gains_of<'a>(
        &'a self,
        dag: &'a Dag,
    ) -> impl Iterator<Item = ((VarId, VarId), f64)> + 'a {
        dag.edges().zip(self.gains.iter().copied())
    }

    pub(crate) fn told(&self, edges: &[(VarId, VarId)]) -> wire::Scored {
        let is_open = |(_, (c, e)): &(u32, &(VarId, VarId))| self.class.has_undirected(*c, *e);
        let open = (0..).zip(edges).filter(is_open);
        wire::Scored {
            gains: self.gains.clone(),
            open: open.map(|(at, _)| at).collect(),
            turns: self.odds.turns.clone(),
            near: (self.odds.near.keys())
                .flat_map(|(c, e)| [c.0 as u32, e.0 as u32])
                .collect(),
            losses: self.odds.near.values().copied().collect(),
            set: self.set.iter().copied().collect(),
            score: self.score,
            n_questions: self.n_questions,
            n_numbers: self.n_numbers,
            n_sites: self.n_sites as u32,
            added: self.changes.added as u32,
            removed: self.changes.removed as u32,
            turned: self.changes.turned as u32,
            has_ended: self.has_ended,
        }
    }

    pub(crate) fn heard(
        sent: &wire::Scored,
        n_vars: usize,
        edges: &[(VarId, VarId)],
    ) -> Result<Self, DecodeError> {
        let wrong = || DecodeError::Field("scores");
        let graph = Digraph::from_edges(n_vars, edges.iter().copied());
        let dag = Dag::try_from(graph).map_err(|_| wrong())?;
        let is_number = sent.score.is_finite() && sent.gains.iter().all(|gain| gain.is_finite());
        let fits = sent.gains.len() == edges.len() && dag.n_edges() == edges.len();
        let is_listed = sent.open.is_sorted_by(|a, b| a < b)
            && (sent.open.last()).is_none_or(|last| (*last as usize) < edges.len());
        if !(is_number && fits && is_listed) {
            return Err(wrong());
        }
        let open = sent.open.iter().map(|at| edges[*at as usize]);
        let class = Cpdag::opened(&dag, open);
        if !class.has_members() {
            return Err(wrong());
        }
        let set = Array2::from_shape_vec((n_vars, n_vars), sent.set.clone());
        Ok(Self {
            odds: heard_odds(sent, n_vars, edges.len()).ok_or_else(wrong)?,
            set: set.map_err(|_| wrong())?,
            class,
            gains: sent.gains.clone(),
            score: sent.score,
            n_questions: sent.n_questions,
            n_numbers: sent.n_numbers,
            n_sites: sent.n_sites as usize,
            changes: Changes {
                added: sent.added as usize,
                removed: sent.removed as usize,
                turned: sent.turned as usize,
            },
            has_ended: sent.has_ended,
        })
    }
}

/// The odds, if they are in order.
fn heard_odds(sent: &wire::Scored, n_vars: usize, n_edges: usize) -> Option<Odds> {
    let are_nats = |nats: &[f64]| nats.iter().all(|n| (0.0..=FAR).contains(n));
    let var = |at: u32| Some(VarId(at as usize)).filter(|_| (at as usize) < n_vars);
    let pairs = sent.near.chunks_exact(2);
    let pairs: Option<Vec<_>> = pairs.map(|p| var(p[0]).zip(var(p[1]))).collect();
    let pairs = pairs?;
    let is_listed = pairs.is_sorted_by(|a, b| a < b)
        && sent.near.len() == 2 * sent.losses.len()
        && sent.turns.len() == n_edges;
    (is_listed && are_nats(&sent.turns) && are_nats(&sent.losses)).then(|| Odds {
        turns: sent.turns.clone(),
        near: pairs.into_iter().zip(sent.losses.iter().copied()).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_is_new_gone_or_turned() {
        let graph = |edges: &[(usize, usize)]| {
            Digraph::from_edges(4, edges.iter().map(|(c, e)| (VarId(*c), VarId(*e))))
        };
        let (before, after) = (
            graph(&[(0, 1), (1, 2), (2, 3)]),
            graph(&[(0, 1), (2, 1), (0, 3)]),
        );
        let expected = Changes {
            added: 1,
            removed: 1,
            turned: 1,
        };
        assert_eq!(Changes::between(&before, &after), expected);
        assert_eq!(expected.to_string(), "1 added, 1 removed, 1 turned");
        assert_eq!(Changes::between(&after, &after), Changes::default());
    }

    #[test]
    fn open_edges_of_which_no_class_consists_are_refused() {
        // 0 -> 1 -> 2 and 0 -> 3 -> 2 do not close a triangle: not all four can be open.
        let edges = [(0, 1), (0, 3), (1, 2), (3, 2)].map(|(c, e)| (VarId(c), VarId(e)));
        let told = |open: &[u32]| wire::Scored {
            gains: vec![1.0; 4],
            open: open.to_vec(),
            turns: vec![0.0; 4],
            set: vec![0; 16],
            ..wire::Scored::default()
        };
        assert!(Scored::heard(&told(&[0, 1]), 4, &edges).is_ok());
        assert!(Scored::heard(&told(&[0, 1, 2, 3]), 4, &edges).is_err());
    }
}
