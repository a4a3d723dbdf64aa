//! The members of an equivalence class: how many there are, which share of them has an edge in which
//! direction, and one of them by chance.
//!
//! Hauser and Bühlmann (2012): the undirected edges of a class form connected chordal parts, and the
//! members direct each part as they like, without cycles and v-structures, whatever the others do.
//! Wienöbst, Bannach and Liśkiewicz (2023), "Polynomial-time algorithms for counting and sampling
//! Markov equivalent DAGs with applications", count these by picking cliques:
//!
//! | paper | code |
//! |---|---|
//! | rooted clique tree; `FP(v, T)`, what an order of the clique must not begin with | `Chordal::bags` |
//! | `G^K`, the edges that follow if clique K comes first; `C_G(K)`, the parts it leaves | `Chordal::after` |
//! | `phi(K, FP)`, orders of a clique | `Orders` |
//! | `#AMO(G)`, the sum over cliques of phi times the product of `#AMO` over `C_G(K)` | `Counter` |
//!
//! | file | holds |
//! |---|---|
//! | `chordal.rs` | clique trees, and what follows from a first clique |
//! | `orders.rs` | orders of one clique |
//! | `counter.rs` | counts, shares and samples of one part |
//!
//! Every member has exactly one first clique with one order and one member of every part that is
//! left. So shares are sums of the same terms, and a member by chance takes a clique by its weight,
//! then an order, then the parts.
//!
//! Deviations: counts are kept as logarithms in f64, good to about 1e-12 of themselves; shares are
//! rounded to multiples of 2^-40, so that they do not depend on the order of variables. With background
//! knowledge (the paper: #P-hard) only orders and directions that agree count. The orders of a clique
//! are then found by its subsets, up to 65 536 of them; beyond, members are drawn and those that
//! disagree are left out.

mod chordal;
mod counter;
mod orders;

use ndarray::Array2;
use rand::Rng;

use self::chordal::Chordal;
use self::counter::Counter;
use super::{Cpdag, Dag, Digraph, VarSet};
use crate::knowledge::Knowledge;
use crate::seed::Seed;
use crate::variable::VarId;

/// Members drawn for the shares of a part whose members cannot be counted with what is known.
const DRAWS: usize = 10_000;
/// Members drawn at the most until one agrees with what is known.
const TRIES: usize = 1_000;

/// All members of a class that agree with background knowledge, without listing them.
#[derive(Clone, Debug)]
pub struct Members<'a> {
    class: &'a Cpdag,
    parts: Vec<Part>,
}

/// One connected undirected part of a class.
#[derive(Clone, Debug)]
struct Part {
    /// Names of its variables; the counter has their places.
    vars: Vec<VarId>,
    counter: Counter,
    /// Directions that are known, by place, where the counter could not take them into account.
    known: Vec<(usize, usize)>,
}

impl<'a> Members<'a> {
    /// The members of `class` that agree with `knowledge`. In a part where none agrees, knowledge is
    /// left aside. Panics if the two differ in their number of variables, or if the graph is not that of a
    /// class ([`Cpdag::has_members`]).
    ///
    /// Complexity: O(P^2 (N + E)) for P maximal cliques of N variables and E undirected edges, and
    /// O(P 2^K) for cliques of K variables inside which something is known, 2^K up to 65 536.
    pub fn new(class: &'a Cpdag, knowledge: &Knowledge) -> Self {
        assert_eq!(class.n_vars(), knowledge.n_vars(), "the same variables");
        let parts = parts(class).into_iter();
        Self {
            parts: parts
                .map(|vars| Part::new(class, knowledge, vars))
                .collect(),
            class,
        }
    }

    /// Logarithm of the number of members.
    pub fn ln_count(&self) -> f64 {
        self.parts.iter().map(Part::ln_count).sum()
    }

    /// The connected undirected parts in order of their least variable, and the logarithm of the number
    /// of ways in which each can be directed.
    pub fn parts(&self) -> impl Iterator<Item = (&[VarId], f64)> + '_ {
        let parts = self.parts.iter();
        parts.map(|part| (part.vars.as_slice(), part.ln_count()))
    }

    /// The share of members with cause -> effect, `[cause, effect]`: 1 for a directed edge, s and 1 - s
    /// for an undirected one, 0 for a pair that is not joined.
    ///
    /// Complexity: as [`Self::new`].
    pub fn shares(&self) -> Array2<f64> {
        let n_vars = self.class.n_vars();
        let mut shares = Array2::zeros((n_vars, n_vars));
        for (cause, effect) in self.class.directed().edges() {
            shares[(cause.index(), effect.index())] = 1.0;
        }
        for part in &self.parts {
            for ((a, b), share) in part.shares() {
                let (a, b) = (part.vars[a].index(), part.vars[b].index());
                shares[(a, b)] = share;
                shares[(b, a)] = 1.0 - share;
            }
        }
        shares
    }

    /// A member, each as likely as any other.
    ///
    /// Complexity: O(D (N + E)) for undirected parts inside parts to a depth of D, less than the size of
    /// the largest clique.
    pub fn sample(&self, rng: &mut impl Rng) -> Dag {
        let mut edges = self.class.directed().clone();
        for part in &self.parts {
            for (cause, effect) in part.sample(rng) {
                edges.add_edge(part.vars[cause], part.vars[effect]);
            }
        }
        let acyclic = Dag::try_from(edges);
        acyclic
            .expect("a class has no cycle with a directed edge, and its parts are directed without")
    }
}

impl Part {
    fn new(class: &Cpdag, knowledge: &Knowledge, vars: Vec<VarId>) -> Self {
        let graph = chordal_of(class, &vars);
        let is_known = |&(a, b): &(usize, usize)| !knowledge.allows(vars[b], vars[a]);
        let known: Vec<_> = graph.edges().filter(is_known).collect();
        // Where neither direction is allowed, nothing agrees.
        let free = || Counter::new(graph.clone(), &[]).expect("orders of free cliques are counted");
        let (counter, known) = match Counter::new(graph.clone(), &known) {
            Some(counter) if counter.ln_count().is_finite() => (counter, Vec::new()),
            Some(_) => (free(), Vec::new()),
            None => (free(), known),
        };
        Self {
            vars,
            counter,
            known,
        }
    }

    fn agrees(&self, edges: &[(usize, usize)]) -> bool {
        let against = |(a, b): &(usize, usize)| edges.contains(&(*b, *a));
        !self.known.iter().any(against)
    }

    /// A fixed sample of the members that agree; empty if there is none, or all can be counted.
    fn drawn(&self) -> Vec<Vec<(usize, usize)>> {
        if self.known.is_empty() {
            return Vec::new();
        }
        let mut rng = Seed::new(0).derive("members", 0).rng();
        let drawn = (0..DRAWS).map(|_| self.counter.sample(&mut rng));
        drawn.filter(|edges| self.agrees(edges)).collect()
    }

    fn ln_count(&self) -> f64 {
        let agreeing = match self.drawn().len() {
            0 => 1.0,
            drawn => drawn as f64 / DRAWS as f64,
        };
        self.counter.ln_count() + agreeing.ln()
    }

    /// Every edge once, and the share of members that have it in this direction.
    fn shares(&self) -> Vec<((usize, usize), f64)> {
        let drawn = self.drawn();
        if drawn.is_empty() {
            return self.counter.shares();
        }
        let share = |(a, b)| {
            let having = drawn.iter().filter(|edges| edges.contains(&(a, b)));
            ((a, b), having.count() as f64 / drawn.len() as f64)
        };
        let edges = self.counter.graph().edges().filter(|(a, b)| a < b);
        edges.map(share).collect()
    }

    fn sample(&self, rng: &mut impl Rng) -> Vec<(usize, usize)> {
        let mut edges = self.counter.sample(rng);
        for _ in 1..TRIES {
            if self.agrees(&edges) {
                break;
            }
            edges = self.counter.sample(rng);
        }
        edges
    }
}

/// A part by places.
fn chordal_of(class: &Cpdag, vars: &[VarId]) -> Chordal {
    let place = |var: VarId| vars.binary_search(&var).ok();
    let neighbours = |var: &VarId| class.neighbours(*var).iter().filter_map(place).collect();
    Chordal::new(vars.iter().map(neighbours).collect())
}

/// Connected undirected parts of two variables or more, each sorted.
fn parts(class: &Cpdag) -> Vec<Vec<VarId>> {
    let mut seen = VarSet::empty(class.n_vars());
    let mut parts = Vec::new();
    for start in class.directed().vars() {
        if class.neighbours(start).is_empty() || !seen.insert(start) {
            continue;
        }
        let mut part = vec![start];
        let mut at = 0;
        while let Some(&var) = part.get(at) {
            part.extend(class.neighbours(var).iter().filter(|n| seen.insert(*n)));
            at += 1;
        }
        part.sort_unstable();
        parts.push(part);
    }
    parts
}

impl Cpdag {
    /// Whether the undirected parts are chordal and no directed path leads back into one, as in the graph
    /// of every class. A graph that comes from elsewhere may be otherwise.
    ///
    /// Complexity: O(N^2 + P d K) for P maximal cliques of K variables, d deep in a clique tree.
    pub fn has_members(&self) -> bool {
        let mut part_of: Vec<usize> = (0..self.n_vars()).collect();
        for vars in parts(self) {
            if chordal_of(self, &vars)
                .bags(&(0..vars.len()).collect::<Vec<_>>())
                .is_none()
            {
                return false;
            }
            vars.iter()
                .for_each(|var| part_of[var.index()] = vars[0].index());
        }
        let between = self.directed().edges();
        let between = between.map(|(c, e)| (part_of[c.index()], part_of[e.index()]));
        let between: Vec<(usize, usize)> = between.collect();
        let edges = between.iter().map(|&(c, e)| (VarId(c), VarId(e)));
        between.iter().all(|(c, e)| c != e)
            && Dag::try_from(Digraph::from_edges(self.n_vars(), edges)).is_ok()
    }

    /// The number of members, exact where it is below about 1e10 and good to about 1e-12 of itself
    /// above; infinite above 1e308.
    ///
    /// Complexity: as [`Members::new`].
    pub fn n_members(&self) -> f64 {
        let ln_count = Members::new(self, &Knowledge::none(self.n_vars())).ln_count();
        ln_count.exp().round()
    }

    /// The share of members that agree with `knowledge` and have cause -> effect, `[cause, effect]`.
    /// Panics as [`Members::new`].
    ///
    /// Complexity: as [`Members::new`].
    pub fn shares(&self, knowledge: &Knowledge) -> Array2<f64> {
        Members::new(self, knowledge).shares()
    }

    /// A member, each as likely as any other. For more than one, use [`Members::sample`].
    ///
    /// Complexity: as [`Members::new`].
    pub fn sample_member(&self, rng: &mut impl Rng) -> Dag {
        Members::new(self, &Knowledge::none(self.n_vars())).sample(rng)
    }
}

#[cfg(test)]
mod tests;
