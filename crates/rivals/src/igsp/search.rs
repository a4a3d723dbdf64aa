//! Depth-first search along turned edges for a sparser graph, then for one with fewer conflicts.

use std::collections::HashSet;

use fedcdi_core::{Digraph, VarId};
use rand::Rng;
use rand::seq::SliceRandom;

use super::flip::{covered_edges, flip};
use super::memo::TestMemo;

/// How good a graph is; smaller is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    pub(super) edges: usize,
    /// With what the interventions show.
    pub(super) conflicts: usize,
}

pub(super) trait Objective {
    /// Whether the interventions allow to turn this covered edge.
    fn may_turn(&self, graph: &Digraph, edge: (VarId, VarId)) -> bool;

    fn rank(&self, graph: &Digraph) -> Rank;

    /// Whether the search starts anew from a graph of rank `to`.
    fn is_descent(&self, from: Rank, to: Rank) -> bool;
}

pub(super) struct Search<'a> {
    pub(super) objective: &'a dyn Objective,
    pub(super) tests: &'a TestMemo<'a>,
    pub(super) depth: usize,
}

impl Search<'_> {
    pub(super) fn run(&self, start: Digraph, rng: &mut impl Rng) -> (Rank, Digraph) {
        let mut best = (self.objective.rank(&start), start);
        let mut from = best.clone();
        while let Some(lower) = self.explore(&from, &mut best, rng) {
            if lower.0 < best.0 {
                best = lower.clone();
            }
            from = lower;
        }
        best
    }

    /// Looks around `from` until a graph is a descent from it, and returns that.
    fn explore(
        &self,
        from: &(Rank, Digraph),
        best: &mut (Rank, Digraph),
        rng: &mut impl Rng,
    ) -> Option<(Rank, Digraph)> {
        let mut visited = HashSet::from([from.1.clone()]);
        let mut trace = vec![self.around(&from.1, rng)];
        while let Some(open) = trace.last_mut() {
            if self.tests.is_cancelled() {
                return None;
            }
            let descents = open
                .iter()
                .filter(|(r, _)| self.objective.is_descent(from.0, *r));
            if let Some(lower) = descents.min_by_key(|(rank, _)| *rank) {
                return Some(lower.clone());
            }
            let Some(next) = open.pop() else {
                trace.pop();
                continue;
            };
            if next.0.edges > from.0.edges || !visited.insert(next.1.clone()) {
                continue;
            }
            if next.0 < best.0 {
                *best = next.clone();
            }
            if trace.len() < self.depth {
                trace.push(self.around(&next.1, rng));
            }
        }
        None
    }

    /// Graphs with one edge turned, in random order.
    fn around(&self, graph: &Digraph, rng: &mut impl Rng) -> Vec<(Rank, Digraph)> {
        let edges = covered_edges(graph).into_iter();
        let open = edges.filter(|edge| self.objective.may_turn(graph, *edge));
        let turned = open.map(|edge| flip(graph, edge, self.tests));
        let mut all: Vec<_> = turned.map(|g| (self.objective.rank(&g), g)).collect();
        all.shuffle(rng);
        all
    }
}
