//! Undirected graphs in which every cycle of four or more has a chord: their maximal cliques, and what
//! follows if one of these comes first.
//!
//! Blair and Peyton (1993), "An introduction to chordal graphs and clique trees": a maximum-cardinality
//! search meets one maximal clique after the other. Rose, Tarjan and Lueker (1976): lexicographic
//! breadth-first search, by splitting cells.

/// A chordal graph over places `0..n`.
#[derive(Clone, Debug)]
pub(super) struct Chordal {
    /// Sorted.
    neighbours: Vec<Vec<usize>>,
}

/// A node of a rooted clique tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bag {
    /// A maximal clique, sorted.
    pub(super) clique: Vec<usize>,
    /// Sets with which an order of the clique must not begin, or another clique would count the same
    /// members; each is part of the next, sorted.
    pub(super) prefixes: Vec<Vec<usize>>,
}

/// What follows if a clique comes first.
#[derive(Clone, Debug)]
pub(super) struct After {
    /// The clique has 0. Edges lead from smaller to larger numbers; inside one they are open.
    pub(super) rank: Vec<usize>,
    /// Connected parts, each sorted, of two or more with the same rank, without the clique.
    pub(super) parts: Vec<Vec<usize>>,
}

/// The rank of what is not in the part looked at.
const OUTSIDE: usize = usize::MAX;

impl After {
    /// Whether both are in the part looked at, and the first comes after the second.
    pub(super) fn is_after(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.rank[a], self.rank[b]);
        a != OUTSIDE && b != OUTSIDE && a > b
    }
}

impl Chordal {
    pub(super) fn new(neighbours: Vec<Vec<usize>>) -> Self {
        Self { neighbours }
    }

    pub(super) fn n_places(&self) -> usize {
        self.neighbours.len()
    }

    /// Places joined to one.
    pub(super) fn neighbours(&self, place: usize) -> &[usize] {
        &self.neighbours[place]
    }

    /// Every edge in both directions.
    pub(super) fn edges(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let lists = self.neighbours.iter().enumerate();
        lists.flat_map(|(a, list)| list.iter().map(move |b| (a, *b)))
    }

    /// The maximal cliques of a connected part; none if it is not chordal.
    ///
    /// Complexity: O(n^2 + P d K) for n members and P cliques of K, d deep.
    pub(super) fn bags(&self, part: &[usize]) -> Option<Vec<Bag>> {
        let mut rank = vec![OUTSIDE; self.n_places()];
        let mut met = vec![0usize; self.n_places()];
        let mut open = part.to_vec();
        let (mut cliques, mut parents, mut separators) = (Vec::new(), Vec::new(), Vec::new());
        let mut clique_of = vec![0; self.n_places()];
        for at in 0..part.len() {
            let most = open.iter().enumerate().max_by_key(|(_, v)| met[**v]);
            let next = open.swap_remove(most.expect("one is open").0);
            let earlier = self.neighbours[next].iter().copied();
            let earlier: Vec<usize> = earlier.filter(|v| rank[*v] != OUTSIDE).collect();
            let last = earlier.iter().copied().max_by_key(|v| rank[*v]);
            if let Some(last) = last {
                let is_near = |v: &usize| *v == last || self.joined(*v, last);
                if !earlier.iter().all(is_near) {
                    return None;
                }
            }
            let is_more = cliques
                .last()
                .is_some_and(|c: &Vec<usize>| c.len() == earlier.len());
            if is_more && at > 0 {
                cliques.last_mut().expect("not the first").push(next);
            } else {
                parents.push(last.map(|last| clique_of[last]));
                cliques.push(earlier.iter().copied().chain([next]).collect());
                separators.push(earlier);
            }
            clique_of[next] = cliques.len() - 1;
            rank[next] = at;
            for &neighbour in &self.neighbours[next] {
                met[neighbour] += 1;
            }
        }
        let bag = |at: usize| {
            let mut clique = cliques[at].clone();
            clique.sort_unstable();
            let mut prefixes: Vec<Vec<usize>> = Vec::new();
            let mut on_path = at;
            while let Some(parent) = parents[on_path] {
                let set = &separators[on_path];
                let is_new = prefixes.last().is_none_or(|last| last.len() > set.len());
                if is_new && set.iter().all(|v| clique.binary_search(v).is_ok()) {
                    prefixes.push(set.clone());
                }
                on_path = parent;
            }
            prefixes.reverse();
            Bag { clique, prefixes }
        };
        Some((0..cliques.len()).map(bag).collect())
    }

    fn joined(&self, a: usize, b: usize) -> bool {
        self.neighbours[a].binary_search(&b).is_ok()
    }

    /// What follows in a connected part if `clique` comes first.
    ///
    /// Complexity: O(n + e).
    pub(super) fn after(&self, part: &[usize], clique: &[usize]) -> After {
        let mut cells = Cells::new(self.n_places(), part, clique);
        let mut rank = vec![OUTSIDE; self.n_places()];
        let mut groups = 0;
        let mut parts = Vec::new();
        for at in 0..part.len() {
            if rank[cells.sequence[at]] == OUTSIDE {
                let group = cells.first(at).to_vec();
                group.iter().for_each(|v| rank[*v] = groups);
                if groups > 0 {
                    parts.extend(self.connected(&group, &rank));
                }
                groups += 1;
            }
            let var = cells.take(at);
            cells.split(&self.neighbours[var]);
        }
        After { rank, parts }
    }

    /// Connected parts of two or more of a group, all of one rank.
    fn connected(&self, group: &[usize], rank: &[usize]) -> Vec<Vec<usize>> {
        if group.len() < 2 {
            return Vec::new();
        }
        let mut open: std::collections::BTreeSet<usize> = group.iter().copied().collect();
        let mut parts = Vec::new();
        while let Some(start) = open.pop_first() {
            let (mut part, mut at) = (vec![start], 0);
            while let Some(&var) = part.get(at) {
                let near = self.neighbours[var].iter().copied();
                let near = near.filter(|n| rank[*n] == rank[start] && open.remove(n));
                part.extend(near);
                at += 1;
            }
            if part.len() > 1 {
                part.sort_unstable();
                parts.push(part);
            }
        }
        parts
    }
}

/// A sequence of places in cells; whoever is next comes from the first cell that is not empty.
struct Cells {
    sequence: Vec<usize>,
    /// Where a place stands; none outside the part.
    position: Vec<Option<usize>>,
    cell_of: Vec<usize>,
    /// Start and end of every cell in the sequence.
    ranges: Vec<(usize, usize)>,
}

impl Cells {
    /// The clique is the first cell, the rest of the part the second.
    fn new(n_places: usize, part: &[usize], clique: &[usize]) -> Self {
        let mut is_first = vec![false; n_places];
        clique.iter().for_each(|v| is_first[*v] = true);
        let rest = part.iter().copied().filter(|v| !is_first[*v]);
        let sequence: Vec<usize> = clique.iter().copied().chain(rest).collect();
        let mut position = vec![None; n_places];
        for (at, var) in sequence.iter().enumerate() {
            position[*var] = Some(at);
        }
        Self {
            cell_of: is_first.iter().map(|first| usize::from(!first)).collect(),
            ranges: vec![(0, clique.len()), (clique.len(), sequence.len())],
            sequence,
            position,
        }
    }

    /// The first cell, which starts `at` this position.
    fn first(&self, at: usize) -> &[usize] {
        let (start, end) = self.ranges[self.cell_of[self.sequence[at]]];
        &self.sequence[start..end]
    }

    /// Takes out who is next.
    fn take(&mut self, at: usize) -> usize {
        let var = self.sequence[at];
        self.ranges[self.cell_of[var]].0 += 1;
        self.position[var] = None;
        var
    }

    /// In every cell, these come first, as a cell of their own.
    fn split(&mut self, first: &[usize]) {
        // Cell, and how many of its places have moved to its front.
        let mut touched: Vec<(usize, usize)> = Vec::new();
        for &var in first {
            let Some(from) = self.position[var] else {
                continue;
            };
            let cell = self.cell_of[var];
            let found = touched.iter().position(|(c, _)| *c == cell);
            let at = found.unwrap_or_else(|| {
                touched.push((cell, 0));
                touched.len() - 1
            });
            let to = self.ranges[cell].0 + touched[at].1;
            touched[at].1 += 1;
            let other = self.sequence[to];
            self.sequence.swap(from, to);
            self.position[var] = Some(to);
            if other != var {
                self.position[other] = Some(from);
            }
        }
        for (cell, n_moved) in touched {
            let (start, end) = self.ranges[cell];
            if start + n_moved == end {
                continue;
            }
            self.ranges[cell].0 = start + n_moved;
            self.ranges.push((start, start + n_moved));
            for var in &self.sequence[start..start + n_moved] {
                self.cell_of[*var] = self.ranges.len() - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 - 1 - 2 - 3 and 1 - 3: cliques 01 and 123.
    fn flag() -> Chordal {
        Chordal::new(vec![vec![1], vec![0, 2, 3], vec![1, 3], vec![1, 2]])
    }

    #[test]
    fn a_clique_tree_has_every_maximal_clique_once() {
        let bags = flag().bags(&[0, 1, 2, 3]).unwrap();
        let mut cliques: Vec<_> = bags.iter().map(|bag| bag.clique.clone()).collect();
        cliques.sort();
        assert_eq!(cliques, [vec![0, 1], vec![1, 2, 3]]);
        // The two share 1, so the second of them must not begin with it.
        assert!(bags[0].prefixes.is_empty());
        assert_eq!(bags[1].prefixes, [vec![1]]);
    }

    #[test]
    fn what_follows_from_a_first_clique() {
        // 0 - 1 first: 1 leads to both others, whose edge stays open.
        let after = flag().after(&[0, 1, 2, 3], &[0, 1]);
        assert_eq!(after.rank, [0, 0, 1, 1]);
        assert_eq!(after.parts, [vec![2, 3]]);
        // The triangle first: 1 -> 0, and nothing is open.
        let after = flag().after(&[0, 1, 2, 3], &[1, 2, 3]);
        assert_eq!(after.rank, [1, 0, 0, 0]);
        assert!(after.parts.is_empty());
        // Inside the part of the last three alone.
        let after = flag().after(&[1, 2, 3], &[1, 2]);
        assert_eq!(after.rank, [OUTSIDE, 0, 0, 1]);
    }

    #[test]
    fn a_square_is_not_chordal() {
        let square = Chordal::new(vec![vec![1, 3], vec![0, 2], vec![1, 3], vec![0, 2]]);
        assert_eq!(square.bags(&[0, 1, 2, 3]), None);
    }
}
