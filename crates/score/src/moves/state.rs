//! Questions that the operators ask about the current class.

use fedcdi_core::{Cpdag, VarId, VarSet};

/// A class with the sets that are needed again and again.
pub(super) struct State<'a> {
    pub(super) class: &'a Cpdag,
    /// By variable: everything joined to it.
    adjacent: Vec<VarSet>,
    /// Most parents that an operator may give a variable.
    pub(super) max_parents: usize,
}

impl<'a> State<'a> {
    pub(super) fn new(class: &'a Cpdag, max_parents: usize) -> Self {
        let vars = class.directed().vars();
        Self {
            class,
            adjacent: vars.map(|v| class.adjacent_to(v)).collect(),
            max_parents,
        }
    }

    pub(super) fn n_vars(&self) -> usize {
        self.adjacent.len()
    }

    pub(super) fn adjacent(&self, var: VarId) -> &VarSet {
        &self.adjacent[var.index()]
    }

    pub(super) fn parents(&self, var: VarId) -> &VarSet {
        self.class.directed().parents(var)
    }

    /// Undirected neighbours of `effect` that are joined to `cause`.
    pub(super) fn common(&self, cause: VarId, effect: VarId) -> VarSet {
        let mut common = self.class.neighbours(effect).clone();
        common.intersect_with(self.adjacent(cause));
        common
    }

    /// Undirected neighbours of `effect` that are neither `cause` nor joined to it.
    pub(super) fn apart(&self, cause: VarId, effect: VarId) -> VarSet {
        let mut apart = self.class.neighbours(effect).without(cause);
        apart.difference_with(self.adjacent(cause));
        apart
    }

    /// Every clique that consists of `base` and some of `more`, `base` itself first, with at most
    /// `most` members.
    pub(super) fn cliques(&self, base: &VarSet, more: &VarSet, most: usize) -> Vec<VarSet> {
        let mut found = Vec::new();
        let joins_all = |v| base.without(v).is_subset(self.adjacent(v));
        if base.len() <= most && base.iter().all(joins_all) {
            let candidates: Vec<VarId> = more.iter().collect();
            self.grow(base.clone(), &candidates, most, &mut found);
        }
        found
    }

    fn grow(&self, clique: VarSet, candidates: &[VarId], most: usize, found: &mut Vec<VarSet>) {
        found.push(clique.clone());
        if clique.len() == most {
            return;
        }
        for (at, &var) in candidates.iter().enumerate() {
            if clique.is_subset(self.adjacent(var)) {
                self.grow(clique.with(var), &candidates[at + 1..], most, found);
            }
        }
    }

    /// Whether a path of undirected edges and edges in their direction leads from `from` to `to`
    /// without a variable of `blocked`; the edge from -> to itself does not count.
    pub(super) fn has_detour(&self, from: VarId, to: VarId, blocked: &VarSet) -> bool {
        let next = |var: VarId| {
            let mut next = self.class.directed().children(var).clone();
            next.union_with(self.class.neighbours(var));
            next.difference_with(blocked);
            next
        };
        let mut seen = next(from).without(to).with(from);
        let mut open: Vec<VarId> = seen.without(from).iter().collect();
        while let Some(var) = open.pop() {
            let mut fresh = next(var);
            fresh.difference_with(&seen);
            if fresh.contains(to) {
                return true;
            }
            seen.union_with(&fresh);
            open.extend(fresh.iter());
        }
        false
    }

    /// Whether every path of undirected edges between the two sets meets `middle`.
    pub(super) fn separates(&self, middle: &VarSet, a: &VarSet, b: &VarSet) -> bool {
        let mut seen = a.clone();
        seen.difference_with(middle);
        let mut open: Vec<VarId> = seen.iter().collect();
        while let Some(var) = open.pop() {
            let mut fresh = self.class.neighbours(var).clone();
            fresh.difference_with(&seen);
            fresh.difference_with(middle);
            seen.union_with(&fresh);
            open.extend(fresh.iter());
        }
        !seen.intersects(b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedcdi_core::{Dag, Digraph};

    fn class(n: usize, edges: &[(usize, usize)]) -> Cpdag {
        let edges = edges.iter().map(|&(c, e)| (VarId(c), VarId(e)));
        Cpdag::of(&Dag::try_from(Digraph::from_edges(n, edges)).unwrap())
    }

    fn set(n: usize, members: &[usize]) -> VarSet {
        VarSet::from_members(n, members.iter().copied().map(VarId))
    }

    #[test]
    fn cliques_are_listed_once_each() {
        // A square with one diagonal: 0 - 1 - 2 - 0, 1 - 3 - 2.
        let class = class(4, &[(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]);
        let state = State::new(&class, 9);
        let found = state.cliques(&set(4, &[1]), &set(4, &[0, 2, 3]), 9);
        let expected = [&[1][..], &[0, 1], &[0, 1, 2], &[1, 2], &[1, 2, 3], &[1, 3]];
        assert_eq!(found, expected.map(|members| set(4, members)));
        assert_eq!(state.cliques(&set(4, &[1]), &set(4, &[0]), 1).len(), 1);
        assert!(state.cliques(&set(4, &[0, 3]), &set(4, &[1]), 9).is_empty());
    }

    #[test]
    fn detours_follow_edges_forwards_and_lines_both_ways() {
        // 0 -> 2 <- 1, 2 -> 3, and 4 - 5 apart.
        let class = class(6, &[(0, 2), (1, 2), (2, 3), (4, 5)]);
        let state = State::new(&class, 9);
        let none = set(6, &[]);
        assert!(state.has_detour(VarId(0), VarId(3), &none));
        assert!(!state.has_detour(VarId(0), VarId(3), &set(6, &[2])));
        assert!(!state.has_detour(VarId(3), VarId(0), &none));
        assert!(!state.has_detour(VarId(2), VarId(3), &none));
    }

    #[test]
    fn separation_is_by_lines_alone() {
        let class = class(4, &[(0, 1), (1, 2), (2, 3)]);
        let state = State::new(&class, 9);
        assert!(state.separates(&set(4, &[1]), &set(4, &[0]), &set(4, &[2, 3])));
        assert!(!state.separates(&set(4, &[3]), &set(4, &[0]), &set(4, &[2])));
        assert!(state.separates(&set(4, &[]), &set(4, &[0]), &set(4, &[])));
    }
}
