//! Counts, shares and samples of one connected undirected part, from its cliques.

use std::collections::BTreeMap;

use rand::Rng;

use super::chordal::Chordal;
use super::orders::{Orders, by_weight};

/// Shares are rounded to multiples of this.
const GRAIN: f64 = 1.0 / (1u64 << 40) as f64;

/// The members of a connected part, counted.
#[derive(Clone, Debug)]
pub(super) struct Counter {
    graph: Chordal,
    /// Smaller pieces before those that leave them; the whole part is the last.
    pieces: Vec<Piece>,
}

/// A connected part of the part.
#[derive(Clone, Debug)]
struct Piece {
    vars: Vec<usize>,
    choices: Vec<Choice>,
    ln_count: f64,
}

/// The members of a piece in which one clique comes first.
#[derive(Clone, Debug)]
struct Choice {
    clique: Vec<usize>,
    orders: Orders,
    /// Pieces that are left.
    rest: Vec<usize>,
    /// The share of the members of the piece.
    share: f64,
}

/// A piece that is being counted: where it is, by its members.
type Places = BTreeMap<Vec<usize>, usize>;

impl Counter {
    /// Counts members of a connected graph that have the `known` edges; none if that takes too long.
    pub(super) fn new(graph: Chordal, known: &[(usize, usize)]) -> Option<Self> {
        let whole = (0..graph.n_places()).collect();
        let mut counter = Self {
            graph,
            pieces: Vec::new(),
        };
        counter.add(whole, known, &mut Places::new())?;
        Some(counter)
    }

    pub(super) fn graph(&self) -> &Chordal {
        &self.graph
    }

    /// Logarithm of the number of members.
    pub(super) fn ln_count(&self) -> f64 {
        self.pieces[self.pieces.len() - 1].ln_count
    }

    /// Counts a piece and all that it leaves; its place.
    fn add(
        &mut self,
        vars: Vec<usize>,
        known: &[(usize, usize)],
        places: &mut Places,
    ) -> Option<usize> {
        if let Some(place) = places.get(&vars) {
            return Some(*place);
        }
        let (mut choices, mut ln_weights) = (Vec::new(), Vec::new());
        let bags = self.graph.bags(&vars);
        for bag in bags.expect("the undirected parts of a class are chordal") {
            let after = self.graph.after(&vars, &bag.clique);
            let against = |&(a, b): &(usize, usize)| after.is_after(a, b);
            if known.iter().any(against) {
                continue;
            }
            let orders = Orders::new(&bag, known)?;
            let mut ln_weight = orders.ln_count();
            let mut rest = Vec::with_capacity(after.parts.len());
            for part in after.parts {
                let place = self.add(part, known, places)?;
                ln_weight += self.pieces[place].ln_count;
                rest.push(place);
            }
            if ln_weight > f64::NEG_INFINITY {
                ln_weights.push(ln_weight);
                choices.push(Choice {
                    clique: bag.clique,
                    orders,
                    rest,
                    share: 0.0,
                });
            }
        }
        let ln_count = ln_sum(&ln_weights);
        for (choice, ln_weight) in choices.iter_mut().zip(&ln_weights) {
            choice.share = (ln_weight - ln_count).exp();
        }
        let place = self.pieces.len();
        places.insert(vars.clone(), place);
        self.pieces.push(Piece {
            vars,
            choices,
            ln_count,
        });
        Some(place)
    }

    /// Every edge once, and the share of members that have it in this direction.
    pub(super) fn shares(&self) -> Vec<((usize, usize), f64)> {
        // How often members leave a piece, on average.
        let mut often = vec![0.0; self.pieces.len()];
        often[self.pieces.len() - 1] = 1.0;
        let edges = self.graph.edges().filter(|(a, b)| a < b);
        let mut shares: BTreeMap<(usize, usize), f64> = edges.map(|edge| (edge, 0.0)).collect();
        for (place, piece) in self.pieces.iter().enumerate().rev() {
            for choice in &piece.choices {
                let share = often[place] * choice.share;
                choice.rest.iter().for_each(|rest| often[*rest] += share);
                for (pair, before) in choice.orders.shares() {
                    *shares.get_mut(&pair).expect("a clique is joined") += share * before;
                }
                for (cause, effect) in self.follows(piece, choice) {
                    if let Some(forward) = shares.get_mut(&(cause, effect)) {
                        *forward += share;
                    }
                }
            }
        }
        let grain = |share: f64| (share / GRAIN).round() * GRAIN;
        let shares = shares.into_iter();
        shares
            .map(|(edge, share)| (edge, grain(share).clamp(0.0, 1.0)))
            .collect()
    }

    /// The edges that follow from a first clique, outside of it and of the pieces that are left.
    fn follows(&self, piece: &Piece, choice: &Choice) -> Vec<(usize, usize)> {
        let after = self.graph.after(&piece.vars, &choice.clique);
        let edges = piece.vars.iter().flat_map(|a| {
            let near = self.graph.neighbours(*a).iter();
            near.map(|b| (*a, *b))
        });
        edges.filter(|(a, b)| after.is_after(*b, *a)).collect()
    }

    /// The edges of a member, each member as likely as any other. Panics if there is none.
    pub(super) fn sample(&self, rng: &mut impl Rng) -> Vec<(usize, usize)> {
        let mut edges = Vec::new();
        let mut open = vec![self.pieces.len() - 1];
        while let Some(place) = open.pop() {
            let piece = &self.pieces[place];
            let weights: Vec<f64> = piece.choices.iter().map(|choice| choice.share).collect();
            let choice = &piece.choices[by_weight(&weights, rng)];
            let order = choice.orders.sample(rng);
            let pairs = (1..order.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
            edges.extend(pairs.map(|(a, b)| (order[a], order[b])));
            edges.extend(self.follows(piece, choice));
            open.extend(&choice.rest);
        }
        edges
    }
}

/// Logarithm of the sum.
fn ln_sum(logarithms: &[f64]) -> f64 {
    let largest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    let sum: f64 = logarithms.iter().map(|l| (l - largest).exp()).sum();
    largest + sum.ln()
}
