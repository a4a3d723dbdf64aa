//! DCDI as a local method: rounds of a federation, or all of it on one table.
//!
//! | belief | DCDI |
//! |---|---|
//! | psi, sent | `Lambda = logit(psi)`, clipped, at the start of every round |
//! | psi, returned | `P`, factorised by [`Belief::from_psi`] |
//!
//! Between rounds the networks, the multiplier and the penalty stay at the client: they belong to
//! its rows, would take most of a round to come back, and a penalty that started anew could never
//! grow. The optimiser of the logits starts anew, because the belief that was sent moved them.
//! Rounds have a fixed number of iterations, and edges are never decided: the coordinator ends the
//! run, and the usual extraction makes the graph acyclic. A pair whose two directions are both
//! likely leaves as two halves: a belief cannot hold more.
//!
//! On one table edges start at [`DcdiParams::start_logit`], and the first round runs through all
//! stages of the training ([`super::training`]); what is left to later rounds are tests of its edges.

use std::sync::Arc;

use fedcdi_core::belief::{logit, sigmoid};
use fedcdi_core::choice::Params;
use fedcdi_core::{
    Belief, Dataset, EdgeTest, Knowledge, LocalMethod, LocalMethodError, Round, Seed, Tested,
};

use super::params::DcdiParams;
use super::training::Training;
use crate::fit::setup::{Place, Setup};
use crate::independence::edge_tests::tests_of_pairs;
use crate::learn_error::LearnError;
use crate::predict::Inputs;
use crate::progress::{Observer, Stage};

/// Iterations between two reports to the observer.
const REPORT_WINDOW: usize = 50;

/// DCDI on one dataset.
pub struct Dcdi {
    setup: Setup<DcdiParams>,
    training: Training,
    /// Whether training on one table has ended.
    is_over: bool,
    /// Whether the last round ended before the graph was acyclic.
    unfinished: bool,
}

impl Dcdi {
    /// DCDI on `data` without background knowledge.
    ///
    /// # Errors
    /// [`LearnError`] if a setting is out of range or the data cannot be learned from.
    pub fn new(params: DcdiParams, data: &Dataset, seed: Seed) -> Result<Self, LearnError> {
        params.check()?;
        let (samples, inputs) = Inputs::new(data, params.head, "DCDI's softmax")?;
        Ok(Self {
            training: Training::new(&params, inputs, &seed),
            is_over: false,
            unfinished: false,
            setup: Setup::new(params, data, samples, seed),
        })
    }

    /// With edges that are known beforehand, and someone who watches.
    ///
    /// # Errors
    /// [`LearnError::Size`] if the knowledge is about another number of variables.
    pub fn with(
        mut self,
        knowledge: &Knowledge,
        observer: Option<Arc<dyn Observer>>,
    ) -> Result<Self, LearnError> {
        self.setup.set_knowledge(knowledge)?;
        self.setup.observer = observer;
        self.training.set_rules(self.setup.rules.clone());
        Ok(self)
    }

    /// On the only table there is.
    #[must_use]
    pub fn alone(mut self) -> Self {
        self.training.decides = true;
        self
    }

    /// The posterior after `round` (from 0) of a federation, starting from `prior`.
    ///
    /// # Errors
    /// [`LearnError`] if the prior does not fit the data or the training fails.
    pub fn learn(&mut self, round: usize, prior: &Belief) -> Result<Belief, LearnError> {
        self.setup.check_size("prior", prior.n_vars())?;
        let least = sigmoid(-self.setup.params.max_prior_logit);
        let clipped = |psi: f64| logit(psi.clamp(least, 1.0 - least));
        self.training.restart(prior.psi().mapv(clipped));
        self.iterate(round, self.setup.params.iterations_per_round)?;
        self.unfinished = !self.training.is_acyclic();
        Ok(Belief::from_psi(&self.training.probabilities)?)
    }

    /// The posterior on one table, where nobody has to agree: all of the training in one round, to the
    /// end that DCDI itself sees. Later rounds have nothing to add to what tests made of it.
    fn learn_alone(&mut self, prior: &Belief) -> Result<Belief, LearnError> {
        if self.is_over {
            return Ok(prior.clone());
        }
        match self.iterate(0, self.setup.params.max_iterations) {
            Ok(()) | Err(LearnError::Cancelled) => {}
            Err(error) => return Err(error),
        }
        self.is_over = true;
        self.unfinished = !self.training.has_ended;
        Ok(Belief::from_psi(&self.training.probabilities)?)
    }

    fn iterate(&mut self, round: usize, most: usize) -> Result<(), LearnError> {
        for done in 0..most {
            if done.is_multiple_of(REPORT_WINDOW) {
                self.report(round, (done, most))?;
            }
            if self.training.has_ended {
                break;
            }
            let diverged = |variable: usize| LearnError::Diverged {
                round,
                epoch: 0,
                step: done,
                variable: self.setup.names[variable].clone(),
            };
            self.training.iterate().map_err(diverged)?;
        }
        self.report(round, (most, most))
    }

    fn report(&self, round: usize, of: (usize, usize)) -> Result<(), LearnError> {
        let place = Place { round, epoch: 0 };
        let n_edges = self.training.n_edges();
        self.setup.report(place, Stage::Joint, of, n_edges);
        self.setup.check_cancelled()
    }
}

impl LocalMethod for Dcdi {
    fn update(&mut self, round: Round, prior: &Belief) -> Result<Belief, LocalMethodError> {
        let posterior = if self.training.decides {
            self.learn_alone(prior)
        } else {
            self.learn(round.index(), prior)
        };
        posterior.map_err(LocalMethodError::new)
    }

    fn is_unfinished(&self) -> bool {
        self.unfinished
    }

    fn tests(&self, belief: &Belief, which: Tested, smallest_cell: f64) -> Vec<EdgeTest> {
        tests_of_pairs(belief, &self.setup.samples, which, smallest_cell)
    }
}

#[cfg(test)]
mod tests {
    use fedcdi_core::{DatasetBuilder, Regime, Schema, Variable};

    use super::*;

    /// Three binary variables that mostly agree.
    fn data() -> Dataset {
        let variables = ["a", "b", "c"].map(|name| Variable::with_codes(name, 2));
        let schema = Arc::new(Schema::new(variables.to_vec()).unwrap());
        let mut builder = DatasetBuilder::with_capacity(schema, 1000);
        for row in 0..1000u16 {
            let a = row % 2;
            let b = if row % 10 < 2 { 1 - a } else { a };
            let c = if row % 14 < 2 { 1 - b } else { b };
            builder.push(&[a, b, c], &Regime::Observational).unwrap();
        }
        builder.finish().unwrap()
    }

    #[test]
    fn multipliers_stay_between_rounds() {
        let params = DcdiParams {
            iterations_per_round: 2000,
            hidden: vec![8],
            ..DcdiParams::default()
        };
        let first = params.penalty;
        let mut method = Dcdi::new(params, &data(), Seed::new(0)).unwrap();
        let mut belief = Belief::uninformed(3);
        let mut penalties = Vec::new();
        for round in 0..4 {
            belief = method.learn(round, &belief).unwrap();
            penalties.push(method.training.lagrangian.penalty);
        }
        assert!(penalties.is_sorted(), "{penalties:?}");
        assert!(penalties[3] > first, "{penalties:?}");
    }
}
