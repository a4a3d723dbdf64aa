//! Independence tests of the pairs of a belief, on one site's rows: what a site reports of them.
//!
//! Ours. On skewed, near-deterministic tables graph fitting keeps some ancestors, and now and then an
//! unrelated variable, although all parents are found. And an edge whose cause is rare (asia -> tub: one
//! row in a hundred) gains too little per row to be learned. Counts decide both: given its parents, a
//! variable is independent of everything that it does not act on, in every regime that leaves it alone.
//! The statistics and the verdict are those of [`fedcdi_core::edge_test`] and
//! [`fedcdi_core::grafting`]; the coordinator adds the tests of all sites and decides.
//!
//! Complexity: O(P n log n) for the tests of P pairs on n rows; pairs whose tables the rows cannot fill
//! are left out.

use fedcdi_core::{Belief, EdgeTest, Tested, TestedGraph, VarId, VarSet};
use rayon::prelude::*;

use super::counts::{Codes, MAX_COMBINATIONS};
use super::disclosed::{MOST_CELLS, Tables};
use super::strata::{Strata, is_filled};
use crate::fit::samples::Samples;

/// Tests of the pairs of `belief` that `which` asks for and the rows are enough for, sorted by edge, over
/// cells of at least `smallest_cell` rows.
pub fn tests_of_pairs(
    belief: &Belief,
    samples: &Samples,
    which: Tested,
    smallest_cell: f64,
) -> Vec<EdgeTest> {
    let graph = TestedGraph::of(belief);
    let of_effect = |effect| {
        let into = TestsInto {
            graph: &graph,
            samples,
            effect,
            parents: members(graph.parents(VarId(effect))),
            rows: rows_without(samples, effect),
            smallest_cell,
        };
        let mut tests = Vec::new();
        if which.edges {
            tests.extend(into.tests_of_edges());
        }
        if which.absent {
            tests.extend(into.tests_of_absent());
        }
        tests
    };
    let effects = (0..samples.n_vars()).into_par_iter();
    let mut tests: Vec<EdgeTest> = effects.flat_map_iter(of_effect).collect();
    tests.sort_unstable_by_key(EdgeTest::edge);
    tests
}

/// One variable as an effect: the rows in which it followed its mechanism, and its parents.
struct TestsInto<'a> {
    graph: &'a TestedGraph,
    samples: &'a Samples,
    effect: usize,
    parents: Vec<usize>,
    rows: Vec<u32>,
    smallest_cell: f64,
}

impl TestsInto<'_> {
    /// Every edge into the effect, given its other parents.
    fn tests_of_edges(&self) -> impl Iterator<Item = EdgeTest> {
        let causes = members(&self.graph.causes(VarId(self.effect)));
        causes.into_iter().filter_map(|cause| {
            let others = self.parents.iter().copied().filter(|v| *v != cause);
            self.test(cause, &others.collect::<Vec<_>>())
        })
    }

    /// Every variable that has no edge with the effect, given the effect's parents.
    fn tests_of_absent(&self) -> Vec<EdgeTest> {
        let Some(n_strata) = self.codes(&self.parents).map(Codes::n_different) else {
            return Vec::new();
        };
        let size = |var| self.samples.n_categories(var);
        let absent = (0..self.samples.n_vars()).filter(|&cause| {
            let connected = self.graph.connects(VarId(cause), VarId(self.effect));
            let sizes = [size(cause), size(self.effect)];
            cause != self.effect && !connected && is_filled(self.rows.len(), n_strata, sizes)
        });
        let tests = absent.filter_map(|cause| self.test(cause, &self.parents));
        tests.collect()
    }

    /// The values of `vars` in every row as one number; `None` if there are too many
    /// combinations, or one of the variables is real and there is nothing to count.
    fn codes(&self, vars: &[usize]) -> Option<Codes> {
        let samples = self.samples;
        let size = |var: usize| samples.n_categories(var);
        let combinations: f64 = vars.iter().map(|v| size(*v) as f64).product();
        let is_real = vars.iter().any(|var| samples.is_real(*var));
        if is_real || combinations > MAX_COMBINATIONS {
            return None;
        }
        let code = |row: &u32| {
            let sample = samples.sample(*row);
            vars.iter().fold(0, |code, &var| {
                let value = u64::from(sample[var]) - samples.rows_of(var).start as u64;
                code * size(var) as u64 + value
            })
        };
        let codes = self.rows.iter().map(code);
        Some(Codes::new(codes.collect(), combinations as u64))
    }

    /// The test of independence of cause and effect given `others`; `None` if the rows are too few for
    /// these tables.
    fn test(&self, cause: usize, others: &[usize]) -> Option<EdgeTest> {
        let mut vars = others.to_vec();
        vars.extend([cause, self.effect]);
        let sizes = [cause, self.effect].map(|var| self.samples.n_categories(var));
        let cells = self.codes(&vars)?.cells(sizes);
        let (statistic, degrees) = if self.smallest_cell > 0.0 {
            if sizes[0] * sizes[1] > MOST_CELLS {
                return None;
            }
            Tables::of(&cells, sizes, self.smallest_cell).told(self.smallest_cell)?
        } else {
            let strata = Strata::of(&cells, sizes);
            strata.is_filled().then_some((strata.g, strata.degrees))?
        };
        Some(EdgeTest {
            cause: VarId(cause),
            effect: VarId(self.effect),
            statistic,
            degrees,
        })
    }
}

fn members(set: &VarSet) -> Vec<usize> {
    set.iter().map(VarId::index).collect()
}

/// Rows in which `effect` followed its mechanism.
fn rows_without(samples: &Samples, effect: usize) -> Vec<u32> {
    let mut rows = samples.observational().to_vec();
    let regimes = samples.interventional().iter();
    let untouched = regimes.filter(|regime| !regime.targets.contains(&effect));
    rows.extend(untouched.flat_map(|regime| &regime.samples));
    rows
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fedcdi_core::{DatasetBuilder, Grafting, Pruning, Regime, Schema, Seed, Variable};
    use ndarray::Array2;
    use rand::RngExt;

    use super::*;

    const EDGES: Tested = Tested {
        edges: true,
        absent: false,
    };
    const ABSENT: Tested = Tested {
        edges: false,
        absent: true,
    };

    /// A chain 0 -> 1 -> 2 of `categories`, copies with errors in three rows of ten.
    fn chain(categories: u16, n_rows: usize) -> Samples {
        let variables = (0..3).map(|i| Variable::with_codes(format!("v{i}"), categories.into()));
        let schema = Arc::new(Schema::new(variables.collect()).unwrap());
        let mut builder = DatasetBuilder::with_capacity(schema, n_rows);
        let mut rng = Seed::new(5).rng();
        for row in 0..n_rows {
            let mut draw = |copied: u16| {
                let kept = rng.random_bool(0.7);
                if kept {
                    copied
                } else {
                    rng.random_range(0..categories)
                }
            };
            let first = draw(0);
            let second = draw(first);
            let third = draw(second);
            // Intervening on 0 in every fifth row breaks nothing that is tested.
            let regime = match row % 5 {
                0 => Regime::intervened([VarId(0)]),
                _ => Regime::Observational,
            };
            builder.push(&[first, second, third], &regime).unwrap();
        }
        Samples::new(&builder.finish().unwrap())
    }

    /// The chain with its ancestor's edge.
    fn belief() -> Belief {
        let mut existence = Array2::from_elem((3, 3), -1.0);
        let mut orientation = Array2::zeros((3, 3));
        for (cause, effect) in [(0, 1), (1, 2), (0, 2)] {
            existence[(cause, effect)] = 2.0;
            orientation[(cause, effect)] = 3.0;
            orientation[(effect, cause)] = -3.0;
        }
        existence.diag_mut().fill(0.0);
        Belief::new(existence, orientation).unwrap()
    }

    /// Edges that were tested, and whether pruning takes them.
    fn taken(samples: &Samples) -> Vec<(usize, usize, bool)> {
        let tests = tests_of_pairs(&belief(), samples, EDGES, 0.0);
        let told = |t: &EdgeTest| (t.cause.0, t.effect.0, Pruning::USUAL.takes(t));
        tests.iter().map(told).collect()
    }

    #[test]
    fn an_ancestor_goes_and_parents_stay() {
        let expected = [(0, 1, false), (0, 2, true), (1, 2, false)];
        assert_eq!(taken(&chain(3, 4000)), expected);
    }

    #[test]
    fn tables_too_thin_to_judge_are_not_tested() {
        // 0 -> 2 given 1: ten tables of 81 cells need 4050 rows.
        assert_eq!(taken(&chain(10, 4000)), [(0, 1, false)]);
        assert_eq!(taken(&chain(10, 4100)).len(), 3);
    }

    /// 0 and 1 are independent coins where 1 follows its mechanism; whoever set 1 copied 0.
    fn copied_by_hand() -> Samples {
        let variables = ["a", "b"].map(|name| Variable::with_codes(name, 2));
        let schema = Arc::new(Schema::new(variables.to_vec()).unwrap());
        let mut builder = DatasetBuilder::with_capacity(schema, 1200);
        for row in 0..400u16 {
            let (first, second) = (row % 2, row / 2 % 2);
            let on = |var| Regime::intervened([VarId(var)]);
            let rows = [
                ([first, second], Regime::Observational),
                ([first, second], on(0)),
                ([first, first], on(1)),
            ];
            for (codes, regime) in rows {
                builder.push(&codes, &regime).unwrap();
            }
        }
        Samples::new(&builder.finish().unwrap())
    }

    #[test]
    fn rows_that_set_the_effect_say_nothing_about_its_causes() {
        let samples = copied_by_hand();
        assert_eq!(rows_without(&samples, 0).len(), 800);
        assert_eq!(rows_without(&samples, 1).len(), 800);
        let belief = |existence: f64| {
            let existence = Array2::from_shape_fn((2, 2), |at| match at {
                (0, 1) => existence,
                _ => -3.0,
            });
            let orientation = ndarray::array![[0.0, 2.0], [-2.0, 0.0]];
            Belief::new(existence, orientation).unwrap()
        };
        // Every combination occurs as often as any other in the 800 rows that leave 1 alone.
        let edge = &tests_of_pairs(&belief(2.0), &samples, EDGES, 0.0)[0];
        assert!(edge.statistic < 1.0, "{edge:?}");
        let absent = tests_of_pairs(&belief(-2.0), &samples, ABSENT, 0.0);
        let [into_1, into_0] = &absent[..] else {
            panic!("both directions: {absent:?}");
        };
        assert!(into_1.statistic < 1.0, "{into_1:?}");
        // Rows that set 1 leave 0 alone, and there the two go together.
        assert!(into_0.statistic > 100.0, "{into_0:?}");
    }

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

    #[test]
    fn unconnected_pairs_are_tested_both_ways_and_a_rare_cause_shows() {
        let direction = |(i, j): (usize, usize)| j as f64 - i as f64;
        let mut existence = Array2::from_elem((4, 4), -4.0);
        existence[(1, 2)] = 4.0;
        let belief = Belief::new(existence, Array2::from_shape_fn((4, 4), direction)).unwrap();
        let tests = tests_of_pairs(&belief, &rare_cause(), ABSENT, 0.0);
        let edges: Vec<_> = tests.iter().map(|t| (t.cause.0, t.effect.0)).collect();
        let expected: Vec<_> = (0..4)
            .flat_map(|c| (0..4).map(move |e| (c, e)))
            .filter(|(c, e)| c != e && (*c.min(e), *c.max(e)) != (1, 2))
            .collect();
        assert_eq!(edges, expected);
        let surest = Grafting::USUAL.surest(Pruning::USUAL, &belief, tests, |_, _| true);
        assert_eq!(surest, [(VarId(0), VarId(1))].into());
    }
}
