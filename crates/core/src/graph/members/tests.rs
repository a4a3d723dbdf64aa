use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;
use crate::graph::Digraph;
use crate::graph::cpdag::tests::members;

fn dag(n: usize, edges: &[(usize, usize)]) -> Dag {
    let edges = edges.iter().map(|&(c, e)| (VarId(c), VarId(e)));
    Dag::try_from(Digraph::from_edges(n, edges)).unwrap()
}

fn class(n: usize, edges: &[(usize, usize)]) -> Cpdag {
    Cpdag::of(&dag(n, edges))
}

fn free(class: &Cpdag) -> Array2<f64> {
    class.shares(&Knowledge::none(class.n_vars()))
}

fn without(n: usize, forbidden: &[(usize, usize)]) -> Knowledge {
    Knowledge::new(Dag::empty(n), |c, e| {
        !forbidden.contains(&(c.index(), e.index()))
    })
}

fn close(found: f64, expected: f64, most: f64) {
    assert!((found - expected).abs() < most, "{found} of {expected}");
}

#[test]
fn a_chain_of_three_has_three_members() {
    // 0 -> 1 -> 2, 0 <- 1 -> 2 and 0 <- 1 <- 2: each edge points away from 1 in two of three.
    let class = class(3, &[(0, 1), (1, 2)]);
    assert_eq!(class.n_members(), 3.0);
    let shares = free(&class);
    for (outward, inward) in [((1, 0), (0, 1)), ((1, 2), (2, 1))] {
        close(shares[outward], 2.0 / 3.0, 1e-11);
        close(shares[inward], 1.0 / 3.0, 1e-11);
    }
    assert_eq!(shares[(0, 2)], 0.0);
}

#[test]
fn a_triangle_has_all_six_orders() {
    let class = class(3, &[(0, 1), (1, 2), (0, 2)]);
    assert_eq!(class.n_members(), 6.0);
    for ((i, j), share) in free(&class).indexed_iter() {
        close(*share, if i == j { 0.0 } else { 0.5 }, 1e-12);
    }
}

#[test]
fn a_star_has_a_member_for_every_source() {
    // Five leaves: the centre is the source, or one leaf is. An edge points outward in five of six.
    let class = class(6, &[(0, 1), (0, 2), (0, 3), (0, 4), (0, 5)]);
    assert_eq!(class.n_members(), 6.0);
    close(free(&class)[(0, 3)], 5.0 / 6.0, 1e-11);
}

#[test]
fn a_flag_is_counted_by_hand() {
    // 0 - 1 and a triangle 1 2 3. Source 0: 0 -> 1 -> 2, 3 and the last edge is open: 2. Source 1: the
    // same: 2. Source 2: 2 -> 1 -> 0, 1 -> 3 (or 3 -> 1 -> 0): 2. Source 3: 2. Of eight, 0 -> 1 in two;
    // 1 -> 2 with source 0, with source 1, and with source 3 in one of two: 5.
    let class = class(4, &[(0, 1), (1, 2), (1, 3), (2, 3)]);
    assert_eq!(class.n_members(), 8.0);
    let shares = free(&class);
    close(shares[(0, 1)], 2.0 / 8.0, 1e-12);
    close(shares[(1, 2)], 5.0 / 8.0, 1e-12);
    close(shares[(2, 3)], 4.0 / 8.0, 1e-12);
}

#[test]
fn parts_are_independent_and_directed_edges_are_sure() {
    // 0 - 1, 2 - 3 - 4, and 5 -> 6 <- 7.
    let class = class(8, &[(0, 1), (2, 3), (3, 4), (5, 6), (7, 6)]);
    assert_eq!(class.n_members(), 6.0);
    let shares = free(&class);
    assert_eq!(
        (shares[(5, 6)], shares[(6, 5)], shares[(5, 7)]),
        (1.0, 0.0, 0.0)
    );
    close(shares[(3, 4)], 2.0 / 3.0, 1e-11);
    let known = Knowledge::none(8);
    let all = Members::new(&class, &known);
    let parts: Vec<_> = all
        .parts()
        .map(|(vars, ln)| (vars.len(), ln.exp().round()))
        .collect();
    assert_eq!(parts, [(2, 2.0), (3, 3.0)]);
}

#[test]
fn what_is_known_leaves_fewer_members() {
    // Chain 0 - 1 - 2 without 1 -> 0: only 0 -> 1 -> 2 is left.
    let chain = class(3, &[(0, 1), (1, 2)]);
    let shares = chain.shares(&without(3, &[(1, 0)]));
    assert_eq!((shares[(0, 1)], shares[(1, 2)]), (1.0, 1.0));
    // Triangle without 1 -> 0: three of six orders have 0 before 1; 2 comes before 0 in one of them.
    let triangle = class(3, &[(0, 1), (1, 2), (0, 2)]);
    let shares = triangle.shares(&without(3, &[(1, 0)]));
    assert_eq!(shares[(0, 1)], 1.0);
    close(shares[(2, 0)], 1.0 / 3.0, 1e-11);
}

#[test]
fn knowledge_that_no_member_has_is_left_aside_in_its_part() {
    // 0 -> 1 <- 2 is no member. The part 3 - 4 keeps what is known of it.
    let class = class(5, &[(0, 1), (1, 2), (3, 4)]);
    let shares = class.shares(&without(5, &[(1, 0), (1, 2), (4, 3)]));
    close(shares[(1, 0)], 2.0 / 3.0, 1e-11);
    assert_eq!(shares[(3, 4)], 1.0);
}

#[test]
fn large_parts_are_counted_in_a_moment() {
    let start = Instant::now();
    let path: Vec<_> = (0..99).map(|v| (v, v + 1)).collect();
    let path = class(100, &path);
    close(path.n_members(), 100.0, 1e-6);
    // Left to right exactly if the source is not to the right.
    close(free(&path)[(29, 30)], 0.3, 1e-11);

    let clique: Vec<_> = (0..20)
        .flat_map(|a| (a + 1..20).map(move |b| (a, b)))
        .collect();
    let clique = class(20, &clique);
    let factorial: f64 = (1..=20).map(f64::from).product();
    close(clique.n_members() / factorial, 1.0, 1e-12);
    close(free(&clique)[(3, 17)], 0.5, 1e-12);

    // Every variable is joined to the five before it.
    let band = (1..100usize).flat_map(|b| (b.saturating_sub(5)..b).map(move |a| (a, b)));
    let band = class(100, &band.collect::<Vec<_>>());
    let shares = free(&band);
    // Its mirror image has the same members.
    close(shares[(10, 13)], shares[(89, 86)], 1e-11);
    assert!(start.elapsed() < Duration::from_secs(if cfg!(debug_assertions) { 10 } else { 1 }));
}

#[test]
fn what_is_known_in_a_large_clique_is_found_by_drawing() {
    // 0 before 1 among 20: 2 lies after both in a third of the orders, between them in a third.
    let clique: Vec<_> = (0..20)
        .flat_map(|a| (a + 1..20).map(move |b| (a, b)))
        .collect();
    let class = class(20, &clique);
    let known = without(20, &[(1, 0)]);
    let shares = class.shares(&known);
    assert_eq!(shares[(0, 1)], 1.0);
    close(shares[(0, 2)], 2.0 / 3.0, 0.03);
    assert_eq!(shares, class.shares(&known));
    let all = Members::new(&class, &known);
    let mut rng = Seed::new(1).rng();
    assert!((0..20).all(|_| all.sample(&mut rng).has_edge(VarId(0), VarId(1))));
    let half: f64 = (3..=20).map(|n| f64::from(n).ln()).sum();
    close(all.ln_count(), half, 0.05);
}

#[test]
fn every_member_is_drawn_equally_often() {
    // The flag has eight members, the triangle beside it six.
    let class = class(7, &[(0, 1), (1, 2), (1, 3), (2, 3), (4, 5), (5, 6), (4, 6)]);
    let known = Knowledge::none(7);
    let all = Members::new(&class, &known);
    let mut rng = Seed::new(5).rng();
    let mut counts = std::collections::BTreeMap::new();
    for _ in 0..48_000 {
        let member = all.sample(&mut rng);
        assert_eq!(Cpdag::of(&member), class);
        let edges: Vec<_> = member.edges().collect();
        *counts.entry(edges).or_insert(0usize) += 1;
    }
    assert_eq!(counts.len(), 48);
    // Five standard deviations of a count of 1000.
    assert!(
        counts.values().all(|count| count.abs_diff(1000) < 160),
        "{counts:?}"
    );
}

#[test]
fn one_member_is_drawn_where_nothing_is_open() {
    let collider = dag(3, &[(0, 1), (2, 1)]);
    let class = Cpdag::of(&collider);
    assert_eq!(class.n_members(), 1.0);
    assert_eq!(class.sample_member(&mut Seed::new(0).rng()), collider);
}

#[test]
fn a_graph_that_is_no_class_is_told_from_one() {
    // A square without a chord; and 0 - 1 with a way back over 2.
    let square = dag(4, &[(0, 1), (1, 2), (0, 3), (3, 2)]);
    assert!(!Cpdag::opened(&square, square.edges()).has_members());
    let detour = dag(3, &[(0, 1), (0, 2), (2, 1)]);
    assert!(!Cpdag::opened(&detour, [(VarId(0), VarId(1))]).has_members());
    assert!(Cpdag::of(&square).has_members() && Cpdag::of(&detour).has_members());
}

/// A graph over six variables or fewer and what was intervened on.
fn study() -> impl Strategy<Value = (Dag, Vec<VarSet>)> {
    let pairs = prop::collection::vec(prop::bool::weighted(0.7), 15);
    let order = Just([0usize, 1, 2, 3, 4, 5]).prop_shuffle();
    let targets = prop::collection::vec(prop::collection::vec(0..6usize, 1..3), 0..2);
    (2..=6usize, pairs, order, targets).prop_map(|(n, pairs, order, targets)| {
        let ids: Vec<usize> = order.into_iter().filter(|v| *v < n).collect();
        let all = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
        let chosen = all.zip(&pairs).filter(|(_, keep)| **keep);
        let edges: Vec<_> = chosen.map(|((i, j), _)| (ids[i], ids[j])).collect();
        let sets = targets
            .iter()
            .map(|set| set.iter().copied().filter(|v| *v < n));
        let sets = sets.map(|set| VarSet::from_members(n, set.map(VarId)));
        (dag(n, &edges), sets.collect())
    })
}

/// The share of these graphs with every edge.
fn counted(n: usize, members: &[Digraph]) -> Array2<f64> {
    let share = |(i, j)| {
        let having = members.iter().filter(|g| g.has_edge(VarId(i), VarId(j)));
        having.count() as f64 / members.len() as f64
    };
    Array2::from_shape_fn((n, n), share)
}

/// By definition: what is known counts in every part where some member agrees.
fn agreeing(class: &Cpdag, all: &[Digraph], known: &Knowledge) -> Vec<Digraph> {
    let agrees = |graph: &Digraph, part: &[VarId]| {
        let inside = |(c, e): &(VarId, VarId)| {
            part.contains(c) && part.contains(e) && class.has_undirected(*c, *e)
        };
        graph
            .edges()
            .filter(inside)
            .all(|(c, e)| known.allows(c, e))
    };
    let mut left = all.to_vec();
    for part in parts(class) {
        if left.iter().any(|graph| agrees(graph, &part)) {
            left.retain(|graph| agrees(graph, &part));
        }
    }
    left
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn counts_and_shares_are_those_of_all_members((dag, targets) in study()) {
        let class = Cpdag::interventional(&dag, &targets);
        let mut regimes = targets;
        regimes.push(VarSet::empty(dag.n_vars()));
        let all = members(&dag, &regimes);
        prop_assert!(class.has_members());
        prop_assert_eq!(class.n_members(), all.len() as f64);
        let (found, expected) = (free(&class), counted(dag.n_vars(), &all));
        for (found, expected) in found.iter().zip(&expected) {
            prop_assert!((found - expected).abs() < 1e-11, "{found} of {expected}");
        }
    }

    #[test]
    fn with_knowledge_they_are_those_of_all_that_agree(
        (dag, targets) in study(),
        forbidden in prop::collection::vec((0..6usize, 0..6usize), 0..6),
    ) {
        let n = dag.n_vars();
        let class = Cpdag::interventional(&dag, &targets);
        let known = without(n, &forbidden);
        let mut regimes = targets;
        regimes.push(VarSet::empty(n));
        let left = agreeing(&class, &members(&dag, &regimes), &known);
        let all = Members::new(&class, &known);
        prop_assert_eq!(all.ln_count().exp().round(), left.len() as f64);
        for (found, expected) in all.shares().iter().zip(&counted(n, &left)) {
            prop_assert!((found - expected).abs() < 1e-11, "{found} of {expected}");
        }
        let drawn = all.sample(&mut Seed::new(2).rng()).into_digraph();
        prop_assert!(left.contains(&drawn));
    }

    #[test]
    fn exact_shares_do_not_depend_on_the_order_of_variables(
        (dag, targets) in study(),
        order in Just([0usize, 1, 2, 3, 4, 5]).prop_shuffle(),
    ) {
        let class = Cpdag::interventional(&dag, &targets);
        let n = class.n_vars();
        let new_id: Vec<VarId> = order.into_iter().filter(|v| *v < n).map(VarId).collect();
        let (shares, renamed) = (free(&class), free(&class.relabel(&new_id)));
        for ((i, j), share) in shares.indexed_iter() {
            prop_assert_eq!(*share, renamed[(new_id[i].index(), new_id[j].index())]);
        }
    }
}
