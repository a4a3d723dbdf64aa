//! A good order of a large part, by insertion moves.
//!
//! Two greedy starts (from the front, from the back), each improved by moving one variable at a
//! time to its best place until nothing moves; then the better of the two is shaken and improved
//! again a fixed number of times, keeping what is not worse. Every decision looks at weights and
//! places, never at a variable's number, except to break exact ties in the starts.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::part::Part;
use crate::seed::Seed;

/// How often the best order is shaken; more costs time in proportion.
const SHAKES: usize = 200;

/// A cheap order that keeps what must come first in front.
///
/// Complexity: O(n^2) per sweep over all variables; 200 shakes of a few sweeps each.
pub(super) fn order(part: &Part) -> Vec<usize> {
    let mut from_the_back = greedy(&part.reversed());
    from_the_back.reverse();
    let starts = [greedy(part), from_the_back];
    let [front, back] = starts.map(|start| Search::new(part, start).improve());
    let best = if back.cost < front.cost { back } else { front };
    // A fixed stream that picks places, not variables: the same problem always has one answer.
    let mut rng = Seed::new(0).derive("extract", part.n).rng();
    (0..SHAKES)
        .fold(best, |best, _| {
            let next = best.clone().shake(&mut rng).improve();
            if next.cost <= best.cost { next } else { best }
        })
        .order
}

/// Repeatedly takes the variable with the largest surplus of outgoing over incoming weight among
/// the rest; ties go to the larger outgoing weight in all, then to the smaller number.
fn greedy(part: &Part) -> Vec<usize> {
    let n = part.n;
    let sum = |weight: &dyn Fn(usize) -> i64| (0..n).map(weight).sum::<i64>();
    let out: Vec<i64> = (0..n).map(|v| sum(&|u| part.weight(v, u))).collect();
    let mut surplus: Vec<i64> = (0..n)
        .map(|v| out[v] - sum(&|u| part.weight(u, v)))
        .collect();
    let mut missing: Vec<usize> = (0..n).map(|v| part.before[v].len()).collect();
    let mut rest: Vec<usize> = (0..n).collect();
    let mut order = Vec::with_capacity(n);
    while !rest.is_empty() {
        let free = rest.iter().copied().filter(|v| missing[*v] == 0);
        let next = free
            .max_by_key(|&v| (surplus[v], out[v], std::cmp::Reverse(v)))
            .expect("edges that must stay have no cycle");
        order.push(next);
        rest.retain(|v| *v != next);
        part.after[next].iter().for_each(|&v| missing[v] -= 1);
        for &v in &rest {
            surplus[v] += part.weight(next, v) - part.weight(v, next);
        }
    }
    order
}

#[derive(Clone)]
struct Search<'a> {
    part: &'a Part,
    order: Vec<usize>,
    /// Place of every variable in `order`.
    place: Vec<usize>,
    cost: i64,
}

impl<'a> Search<'a> {
    fn new(part: &'a Part, order: Vec<usize>) -> Self {
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &v)| place[v] = at);
        let cost = part.cost(&order);
        Self {
            part,
            order,
            place,
            cost,
        }
    }

    /// Sweeps over the variables in their present order until none has a better place.
    fn improve(mut self) -> Self {
        loop {
            let before = self.cost;
            for var in self.order.clone() {
                let (gain, to) = self.best_place(var);
                if gain > 0 {
                    self.move_to(var, to);
                    self.cost -= gain;
                }
            }
            if self.cost == before {
                return self;
            }
        }
    }

    /// Moves some variables to random places that they may take.
    fn shake(mut self, rng: &mut ChaCha8Rng) -> Self {
        let n = self.order.len();
        for _ in 0..3 + n / 20 {
            let var = self.order[rng.random_range(0..n)];
            let (first, last) = self.window(var);
            self.move_to(var, rng.random_range(first..=last));
        }
        self.cost = self.part.cost(&self.order);
        self
    }

    /// First and last place that `var` may take while the others stay in order.
    fn window(&self, var: usize) -> (usize, usize) {
        let places = |vars: &'a [usize]| vars.iter().map(|v| self.place[*v]);
        let first = places(&self.part.before[var]).max().map_or(0, |at| at + 1);
        let last = places(&self.part.after[var]).min();
        (first, last.map_or(self.order.len() - 1, |at| at - 1))
    }

    /// The largest gain that moving `var` brings, and the place that brings it.
    fn best_place(&self, var: usize) -> (i64, usize) {
        let here = self.place[var];
        let (first, last) = self.window(var);
        // Gain of having `var` before `other` rather than after it.
        let ahead = |other: usize| self.part.weight(var, other) - self.part.weight(other, var);
        let mut best = (0, here);
        let mut gain = 0;
        for at in (first..here).rev() {
            gain += ahead(self.order[at]);
            if gain > best.0 {
                best = (gain, at);
            }
        }
        gain = 0;
        for at in here + 1..=last {
            gain -= ahead(self.order[at]);
            if gain > best.0 {
                best = (gain, at);
            }
        }
        best
    }

    fn move_to(&mut self, var: usize, to: usize) {
        let from = self.place[var];
        let (low, high) = (from.min(to), from.max(to));
        if from < to {
            self.order[low..=high].rotate_left(1);
        } else {
            self.order[low..=high].rotate_right(1);
        }
        for at in low..=high {
            self.place[self.order[at]] = at;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::exact;
    use super::*;
    use crate::variable::VarId;
    use proptest::prelude::*;

    /// Every pair is joined one way or the other; some edges, all pointing up, must stay.
    fn tournament(n: usize, seed: u64) -> Part {
        let mut rng = Seed::new(seed).rng();
        let members: Vec<VarId> = (0..n).map(VarId).collect();
        let mut edges = Vec::new();
        for i in 0..n {
            for j in i + 1..n {
                let up = rng.random::<bool>();
                let (cause, effect) = if up { (i, j) } else { (j, i) };
                let free = !(up && rng.random_range(0..20) == 0);
                let weight = free.then(|| rng.random_range(0.01..5.0));
                edges.push((VarId(cause), VarId(effect), weight));
            }
        }
        Part::new(&members, &edges)
    }

    #[test]
    fn small_parts_come_out_optimal() {
        for seed in 0..30 {
            let part = tournament(12, seed);
            let (local, exact) = (order(&part), exact::order(&part));
            assert_eq!(part.cost(&local), part.cost(&exact), "seed {seed}");
        }
    }

    proptest! {
        #[test]
        fn gains_add_up_and_constraints_hold(n in 2..40usize, seed in 0..1000u64) {
            let part = tournament(n, seed);
            let start = greedy(&part);
            prop_assert!(part.permits(&start));
            let mut rng = Seed::new(seed).rng();
            let found = Search::new(&part, start).shake(&mut rng).improve();
            prop_assert!(part.permits(&found.order));
            prop_assert_eq!(found.cost, part.cost(&found.order));
        }
    }
}
