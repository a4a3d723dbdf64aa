//! Grafting: an edge that learning does not believe in comes in if the counted rows show it.
//!
//! ENCO's penalty of existence asks each edge for the same gain per row. An edge whose cause is rare
//! (asia -> tub: one row in a hundred) or that decides little among other parents gains less and is
//! never learned, though a test on all rows is sure of it; its absence then keeps false edges alive
//! that stand for it. The statistics and the rule are those of [`fedcdi_core::grafting`]: every pair
//! without an edge is tested given the parents of either side.
//!
//! Edges come in only while the graph rests, one per effect and round, the surest first: before,
//! pairs depend on each other through parents that are still to be learned. One that is in stays
//! while its own test, given the other parents, speaks for it ([`crate::independence::pruning`]); its direction is
//! learned on.
//!
//! Complexity: O(P n log n) for the tests of P pairs on n rows; pairs whose tables the rows cannot
//! fill are left out beforehand.

use std::collections::BTreeSet;

use fedcdi_core::{Belief, BeliefError, EdgeTest, Grafting, Pruning, TestedGraph, VarId};
use rayon::prelude::*;

use crate::fit::edge_rules::EdgeRules;
use crate::fit::samples::Samples;
use crate::independence::counts::{Codes, MAX_COMBINATIONS};
use crate::independence::pruning::{self, members, rows_without, test};
use crate::independence::strata::is_filled;

/// What counted rows change in a belief.
#[derive(Clone, Copy, Debug)]
pub struct Correction<'a> {
    /// The rows.
    pub samples: &'a Samples,
    /// Edges that are known.
    pub rules: &'a EdgeRules,
    /// Which edges go.
    pub pruning: Pruning,
    /// Which come in.
    pub grafting: Grafting,
}

impl Correction<'_> {
    /// `belief` with the edges that came in before, and without those that go; if the graph
    /// `rests`, others may come in.
    ///
    /// # Errors
    /// [`BeliefError`] cannot come from a belief over the same variables as the rows.
    pub fn apply(
        &self,
        belief: &Belief,
        grafts: &mut Grafts,
        rests: bool,
    ) -> Result<Belief, BeliefError> {
        let grown = grafts.into_belief(belief)?;
        let pruned = pruning::prune(&grown, self.samples, self.rules, self.pruning)?;
        grafts.keep_those_in(&pruned);
        if !rests {
            return Ok(pruned);
        }
        grafts.extend(
            (self.pruning, self.grafting),
            &pruned,
            self.samples,
            self.rules,
        );
        grafts.into_belief(&pruned)
    }
}

/// Edges that came in by their tests.
#[derive(Clone, Debug, Default)]
pub struct Grafts(BTreeSet<(usize, usize)>);

impl Grafts {
    /// Looks for edges that `belief` lacks.
    pub fn extend(
        &mut self,
        (pruning, grafting): (Pruning, Grafting),
        belief: &Belief,
        samples: &Samples,
        rules: &EdgeRules,
    ) {
        if grafting == Grafting::Never {
            return;
        }
        let allows = |c: VarId, e: VarId| rules.existence_is_open(c.0, e.0);
        let new = grafting.surest(pruning, belief, tests(belief, samples, 0.0), allows);
        self.0.extend(new.iter().map(|(c, e)| (c.0, e.0)));
    }

    /// `belief` with these edges.
    ///
    /// # Errors
    /// [`BeliefError`] cannot come from a belief over the same variables.
    pub fn into_belief(&self, belief: &Belief) -> Result<Belief, BeliefError> {
        let mut existence = belief.existence().clone();
        for edge in &self.0 {
            existence[*edge] = existence[*edge].max(Grafting::EXISTENCE);
        }
        belief.with_existence(existence)
    }

    /// Forgets the edges that `belief` has lost, by a test or by its direction.
    pub fn keep_those_in(&mut self, belief: &Belief) {
        let (existence, orientation) = (belief.existence(), belief.orientation());
        self.0
            .retain(|edge| existence[*edge] > 0.0 && orientation[*edge] > 0.0);
    }
}

/// Tests of every pair that `belief` leaves unconnected, in both directions, given the parents of its
/// effect; sorted by edge. Those that the rows are too few for are left out.
pub fn tests(belief: &Belief, samples: &Samples, smallest_cell: f64) -> Vec<EdgeTest> {
    let effects = (0..samples.n_vars()).into_par_iter();
    let graph = TestedGraph::of(belief);
    let mut tests: Vec<EdgeTest> = effects
        .flat_map_iter(|effect| tests_of(&graph, samples, effect, smallest_cell))
        .collect();
    tests.sort_unstable_by_key(EdgeTest::edge);
    tests
}

fn tests_of(
    graph: &TestedGraph,
    samples: &Samples,
    effect: usize,
    smallest_cell: f64,
) -> Vec<EdgeTest> {
    let rows = rows_without(samples, effect);
    let parents = members(graph.parents(VarId(effect)));
    let Some(n_strata) = n_combinations(samples, &rows, &parents) else {
        return Vec::new();
    };
    let size = |var| samples.n_categories(var);
    let causes = (0..samples.n_vars()).filter(|&cause| {
        let connected = graph.connects(VarId(cause), VarId(effect));
        let absent = cause != effect && !connected;
        absent && is_filled(rows.len(), n_strata, [size(cause), size(effect)])
    });
    causes
        .filter_map(|cause| test(samples, &rows, (cause, effect), &parents, smallest_cell))
        .collect()
}

/// Combinations of the values of `vars` that occur; `None` if they are too many to be numbered, or
/// real numbers.
fn n_combinations(samples: &Samples, rows: &[u32], vars: &[usize]) -> Option<usize> {
    let sizes = vars.iter().map(|v| samples.n_categories(*v) as f64);
    let real = vars.iter().any(|v| samples.is_real(*v));
    let below = sizes.product::<f64>();
    if real || below > MAX_COMBINATIONS {
        return None;
    }
    let code = |row: &u32| {
        let sample = samples.sample(*row);
        vars.iter().fold(0, |code, &var| {
            let value = u64::from(sample[var]) - samples.rows_of(var).start as u64;
            code * samples.n_categories(var) as u64 + value
        })
    };
    Some(Codes::new(rows.iter().map(code).collect(), below as u64).n_different())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fedcdi_core::{DatasetBuilder, Regime, Schema, Seed, Variable};
    use ndarray::Array2;
    use rand::RngExt;

    use super::*;

    /// A rare cause 0 of 1, which 2 copies with errors; 3 is alone.
    fn rare_cause() -> Samples {
        let variables = (0..4).map(|i| Variable::with_codes(format!("v{i}"), 2));
        let schema = Arc::new(Schema::new(variables.collect()).unwrap());
        let mut builder = DatasetBuilder::with_capacity(schema, 20_000);
        let mut rng = Seed::new(3).rng();
        for _ in 0..20_000 {
            let cause = rng.random_bool(0.01);
            let effect = rng.random_bool(if cause { 0.06 } else { 0.01 });
            let copy = effect ^ rng.random_bool(0.1);
            let row = [cause, effect, copy, rng.random_bool(0.5)].map(u16::from);
            builder.push(&row, &Regime::Observational).unwrap();
        }
        Samples::new(&builder.finish().unwrap())
    }

    /// 1 -> 2 alone; every pair is believed to point from the lower number to the higher.
    fn belief() -> Belief {
        let direction = |(i, j): (usize, usize)| j as f64 - i as f64;
        let mut existence = Array2::from_elem((4, 4), -4.0);
        existence[(1, 2)] = 4.0;
        Belief::new(existence, Array2::from_shape_fn((4, 4), direction)).unwrap()
    }

    fn grafted(rules: &EdgeRules, grafting: Grafting) -> Vec<(usize, usize)> {
        let mut grafts = Grafts::default();
        grafts.extend((Pruning::USUAL, grafting), &belief(), &rare_cause(), rules);
        let grown = grafts.into_belief(&belief()).unwrap();
        let all = (0..4).flat_map(|i| (0..4).map(move |j| (i, j)));
        let new = all.filter(|e| grown.existence()[*e] > 0.0 && *e != (1, 2));
        new.collect()
    }

    #[test]
    fn a_rare_cause_comes_in_and_nothing_else() {
        let none = EdgeRules::none(4);
        assert_eq!(grafted(&none, Grafting::USUAL), [(0, 1)]);
        assert!(grafted(&none, Grafting::Never).is_empty());
    }

    #[test]
    fn forbidden_edges_stay_out() {
        let rules = EdgeRules::new(4, |c, e| (c.0, e.0) != (0, 1), |_, _| false);
        assert!(grafted(&rules, Grafting::USUAL).is_empty());
    }

    #[test]
    fn unconnected_pairs_are_tested_both_ways() {
        let tests = tests(&belief(), &rare_cause(), 0.0);
        let edges: Vec<_> = tests.iter().map(|t| (t.cause.0, t.effect.0)).collect();
        let expected: Vec<_> = (0..4)
            .flat_map(|c| (0..4).map(move |e| (c, e)))
            .filter(|(c, e)| c != e && (*c.min(e), *c.max(e)) != (1, 2))
            .collect();
        assert_eq!(edges, expected);
    }

    #[test]
    fn an_edge_that_was_lost_is_forgotten() {
        let mut grafts = Grafts([(0, 1), (1, 2)].into());
        grafts.keep_those_in(&belief());
        assert_eq!(grafts.0, [(1, 2)].into());
    }
}
