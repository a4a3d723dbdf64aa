//! IGSP as a whole: with perfect knowledge, and on samples.

use fedcdi_core::{Cpdag, Dag, Digraph, Regime, Seed, VarId, VarSet};
use rand::RngExt;

use super::{IgspParams, Variant};
use crate::RivalFit;
use crate::test_data;
use crate::test_data::Impatient;
use fedcdi_learn::LearnError;
use fedcdi_learn::independence::{IndependenceTests, TestParams};

fn graph(n: usize, edges: &[(usize, usize)]) -> Digraph {
    Digraph::from_edges(n, edges.iter().map(|&(c, e)| (VarId(c), VarId(e))))
}

fn on(n: usize, targets: &[usize]) -> VarSet {
    VarSet::from_members(n, targets.iter().copied().map(VarId))
}

/// Knows the graph: p-values are 0 or 1, by separation in it.
struct Oracle {
    graph: Digraph,
    regimes: Vec<VarSet>,
}

impl Oracle {
    /// Separation in the moral graph of the ancestors, the regime's label being a parent of its
    /// targets.
    fn is_separated(graph: &Digraph, a: VarId, b: VarId, given: &VarSet) -> bool {
        let n = graph.n_vars();
        let reversed = Digraph::from_edges(n, graph.edges().map(|(c, e)| (e, c)));
        let ends = given.with(a).with(b);
        let mut kept = VarSet::empty(n);
        ends.iter()
            .for_each(|v| kept.union_with(&reversed.reachable_from(v)));
        let mut moral = Digraph::empty(n);
        let mut join = |a: VarId, b: VarId| {
            if a != b && !given.contains(a) && !given.contains(b) {
                moral.add_edge(a, b);
                moral.add_edge(b, a);
            }
        };
        for child in kept.iter() {
            let family: Vec<VarId> = graph.parents(child).with(child).iter().collect();
            for &x in &family {
                family.iter().for_each(|&y| join(x, y));
            }
        }
        !moral.reachable_from(a).contains(b)
    }
}

impl IndependenceTests for Oracle {
    fn n_vars(&self) -> usize {
        self.graph.n_vars()
    }

    fn regimes(&self) -> &[VarSet] {
        &self.regimes
    }

    fn independence(&self, a: VarId, b: VarId, given: &VarSet, _level: f64) -> f64 {
        f64::from(u8::from(Self::is_separated(&self.graph, a, b, given))).ln()
    }

    fn invariance(&self, var: VarId, regime: usize, given: &VarSet, _level: f64) -> f64 {
        let n = self.n_vars();
        let label = VarId(n);
        let edges = self.graph.edges();
        let into = self.regimes[regime].iter().map(|t| (label, t));
        let labelled = Digraph::from_edges(n + 1, edges.chain(into));
        let given = VarSet::from_members(n + 1, given.iter());
        f64::from(u8::from(Self::is_separated(&labelled, var, label, &given))).ln()
    }
}

fn random_graph(n: usize, density: f64, seed: u64) -> Digraph {
    let mut rng = Seed::new(seed).derive("graph", 0).rng();
    let mut order: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        order.swap(i, rng.random_range(0..=i));
    }
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    let edges = pairs.filter(|_| rng.random_bool(density));
    let edges: Vec<_> = edges.map(|(i, j)| (order[i], order[j])).collect();
    graph(n, &edges)
}

fn fit(tests: &dyn IndependenceTests, variant: Variant) -> RivalFit {
    let igsp = IgspParams::default();
    igsp.fit_tests(variant, tests, Seed::new(3), None).unwrap()
}

#[test]
fn perfect_tests_lead_to_the_class() {
    for seed in 0..40 {
        let truth = random_graph(6, 0.4, seed);
        let targets: [&[usize]; 4] = [&[], &[1], &[0, 4], &[2, 3, 5]];
        let targets = targets[seed as usize % 4].iter();
        let regimes: Vec<VarSet> = targets.map(|t| on(6, &[*t])).collect();
        let oracle = Oracle {
            graph: truth.clone(),
            regimes: regimes.clone(),
        };
        let found = fit(&oracle, Variant::Known);
        let expected = Cpdag::interventional(&Dag::try_from(truth).unwrap(), &regimes);
        assert_eq!(found.class, expected, "seed {seed}");
    }
}

#[test]
fn perfect_tests_find_unknown_targets() {
    for seed in 0..20 {
        let truth = random_graph(6, 0.4, 100 + seed);
        let regimes = vec![on(6, &[1, 2]), on(6, &[4])];
        let oracle = Oracle {
            graph: truth.clone(),
            regimes: regimes.clone(),
        };
        let found = fit(&oracle, Variant::Unknown);
        assert_eq!(found.dag.n_edges(), truth.n_edges(), "seed {seed}");
        let targets = found.targets.into_iter().map(|(_, found)| found);
        assert_eq!(targets.collect::<Vec<_>>(), regimes, "seed {seed}");
    }
}

#[test]
fn linear_samples_are_solved() {
    let mut total = 0;
    for seed in 0..20 {
        let truth = random_graph(8, 0.25, 50 + seed);
        let all: Vec<VarSet> = (0..8).map(|v| on(8, &[v])).collect();
        let samples = test_data::linear(&truth, (5000, 1000), &all, seed);
        let tests = TestParams::Gaussian.of(&samples, &Seed::new(1)).unwrap();
        let found = fit(&*tests, Variant::Known);
        total += fedcdi_core::graph::shd(&truth, &found.dag);
    }
    // Of 139 edges; it was 5, in two of the twenty.
    assert!(total <= 10, "{total}");
}

#[test]
fn categorical_samples_are_solved_and_threads_change_nothing() {
    let truth = graph(5, &[(0, 1), (2, 1), (1, 3), (3, 4)]);
    let data = test_data::copies(&[3; 5], &truth, (5000, 500), &[0, 1, 2, 3, 4], 11);
    for test in [TestParams::Logistic, TestParams::G] {
        let params = IgspParams {
            test,
            ..IgspParams::default()
        };
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let fit = || params.fit(Variant::Known, &data, Seed::new(1), None);
            pool.unwrap().install(fit).unwrap()
        };
        let (one, four) = (with(1), with(4));
        assert_eq!(Digraph::clone(&one.dag), truth, "{test:?}");
        assert_eq!((&one.dag, one.conflicts), (&four.dag, four.conflicts));
    }
}

#[test]
fn joint_interventions_are_refused_by_igsp_and_taken_by_ut_igsp() {
    let both = Regime::intervened([VarId(0), VarId(1)]);
    let rows: [(&[u16], Regime); 4] = [
        (&[0, 1], both.clone()),
        (&[1, 0], Regime::Observational),
        (&[0, 0], Regime::Observational),
        (&[1, 1], both),
    ];
    let data = test_data::table(&[2, 2], &rows);
    let fit = |variant| {
        let igsp = IgspParams::default();
        igsp.fit(variant, &data, Seed::new(1), None)
            .map(|fit| fit.dag.n_edges())
    };
    assert_eq!(
        fit(Variant::Known),
        Err(LearnError::JointIntervention { n_targets: 2 })
    );
    assert_eq!(fit(Variant::Partial), Ok(0));
}

#[test]
fn a_search_cancelled_before_its_first_result_has_none() {
    let oracle = Oracle {
        graph: random_graph(6, 0.4, 1),
        regimes: vec![on(6, &[1])],
    };
    for variant in [Variant::Known, Variant::Unknown] {
        let igsp = IgspParams::default();
        let fit = igsp.fit_tests(variant, &oracle, Seed::new(3), Some(&Impatient));
        assert_eq!(fit.err(), Some(LearnError::Cancelled));
    }
}
