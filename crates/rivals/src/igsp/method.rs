//! IGSP on a dataset.

use std::sync::atomic::{AtomicUsize, Ordering};

use fedcdi_core::choice::Params as _;
use fedcdi_core::{Cpdag, Dag, Dataset, Digraph, Seed, VarSet};
use rayon::prelude::*;

use super::boundary::minimal_map;
use super::known::Known;
use super::memo::TestMemo;
use super::params::{IgspParams, Variant};
use super::search::{Objective, Rank, Search};
use super::start::{elimination_order, moral_graph};
use super::unknown::Unknown;
use crate::Ending;
use crate::registry::{refuse_narrow, tell};
use crate::rival_fit::RivalFit;
use fedcdi_learn::independence::IndependenceTests;
use fedcdi_learn::{LearnError, Observer, Stage};

impl IgspParams {
    /// Searches for the sparsest graph. Conflicts are edges that contradict the interventions; for
    /// UT-IGSP, pairs of regime and variable whose conditional varies.
    ///
    /// # Errors
    /// [`LearnError`] if a setting is out of range, or the data has fewer than two variables, a
    /// variable of one category, no observational rows, or a regime on several variables, which IGSP
    /// does not take.
    pub fn fit(
        &self,
        variant: Variant,
        data: &Dataset,
        seed: Seed,
        observer: Option<&dyn Observer>,
    ) -> Result<RivalFit, LearnError> {
        refuse_narrow(data)?;
        let tests = self.test.of(data, &seed)?;
        self.fit_tests(variant, tests.as_ref(), seed, observer)
    }

    /// Searches with any tests.
    pub(super) fn fit_tests(
        &self,
        variant: Variant,
        tests: &dyn IndependenceTests,
        seed: Seed,
        observer: Option<&dyn Observer>,
    ) -> Result<RivalFit, LearnError> {
        self.check()?;
        let tests = TestMemo::new(tests, self.alpha, self.alpha_invariance, observer);
        let regimes = tests.regimes();
        if variant == Variant::Known {
            if let Some(joint) = regimes.iter().find(|targets| targets.len() != 1) {
                let n_targets = joint.len();
                return Err(LearnError::JointIntervention { n_targets });
            }
            let known = Known::new(&tests);
            let best = self.best(&known, &tests, seed, observer)?;
            return Ok(finish(best, regimes, &tests));
        }
        let nothing = VarSet::empty(tests.n_vars());
        let named = |targets: &VarSet| match variant {
            Variant::Unknown => nothing.clone(),
            Variant::Known | Variant::Partial => targets.clone(),
        };
        let unknown = Unknown {
            tests: &tests,
            known: regimes.iter().map(named).collect(),
        };
        let best = self.best(&unknown, &tests, seed, observer)?;
        let targets = unknown.targets(&best.1);
        Ok(RivalFit {
            targets: regimes.iter().cloned().zip(targets.clone()).collect(),
            ..finish(best, &targets, &tests)
        })
    }

    /// The best result of all starts that were done before a cancellation; of equal ones, the first.
    fn best(
        &self,
        objective: &(dyn Objective + Sync),
        tests: &TestMemo<'_>,
        seed: Seed,
        observer: Option<&dyn Observer>,
    ) -> Result<(Rank, Digraph), LearnError> {
        let moral = moral_graph(tests);
        let finished = AtomicUsize::new(0);
        let search = |start: usize| {
            let mut rng = seed.derive("start", start).rng();
            let order = elimination_order(&moral, &mut rng);
            let graph = minimal_map(tests, &order).into_digraph();
            let search = Search {
                objective,
                tests,
                depth: self.depth,
            };
            let found = search.run(graph, &mut rng);
            let done = 1 + finished.fetch_add(1, Ordering::Relaxed);
            let n_edges = found.1.n_edges();
            tell(observer, done, Stage::Starts, (done, self.starts), n_edges);
            (!tests.is_cancelled()).then_some(found)
        };
        let found: Vec<_> = (0..self.starts).into_par_iter().map(search).collect();
        let done = found.into_iter().flatten();
        let best = done.min_by_key(|(rank, _)| *rank);
        best.ok_or(LearnError::Cancelled)
    }
}

fn finish((rank, graph): (Rank, Digraph), targets: &[VarSet], tests: &TestMemo<'_>) -> RivalFit {
    let dag = Dag::try_from(graph).expect("turning covered edges closes no cycle");
    let ending = if tests.is_cancelled() {
        Ending::Cancelled
    } else {
        Ending::Converged
    };
    RivalFit {
        conflicts: Some(rank.conflicts),
        ..RivalFit::new(Cpdag::interventional(&dag, targets), dag, ending)
    }
}
