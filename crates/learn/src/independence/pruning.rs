//! Pruning by independence: an edge stays only if the counted rows show it.
//!
//! On skewed, near-deterministic tables graph fitting keeps some ancestors, and now and then an
//! unrelated variable, although all parents are found. Why is not settled: more steps for the
//! networks, or training them on interventional rows too, did not help. Counts decide it: given its
//! parents, a variable is independent of everything that it does not act on, in every regime that
//! leaves it alone, so also in all their rows together. Where the parents' combinations are too many
//! to be counted, the edge stays.
//!
//! The statistics are those of [`fedcdi_core::edge_test`]. One site prunes by [`prune`], the
//! weakest edge of an effect first, then again with the parents that are left; in a federation the
//! clients send their [`tests`], and the coordinator takes back one edge per effect and round.
//!
//! Complexity: O(E n log n) for the tests of E edges on n rows.

use fedcdi_core::{Belief, BeliefError, EdgeTest, Pruning, Tested, TestedGraph, VarId, VarSet};
use rayon::prelude::*;

use crate::fit::edge_rules::EdgeRules;
use crate::fit::samples::Samples;
use crate::independence::counts::{Codes, MAX_COMBINATIONS};
use crate::independence::disclosed::{MOST_CELLS, Tables};
use crate::independence::strata::Strata;

/// Where nothing leaves, all cells count.
const ALL_CELLS: f64 = 0.0;

/// `belief` with the existence of every edge negated whose effect is independent of its cause given
/// the effect's other parents: the weakest first, until all tests exceed the limit.
///
/// # Errors
/// [`BeliefError`] cannot come from a belief over the same variables as `samples`.
pub fn prune(
    belief: &Belief,
    samples: &Samples,
    rules: &EdgeRules,
    limit: Pruning,
) -> Result<Belief, BeliefError> {
    if limit == Pruning::Never {
        return Ok(belief.clone());
    }
    let graph = TestedGraph::of(belief);
    let mut existence = belief.existence().clone();
    for effect in 0..samples.n_vars() {
        let rows = rows_without(samples, effect);
        let mut edges = EdgesInto::new(&graph, effect);
        loop {
            let tests = tests_of(samples, &rows, &edges, ALL_CELLS);
            let open = tests.filter(|test| rules.existence_is_open(test.cause.0, effect));
            // Of causes that determine each other no test can tell: the one least believed in goes.
            let believed = |test: &EdgeTest| existence[(test.cause.0, effect)];
            let weakest = open.min_by(|a, b| {
                let shown = a.deviations().total_cmp(&b.deviations());
                shown.then(believed(a).total_cmp(&believed(b)))
            });
            let Some(weakest) = weakest.filter(|test| limit.takes(test)) else {
                break;
            };
            edges.remove(weakest.cause);
            let logit = &mut existence[(weakest.cause.0, effect)];
            *logit = -logit.abs();
        }
    }
    belief.with_existence(existence)
}

/// The edges into one variable that are tested, and the parents that the tests are given.
struct EdgesInto {
    effect: usize,
    causes: Vec<usize>,
    parents: Vec<usize>,
}

impl EdgesInto {
    fn new(graph: &TestedGraph, effect: usize) -> Self {
        Self {
            effect,
            causes: members(&graph.causes(VarId(effect))),
            parents: members(graph.parents(VarId(effect))),
        }
    }

    fn remove(&mut self, cause: VarId) {
        self.causes.retain(|var| *var != cause.0);
        self.parents.retain(|var| *var != cause.0);
    }
}

/// A set as a list.
pub(crate) fn members(set: &VarSet) -> Vec<usize> {
    set.iter().map(VarId::index).collect()
}

/// Tests of pairs of `belief` that the rows are enough for, sorted by edge, over cells of at least
/// `smallest_cell` rows: what a method tells of them.
pub fn tests_of_pairs(
    belief: &Belief,
    samples: &Samples,
    which: Tested,
    smallest_cell: f64,
) -> Vec<EdgeTest> {
    let mut tests = Vec::new();
    if which.edges {
        tests.extend(self::tests(belief, samples, smallest_cell));
    }
    if which.absent {
        tests.extend(crate::independence::grafting::tests(
            belief,
            samples,
            smallest_cell,
        ));
    }
    tests.sort_unstable_by_key(EdgeTest::edge);
    tests
}

/// Tests of every edge of `belief` that the rows are enough for, sorted by edge.
pub fn tests(belief: &Belief, samples: &Samples, smallest_cell: f64) -> Vec<EdgeTest> {
    let graph = TestedGraph::of(belief);
    let of_effect = |effect| {
        let rows = rows_without(samples, effect);
        let edges = EdgesInto::new(&graph, effect);
        tests_of(samples, &rows, &edges, smallest_cell).collect::<Vec<_>>()
    };
    let mut tests: Vec<EdgeTest> = (0..samples.n_vars())
        .into_par_iter()
        .flat_map_iter(of_effect)
        .collect();
    tests.sort_unstable_by_key(EdgeTest::edge);
    tests
}

/// Tests of the edges into one effect, each given its other parents.
fn tests_of(
    samples: &Samples,
    rows: &[u32],
    edges: &EdgesInto,
    smallest_cell: f64,
) -> impl Iterator<Item = EdgeTest> {
    let EdgesInto {
        effect,
        causes,
        parents,
    } = edges;
    causes.iter().filter_map(move |&cause| {
        let others = parents.iter().copied().filter(|other| *other != cause);
        let others: Vec<usize> = others.collect();
        test(samples, rows, (cause, *effect), &others, smallest_cell)
    })
}

/// Rows in which `effect` followed its mechanism.
pub(crate) fn rows_without(samples: &Samples, effect: usize) -> Vec<u32> {
    let mut rows = samples.observational().to_vec();
    let regimes = samples.interventional().iter();
    let untouched = regimes.filter(|regime| !regime.targets.contains(&effect));
    rows.extend(untouched.flat_map(|regime| &regime.samples));
    rows
}

/// The test of independence of cause and effect given `others`; `None` if the rows are too few for
/// these tables, or if one of the variables is real and there is nothing to count.
pub fn test(
    samples: &Samples,
    rows: &[u32],
    (cause, effect): (usize, usize),
    others: &[usize],
    smallest_cell: f64,
) -> Option<EdgeTest> {
    let mut vars = others.iter().chain([&cause, &effect]);
    if vars.any(|var| samples.is_real(*var)) {
        return None;
    }
    let size = |var: usize| samples.n_categories(var);
    let cells = size(cause) * size(effect);
    let combinations: f64 = others.iter().map(|v| size(*v) as f64).product();
    if combinations * cells as f64 > MAX_COMBINATIONS {
        return None;
    }
    let value = |row: u32, var: usize| {
        u64::from(samples.sample(row)[var]) - samples.rows_of(var).start as u64
    };
    let code = |row: &u32| {
        let digits = others.iter().chain([&cause, &effect]);
        digits.fold(0, |code, var| code * size(*var) as u64 + value(*row, *var))
    };
    let sizes = [size(cause), size(effect)];
    let below = combinations as u64 * cells as u64;
    let counted = || Codes::new(rows.iter().map(code).collect(), below).cells(sizes);
    let told = |statistic, degrees| EdgeTest {
        cause: VarId(cause),
        effect: VarId(effect),
        statistic,
        degrees,
    };
    if smallest_cell > 0.0 {
        if cells > MOST_CELLS {
            return None;
        }
        let tables = Tables::of(&counted(), sizes, smallest_cell);
        return tables.told(smallest_cell).map(|(g, df)| told(g, df));
    }
    let strata = Strata::of(&counted(), sizes);
    strata.is_filled().then(|| told(strata.g, strata.degrees))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fedcdi_core::{DatasetBuilder, Regime, Schema, Seed, Variable};
    use ndarray::Array2;
    use rand::RngExt;

    use super::*;

    const EDGES: [(usize, usize); 3] = [(0, 1), (1, 2), (0, 2)];

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

    fn kept(samples: &Samples, rules: &EdgeRules) -> Vec<(usize, usize)> {
        let mut existence = Array2::from_elem((3, 3), -1.0);
        let mut orientation = Array2::zeros((3, 3));
        for (cause, effect) in EDGES {
            existence[(cause, effect)] = 2.0;
            orientation[(cause, effect)] = 3.0;
            orientation[(effect, cause)] = -3.0;
        }
        existence.diag_mut().fill(0.0);
        let belief = Belief::new(existence, orientation).unwrap();
        let pruned = prune(&belief, samples, rules, Pruning::USUAL).unwrap();
        assert_eq!(pruned.orientation(), belief.orientation());
        let is_kept = |edge: &(usize, usize)| pruned.existence()[*edge] > 0.0;
        EDGES.into_iter().filter(is_kept).collect()
    }

    #[test]
    fn an_ancestor_goes_and_parents_stay() {
        let kept = kept(&chain(3, 4000), &EdgeRules::none(3));
        assert_eq!(kept, [(0, 1), (1, 2)]);
    }

    #[test]
    fn tables_too_thin_to_judge_leave_the_edge() {
        // 0 -> 2 given 1: ten tables of 81 cells need 4050 rows.
        assert_eq!(kept(&chain(10, 4000), &EdgeRules::none(3)), EDGES);
        assert_eq!(kept(&chain(10, 4100), &EdgeRules::none(3)), EDGES[..2]);
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
        let edge = &tests(&belief(2.0), &samples, 0.0)[0];
        assert!(edge.statistic < 1.0, "{edge:?}");
        let rules = EdgeRules::none(2);
        let pruned = prune(&belief(2.0), &samples, &rules, Pruning::USUAL).unwrap();
        assert_eq!(pruned.existence()[(0, 1)], -2.0);
        let absent = crate::independence::grafting::tests(&belief(-2.0), &samples, 0.0);
        let [into_1, into_0] = &absent[..] else {
            panic!("both directions: {absent:?}");
        };
        assert!(into_1.statistic < 1.0, "{into_1:?}");
        // Rows that set 1 leave 0 alone, and there the two go together.
        assert!(into_0.statistic > 100.0, "{into_0:?}");
    }

    #[test]
    fn known_edges_are_never_pruned() {
        let rules = EdgeRules::new(3, |_, _| true, |c, e| (c.0, e.0) == (0, 2));
        assert_eq!(kept(&chain(3, 4000), &rules), EDGES);
    }
}
