//! Orders of one clique that begin with none of some sets, each part of the next.
//!
//! Wienöbst, Bannach and Liśkiewicz (2023), the function phi. The sets are numbered from the smallest,
//! and the clique is the last; set j has `n_j` members.
//!
//! | formula | code |
//! |---|---|
//! | `q_j`, the share of orders of set j that begin with no smaller one | `Orders::avoiding` |
//! | `q_j = 1 - sum over i < j of q_i / binomial(n_j, n_i)` | `avoiding` |
//! | the same share, with a before b | `Orders::avoiding_before` |
//! | `phi = n! q` of the clique | `Orders::ln_count` |
//!
//! Where the order of two members is known, all sets are visited with which an order can begin.

use rand::Rng;
use rand::seq::SliceRandom;

use super::chordal::Bag;

/// Sets with which orders begin, at the most, where something is known.
const SETS: usize = 1 << 16;

/// Orders of a clique.
#[derive(Clone, Debug)]
pub(super) struct Orders {
    clique: Vec<usize>,
    /// Size of every set with which an order must not begin, and at last that of the clique.
    sizes: Vec<usize>,
    /// For every member of the clique, the first of these sets that it is in.
    block: Vec<usize>,
    /// q of every set.
    avoiding: Vec<f64>,
    known: Option<Known>,
}

/// Orders of a clique in which some members come before others.
#[derive(Clone, Debug)]
struct Known {
    /// For every member, the set of those that come before it.
    before: Vec<u128>,
    /// By size: sets with which an order can begin, sorted, and the share of their orders that agree.
    starts: Vec<Vec<(u128, f64)>>,
}

impl Orders {
    /// Those in which `known` pairs keep their order; none if there are too many sets to visit.
    pub(super) fn new(bag: &Bag, known: &[(usize, usize)]) -> Option<Self> {
        let place = |var: usize| bag.clique.binary_search(&var).ok();
        let known = known.iter().filter_map(|&(a, b)| place(a).zip(place(b)));
        let known: Vec<(usize, usize)> = known.collect();
        let block = |var: &usize| {
            let without = bag.prefixes.iter().filter(|set| !set.contains(var));
            without.count()
        };
        let sizes = bag.prefixes.iter().map(Vec::len);
        let sizes: Vec<usize> = sizes.chain([bag.clique.len()]).collect();
        let mut orders = Self {
            block: bag.clique.iter().map(block).collect(),
            clique: bag.clique.clone(),
            avoiding: avoiding(&sizes),
            sizes,
            known: None,
        };
        if !known.is_empty() {
            orders.known = Some(orders.visit(&known)?);
        }
        Some(orders)
    }

    fn len(&self) -> usize {
        self.clique.len()
    }

    /// The share of all orders that these are.
    fn share(&self) -> f64 {
        match &self.known {
            Some(known) => known.starts[self.len()].first().map_or(0.0, |(_, f)| *f),
            None => self.avoiding[self.sizes.len() - 1],
        }
    }

    /// Logarithm of their number.
    pub(super) fn ln_count(&self) -> f64 {
        let factorial: f64 = (1..=self.len()).map(|n| (n as f64).ln()).sum();
        factorial + self.share().ln()
    }

    /// Every pair of the clique once, and the share of orders that have it this way round.
    pub(super) fn shares(&self) -> Vec<((usize, usize), f64)> {
        let pairs = (0..self.len()).flat_map(|a| (a + 1..self.len()).map(move |b| (a, b)));
        let named = |(a, b)| (self.clique[a], self.clique[b]);
        if let Some(known) = &self.known {
            let before = self.count_before(known);
            return pairs.map(|(a, b)| (named((a, b)), before[a][b])).collect();
        }
        let last = self.sizes.len() - 1;
        let free = |(a, b): (usize, usize)| {
            let (i, j) = (self.block[a], self.block[b]);
            let ahead = self.avoiding_before(i.min(j), i.max(j)) / self.avoiding[last];
            if i <= j { ahead } else { 1.0 - ahead }
        };
        pairs.map(|at| (named(at), free(at))).collect()
    }

    /// The share of all orders of the clique that begin with no set and have a member of block i before
    /// one of block j, i <= j.
    fn avoiding_before(&self, i: usize, j: usize) -> f64 {
        if i == j {
            return self.avoiding[self.sizes.len() - 1] / 2.0;
        }
        let mut found: Vec<f64> = Vec::with_capacity(self.sizes.len());
        for (at, &size) in self.sizes.iter().enumerate() {
            let smaller = |of: usize| {
                let ahead = match of {
                    // Neither of the two is in this set.
                    _ if of < i => self.avoiding[of] / 2.0,
                    _ if of < j => self.avoiding[of],
                    _ => found[of],
                };
                ahead / binomial(size, self.sizes[of])
            };
            let beginning: f64 = (0..at).map(smaller).sum();
            found.push(0.5 - beginning);
        }
        found[self.sizes.len() - 1]
    }

    /// One of them by chance; at least half of all orders begin with none of the sets.
    pub(super) fn sample(&self, rng: &mut impl Rng) -> Vec<usize> {
        let order = match &self.known {
            Some(known) => self.sample_known(known, rng),
            None => self.sample_free(rng),
        };
        order.into_iter().map(|at| self.clique[at]).collect()
    }

    fn sample_free(&self, rng: &mut impl Rng) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        loop {
            order.shuffle(rng);
            // The largest block so far: a set is complete if so many come from it and smaller ones.
            let mut largest = 0;
            let begins = order.iter().zip(1..self.len()).any(|(at, size)| {
                largest = largest.max(self.block[*at]);
                self.sizes[largest] == size
            });
            if !begins {
                return order;
            }
        }
    }

    fn is_excluded(&self, start: u128) -> bool {
        let size = start.count_ones() as usize;
        let Some(set) = self.sizes.iter().position(|s| *s == size) else {
            return false;
        };
        let inside = |at: usize| start >> at & 1 == 0 || self.block[at] <= set;
        set + 1 < self.sizes.len() && (0..self.len()).all(inside)
    }

    fn visit(&self, known: &[(usize, usize)]) -> Option<Known> {
        let n = self.len();
        if n > 128 {
            return None;
        }
        let mut before = vec![0u128; n];
        for &(a, b) in known {
            before[b] |= 1 << a;
        }
        let mut starts = vec![vec![(0u128, 1.0)]];
        let mut n_sets = 1;
        for size in 1..=n {
            let mut next = std::collections::BTreeMap::new();
            for &(start, share) in &starts[size - 1] {
                for at in followers(start, &before) {
                    *next.entry(start | 1 << at).or_insert(0.0) += share / size as f64;
                }
            }
            n_sets += next.len();
            if n_sets > SETS {
                return None;
            }
            let agreeing = next.into_iter().filter(|(set, _)| !self.is_excluded(*set));
            starts.push(agreeing.collect());
        }
        Some(Known { before, starts })
    }

    /// For every pair, the share of orders that agree and have the first before the second.
    fn count_before(&self, known: &Known) -> Vec<Vec<f64>> {
        let n = self.len();
        let mut before = vec![vec![0.0; n]; n];
        // The share of orders of the rest that agree, if an order begins with a set.
        let mut ends = vec![1.0; known.starts[n].len()];
        for size in (0..n).rev() {
            let larger = &known.starts[size + 1];
            // All steps from this size to the next are this share of all orders each.
            let step = 1.0 / (self.share() * n as f64 * binomial(n - 1, size));
            let mut these = Vec::with_capacity(known.starts[size].len());
            for &(start, share) in &known.starts[size] {
                let mut end = 0.0;
                for at in followers(start, &known.before) {
                    let whole = start | 1 << at;
                    let Ok(place) = larger.binary_search_by_key(&whole, |(set, _)| *set) else {
                        continue;
                    };
                    end += ends[place] / (n - size) as f64;
                    let weight = step * share * ends[place];
                    let later = (0..n).filter(|b| whole >> b & 1 == 0);
                    later.for_each(|b| before[at][b] += weight);
                }
                these.push(end);
            }
            ends = these;
        }
        before
    }

    /// From the last member to the first, each in proportion to the orders that are left.
    fn sample_known(&self, known: &Known, rng: &mut impl Rng) -> Vec<usize> {
        let mut set = known.starts[self.len()][0].0;
        let mut order = Vec::with_capacity(self.len());
        for size in (0..self.len()).rev() {
            let smaller = &known.starts[size];
            let weight = |at: usize| {
                let start = set & !(1 << at);
                let can_end = start != set && known.before[at] & !start == 0;
                let found = smaller.binary_search_by_key(&start, |(set, _)| *set);
                found
                    .ok()
                    .filter(|_| can_end)
                    .map_or(0.0, |at| smaller[at].1)
            };
            let weights: Vec<f64> = (0..self.len()).map(weight).collect();
            let last = by_weight(&weights, rng);
            set &= !(1 << last);
            order.push(last);
        }
        order.reverse();
        order
    }
}

/// Members with which an order goes on after a set.
fn followers(start: u128, before: &[u128]) -> impl Iterator<Item = usize> + '_ {
    let can = move |at: &usize| start >> at & 1 == 0 && before[*at] & !start == 0;
    (0..before.len()).filter(can)
}

/// Draws a place in proportion to its weight; some weight is above zero.
pub(super) fn by_weight(weights: &[f64], rng: &mut impl Rng) -> usize {
    use rand::RngExt;
    let mut left = rng.random::<f64>() * weights.iter().sum::<f64>();
    let mut likely = 0;
    for (at, weight) in weights.iter().enumerate().filter(|(_, w)| **w > 0.0) {
        likely = at;
        left -= weight;
        if left < 0.0 {
            break;
        }
    }
    likely
}

/// q of sets of these sizes, each part of the next.
fn avoiding(sizes: &[usize]) -> Vec<f64> {
    let mut found: Vec<f64> = Vec::with_capacity(sizes.len());
    for &size in sizes {
        let smaller = found.iter().zip(sizes);
        let beginning = smaller.map(|(q, smaller)| q / binomial(size, *smaller));
        let beginning: f64 = beginning.sum();
        found.push(1.0 - beginning);
    }
    found
}

fn binomial(n: usize, k: usize) -> f64 {
    let k = k.min(n - k);
    (0..k).fold(1.0, |found, i| found * (n - i) as f64 / (i + 1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Seed;

    fn bag(n: usize, prefixes: &[usize]) -> Bag {
        let prefixes = prefixes.iter().map(|size| (0..*size).collect());
        Bag {
            clique: (0..n).collect(),
            prefixes: prefixes.collect(),
        }
    }

    fn orders(n: usize, prefixes: &[usize], known: &[(usize, usize)]) -> Orders {
        Orders::new(&bag(n, prefixes), known).unwrap()
    }

    /// By definition: all orders of `0..n` that agree.
    fn all(n: usize, prefixes: &[usize], known: &[(usize, usize)]) -> Vec<Vec<usize>> {
        let mut found = vec![vec![]];
        for at in 0..n {
            let places = |order: Vec<usize>| {
                (0..=at).map(move |place| {
                    let mut order = order.clone();
                    order.insert(place, at);
                    order
                })
            };
            found = found.into_iter().flat_map(places).collect();
        }
        let begins = |order: &[usize], size: usize| order[..size].iter().all(|v| *v < size);
        let place = |order: &[usize], var| order.iter().position(|v| *v == var);
        found.retain(|order| {
            !prefixes.iter().any(|size| begins(order, *size))
                && known
                    .iter()
                    .all(|(a, b)| place(order, *a) < place(order, *b))
        });
        found
    }

    #[test]
    fn orders_are_counted_by_hand() {
        // 3! of three; without those that begin with 0, 4; without 0 and 01, 3: 102 begins with 01 too.
        assert!((orders(3, &[], &[]).ln_count() - 6f64.ln()).abs() < 1e-12);
        assert!((orders(3, &[1], &[]).ln_count() - 4f64.ln()).abs() < 1e-12);
        assert!((orders(3, &[1, 2], &[]).ln_count() - 3f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn counts_and_shares_are_those_of_all_orders() {
        let known: [&[(usize, usize)]; 5] = [
            &[],
            &[(0, 1)],
            &[(4, 0)],
            &[(1, 3), (2, 3)],
            &[(3, 1), (1, 4), (2, 0)],
        ];
        let prefixes: [&[usize]; 6] = [&[], &[1], &[2, 3], &[4], &[1, 2, 3, 4], &[1, 4]];
        for (known, prefixes) in known
            .iter()
            .flat_map(|k| prefixes.iter().map(move |p| (k, p)))
        {
            let (found, all) = (orders(5, prefixes, known), all(5, prefixes, known));
            assert!(
                (found.ln_count().exp() - all.len() as f64).abs() < 1e-9,
                "{known:?}"
            );
            if all.is_empty() {
                continue;
            }
            for ((a, b), share) in found.shares() {
                let place = |order: &[usize], var| order.iter().position(|v| *v == var);
                let ahead = all.iter().filter(|o| place(o, a) < place(o, b)).count();
                let expected = ahead as f64 / all.len() as f64;
                assert!(
                    (share - expected).abs() < 1e-12,
                    "{known:?} {prefixes:?} {a} {b}"
                );
            }
        }
    }

    #[test]
    fn every_order_is_drawn_equally_often() {
        for known in [&[][..], &[(1, 2)], &[(3, 0), (2, 1)]] {
            let (orders, all) = (orders(4, &[1, 3], known), all(4, &[1, 3], known));
            let mut rng = Seed::new(3).rng();
            let draws = 1000 * all.len();
            let drawn: Vec<_> = (0..draws).map(|_| orders.sample(&mut rng)).collect();
            for order in all {
                // Five standard deviations of a count of 1000.
                let count = drawn.iter().filter(|o| **o == order).count();
                assert!(count.abs_diff(1000) < 160, "{order:?} {count}");
            }
        }
    }

    #[test]
    fn too_many_sets_are_not_visited() {
        assert!(Orders::new(&bag(30, &[]), &[(0, 1)]).is_none());
        assert!(Orders::new(&bag(30, &[]), &[]).is_some());
    }

    #[test]
    fn knowledge_in_a_circle_leaves_no_order() {
        assert_eq!(
            orders(3, &[], &[(0, 1), (1, 2), (2, 0)]).ln_count(),
            f64::NEG_INFINITY
        );
    }
}
