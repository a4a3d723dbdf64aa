//! How sure a belief is of every edge, given that the graph as a whole has no cycle.
//!
//! Ours. A belief speaks of each pair of variables by itself; it may be fairly sure of three edges
//! that cannot all be true. Here the variables have an order, unknown and at first any; an edge can
//! lead forward only, and beforehand does so in every other pair. That makes each edge 0.25 likely
//! before anything is learned, as [`Belief::uninformed`] has it, so what a belief says beyond that
//! is evidence about the pair, and the evidence of all pairs decides about orders:
//!
//! | formula | code |
//! |---|---|
//! | `psi_ij`; the rest of a pair, `1 - psi_ij - psi_ji` | `Evidence::edges`; `neither` |
//! | `ln w_ij`, `w_ij = 2 psi_ij + rest`: evidence for i before j | `Evidence::forward` |
//! | P(order) in proportion to the product of `w_ij` over all i before j | sampled by `Chain` |
//! | `P(i -> j) = P(i before j) 2 psi_ij / w_ij` | [`confidence`] |
//!
//! Of two variables alone the result is psi itself; three edges of 0.9 in a circle become 0.62 each.
//!
//! Orders are sampled by taking out one variable after the other and putting it back where the
//! others want it (Gibbs), whose probabilities are averaged instead of the outcomes, and by changing
//! the places of two neighbouring blocks (Metropolis), without which variables that hold on to each
//! other would never move. The random stream is fixed, so the same belief gives the same numbers;
//! they are good to about 0.01 up to 30 variables, and to a few hundredths with hundreds.

use ndarray::{Array1, Array2};
use rand::{Rng, RngExt};

use crate::belief::Belief;
use crate::knowledge::Knowledge;
use crate::seed::Seed;
use crate::variable::VarId;

/// Evidence against an order is never absolute.
const LEAST: f64 = 1e-9;
/// Logarithm of the weight of an order that background knowledge excludes: more than any number of
/// pairs could say for it.
const EXCLUDED: f64 = -1e6;
/// Comparisons of two variables, as far as [`SWEEPS`] allows.
const COMPARISONS: usize = 4_000_000;
/// Fewest and most times that every variable has its turn.
const SWEEPS: [usize; 2] = [200, 5_000];
/// Variables of a block that changes its place, at the most.
const BLOCK: usize = 8;

/// Probability of every edge, `[cause, effect]`, given that the graph has no cycle and agrees with
/// `knowledge`. Panics if belief and knowledge differ in their number of variables.
///
/// Complexity: O(s N^2) for s sweeps over the variables, 5000 up to 28 of them and at least 200.
pub fn confidence(belief: &Belief, knowledge: &Knowledge) -> Array2<f64> {
    assert_eq!(belief.n_vars(), knowledge.n_vars(), "the same variables");
    let evidence = Evidence::new(belief, knowledge);
    let mut found = evidence.share_before();
    for (at, before) in found.indexed_iter_mut() {
        *before *= evidence.edge_if_before(at);
    }
    found
}

/// What a belief says of all pairs, `[cause, effect]`.
struct Evidence {
    edges: Array2<f64>,
    /// Logarithm of the weight of an order that has the first before the second.
    forward: Array2<f64>,
}

impl Evidence {
    fn new(belief: &Belief, knowledge: &Knowledge) -> Self {
        let n_vars = belief.n_vars();
        let edge = |(i, j): (usize, usize)| {
            let (cause, effect) = (VarId(i), VarId(j));
            if i == j || !knowledge.allows(cause, effect) {
                0.0
            } else if knowledge.is_required(cause, effect) {
                1.0
            } else {
                belief.probability(cause, effect)
            }
        };
        let edges = Array2::from_shape_fn((n_vars, n_vars), edge);
        let forward = |(i, j): (usize, usize)| {
            if knowledge.is_required(VarId(j), VarId(i)) {
                return EXCLUDED;
            }
            let rest = neither(belief, knowledge, (VarId(i), VarId(j)));
            (2.0 * edges[(i, j)] + rest).max(LEAST).ln()
        };
        let forward = Array2::from_shape_fn((n_vars, n_vars), forward);
        Self { edges, forward }
    }

    /// Probability of an edge if its cause comes first.
    fn edge_if_before(&self, at: (usize, usize)) -> f64 {
        match self.edges[at] {
            0.0 => 0.0,
            edge => (2.0 * edge / self.forward[at].exp()).min(1.0),
        }
    }

    /// Share of orders that have the first before the second.
    fn share_before(&self) -> Array2<f64> {
        let n_vars = self.edges.nrows();
        let mut rng = Seed::new(0).derive("confidence", 0).rng();
        let mut chain = Chain::new(self);
        let sweeps = (COMPARISONS / (n_vars * n_vars).max(1)).clamp(SWEEPS[0], SWEEPS[1]);
        let warm_up = sweeps / 10;
        // How often the second came first when the first was put back.
        let mut sums = Array2::zeros((n_vars, n_vars));
        for sweep in 0..warm_up + sweeps {
            for var in 0..n_vars {
                chain.replace(var, rng.random());
                chain.swap_blocks(&mut rng);
                if sweep >= warm_up {
                    chain.count(sums.row_mut(var));
                }
            }
        }
        // A pair is compared whenever one of the two has its turn.
        let both = |(i, j)| sums[(j, i)] + sweeps as f64 - sums[(i, j)];
        Array2::from_shape_fn((n_vars, n_vars), both) / (2 * sweeps) as f64
    }
}

/// Probability that a pair has no edge, before anything is excluded.
fn neither(belief: &Belief, knowledge: &Knowledge, (a, b): (VarId, VarId)) -> f64 {
    if knowledge.is_required(a, b) || knowledge.is_required(b, a) {
        return 0.0;
    }
    (1.0 - belief.probability(a, b) - belief.probability(b, a)).max(0.0)
}

struct Chain {
    /// Logarithm of how much likelier the second is before the first than after it.
    lead: Array2<f64>,
    order: Vec<usize>,
    /// The others when the last variable was put back, and the probability that it comes after so
    /// many of them or more; one more than there are others.
    others: Vec<usize>,
    at_least: Vec<f64>,
}

impl Chain {
    /// Starts with the variables that cause most.
    fn new(evidence: &Evidence) -> Self {
        let edges = &evidence.edges;
        let surplus = |var: usize| edges.row(var).sum() - edges.column(var).sum();
        let surplus = Array1::from_shape_fn(edges.nrows(), surplus);
        let mut order: Vec<usize> = (0..edges.nrows()).collect();
        order.sort_by(|a, b| surplus[*b].total_cmp(&surplus[*a]));
        Self {
            lead: &evidence.forward.t() - &evidence.forward,
            others: Vec::with_capacity(order.len()),
            at_least: Vec::with_capacity(order.len()),
            order,
        }
    }

    /// Takes a variable out and puts it back by chance, given the order of the others.
    fn replace(&mut self, var: usize, draw: f64) {
        let lead = self.lead.row(var);
        let others = self.order.iter().copied().filter(|other| *other != var);
        self.others.clear();
        self.others.extend(others);
        // Weights of its places relative to the first one, where it comes before all others.
        let (mut weight, mut largest) = (0.0, 0.0_f64);
        self.at_least.clear();
        self.at_least.push(0.0);
        for &other in &self.others {
            weight += lead[other];
            largest = largest.max(weight);
            self.at_least.push(weight);
        }
        let mut total = 0.0;
        for weight in self.at_least.iter_mut().rev() {
            total += (*weight - largest).exp();
            *weight = total;
        }
        self.at_least.iter_mut().for_each(|share| *share /= total);
        let place = self.at_least[1..].iter().take_while(|share| draw < **share);
        let place = place.count();
        self.order.clear();
        self.order.extend(&self.others[..place]);
        self.order.push(var);
        self.order.extend(&self.others[place..]);
    }

    /// Adds how likely each of the others was before the variable that was put back.
    fn count(&self, mut before: ndarray::ArrayViewMut1<'_, f64>) {
        for (other, share) in self.others.iter().zip(&self.at_least[1..]) {
            before[*other] += share;
        }
    }

    /// Proposes that two neighbouring blocks change places. The way back is as likely to be
    /// proposed, so the weights of the two orders decide.
    fn swap_blocks(&mut self, rng: &mut impl Rng) {
        let longest = BLOCK.min(self.order.len() / 2);
        if longest == 0 {
            return;
        }
        let start = rng.random_range(0..self.order.len());
        let [first, second] = [(); 2].map(|()| rng.random_range(1..=longest));
        let Some(blocks) = self.order.get(start..start + first + second) else {
            return;
        };
        let (earlier, later) = blocks.split_at(first);
        let gain = |a: &usize| later.iter().map(|b| self.lead[(*a, *b)]).sum::<f64>();
        let gain: f64 = earlier.iter().map(gain).sum();
        if rng.random::<f64>() < gain.exp() {
            self.order[start..start + first + second].rotate_left(first);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{KnowledgeFile, Schema, Variable};
    use proptest::prelude::*;

    fn belief(psi: &Array2<f64>) -> Belief {
        Belief::from_psi(psi).unwrap()
    }

    fn free(belief: &Belief) -> Array2<f64> {
        confidence(belief, &Knowledge::none(belief.n_vars()))
    }

    fn close(found: f64, expected: f64, most: f64) {
        assert!((found - expected).abs() < most, "{found} of {expected}");
    }

    #[test]
    fn of_two_variables_it_is_what_is_believed() {
        let belief = belief(&ndarray::array![[0.0, 0.7], [0.1, 0.0]]);
        let found = free(&belief);
        for at in [(0, 1), (1, 0)] {
            close(found[at], belief.psi()[at], 1e-12);
        }
    }

    #[test]
    fn nothing_learned_is_a_quarter_everywhere() {
        let found = free(&Belief::uninformed(5));
        for ((i, j), p) in found.indexed_iter() {
            close(*p, if i == j { 0.0 } else { 0.25 }, 0.01);
        }
    }

    #[test]
    fn a_circle_shares_its_doubt() {
        // 0 -> 1 -> 2 -> 0 with 0.9 each, nothing backward: w is 1.9 forward, 0.1 backward. Three
        // orders have two of them forward (0.361 each), three have one (0.019 each). 0 is before 1
        // in two of the first and one of the others: 0.741 of 1.14. Then the edge has 1.8 of 1.9.
        let psi = ndarray::array![[0.0, 0.9, 0.0], [0.0, 0.0, 0.9], [0.9, 0.0, 0.0]];
        let found = free(&belief(&psi));
        let expected = 0.741 / 1.14 * 1.8 / 1.9;
        for at in [(0, 1), (1, 2), (2, 0)] {
            close(found[at], expected, 0.01);
        }
    }

    #[test]
    fn pairs_that_hold_together_change_places() {
        // 0 -> 1 and 2 -> 3 are sure, 1 -> 2 and 3 -> 0 are nearly so and cannot both be: either is
        // right half of the time. Moving one variable alone would have to break a sure edge.
        let mut existence = Array2::from_elem((4, 4), -30.0);
        existence.diag_mut().fill(0.0);
        let mut orientation = Array2::zeros((4, 4));
        for ((cause, effect), logit) in
            [((0, 1), 14.0), ((2, 3), 14.0), ((1, 2), 7.0), ((3, 0), 7.0)]
        {
            existence[(cause, effect)] = logit;
            orientation[(cause, effect)] = 30.0;
            orientation[(effect, cause)] = -30.0;
        }
        let belief = Belief::new(existence, orientation).unwrap();
        let (found, expected) = (free(&belief), by_enumeration(&belief));
        for at in [(1, 2), (3, 0)] {
            close(expected[at], 0.5, 0.01);
            close(found[at], expected[at], 0.05);
        }
        close(found[(0, 1)], expected[(0, 1)], 0.01);
    }

    #[test]
    fn surer_edges_decide_for_others() {
        // 0 -> 1 -> 2 are sure, so what is open between 0 and 2 leads from 0 to 2.
        let psi = ndarray::array![[0.0, 0.99, 0.45], [0.0, 0.0, 0.99], [0.45, 0.0, 0.0]];
        let found = free(&belief(&psi));
        assert!(found[(0, 2)] > 0.85 && found[(2, 0)] < 0.05, "{found}");
    }

    #[test]
    fn knowledge_excludes_and_requires() {
        let variables = (0..3).map(|i| Variable::with_codes(format!("v{i}"), 2));
        let schema = Schema::new(variables.collect()).unwrap();
        let pair = |a: &str, b: &str| [a.to_owned(), b.to_owned()];
        let known = KnowledgeFile {
            required: vec![pair("v0", "v1")],
            forbidden: vec![pair("v2", "v1")],
            ..KnowledgeFile::default()
        };
        let known = known.check(&schema).unwrap();
        let found = confidence(&Belief::uninformed(3), &known);
        let [required, reverse, forbidden] = [(0, 1), (1, 0), (2, 1)].map(|at| found[at]);
        close(required, 1.0, 1e-9);
        assert_eq!((forbidden, reverse), (0.0, 0.0));
        // Orders with 0 before 1 and their weights: 012 1, 021 0.5, 201 0.5. An edge 1 -> 2 has one
        // half in the first, 0 -> 2 in the first two.
        close(found[(1, 2)], 0.25, 0.01);
        close(found[(0, 2)], 0.375, 0.01);
    }

    #[test]
    fn no_evidence_outweighs_what_is_required() {
        // v0 -> v1 is required, and everything else says that v1 comes before all, v0 after all.
        let n_vars = 30;
        let variables = (0..n_vars).map(|i| Variable::with_codes(format!("v{i}"), 2));
        let schema = Schema::new(variables.collect()).unwrap();
        let known = KnowledgeFile {
            required: vec![["v0".to_owned(), "v1".to_owned()]],
            ..KnowledgeFile::default()
        };
        let known = known.check(&schema).unwrap();
        let is_sure = |(i, j): (usize, usize)| i != j && (i == 1 || j == 0) && (i, j) != (0, 1);
        let psi = |at| if is_sure(at) { 0.999_999 } else { 0.0 };
        let found = confidence(
            &belief(&Array2::from_shape_fn((n_vars, n_vars), psi)),
            &known,
        );
        close(found[(0, 1)], 1.0, 1e-9);
    }

    #[test]
    fn one_variable_has_no_edge() {
        assert_eq!(free(&Belief::uninformed(1)), Array2::<f64>::zeros((1, 1)));
    }

    /// The same from all orders of the variables.
    fn by_enumeration(belief: &Belief) -> Array2<f64> {
        let n = belief.n_vars();
        let evidence = Evidence::new(belief, &Knowledge::none(n));
        let (mut sums, mut total) = (Array2::zeros((n, n)), 0.0);
        for code in 0..n.pow(n as u32) {
            let place = |var: usize| code / n.pow(var as u32) % n;
            let is_before = |(i, j): (usize, usize)| place(i) < place(j);
            if (0..n).any(|i| (0..i).any(|j| place(i) == place(j))) {
                continue;
            }
            let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
            let before: Vec<_> = pairs.filter(|at| is_before(*at)).collect();
            let weight: f64 = before.iter().map(|at| evidence.forward[*at]).sum();
            total += weight.exp();
            for at in before {
                sums[at] += weight.exp() * evidence.edge_if_before(at);
            }
        }
        sums / total
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn sampling_agrees_with_all_orders(weights in prop::collection::vec([0.001..1.0, 0.001..1.0, 0.001..1.0f64], 10)) {
            let mut psi = Array2::zeros((5, 5));
            let ends = (0..5usize).flat_map(|b| (0..b).map(move |a| (a, b)));
            for ((a, b), [forward, backward, neither]) in ends.zip(weights) {
                let total = forward + backward + neither;
                psi[(a, b)] = forward / total;
                psi[(b, a)] = backward / total;
            }
            let belief = belief(&psi);
            let expected = by_enumeration(&belief);
            for (found, expected) in free(&belief).iter().zip(&expected) {
                prop_assert!((found - expected).abs() < 0.02, "{found} of {expected}");
            }
        }
    }
}
