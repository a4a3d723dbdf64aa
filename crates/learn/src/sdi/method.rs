//! SDI as a local method: one round from the belief it is given to the belief it returns.
//!
//! | belief | SDI |
//! |---|---|
//! | psi, sent | `gamma = logit(psi)`, clamped |
//! | psi, returned | `sigma(gamma)`, factorised by [`Belief::from_psi`] |
//!
//! Networks and optimisers are new in every round, as in the FedCDI authors' use of SDI. A pair
//! whose two directions are both likely leaves as two halves: a belief cannot hold more.

use std::sync::Arc;

use fedcdi_core::belief::{logit, sigmoid};
use fedcdi_core::choice::Params;
use fedcdi_core::{
    Belief, Dataset, EdgeTest, Knowledge, LocalMethod, LocalMethodError, Round, Seed, Tested,
};
use ndarray::Array2;

use super::episode::Episodes;
use super::params::SdiParams;
use crate::enco::distribution::DistributionStage;
use crate::enco::logits::EdgeLogits;
use crate::enco::method::check_data;
use crate::fit::conditional::Conditional;
use crate::fit::samples::Samples;
use crate::fit::setup::{Place, Setup};
use crate::independence::edge_tests::tests_of_pairs;
use crate::learn_error::LearnError;
use crate::nn::AdamParams;
use crate::progress::{Observer, Stage};

/// SDI on one dataset.
pub struct Sdi {
    setup: Setup<SdiParams>,
}

impl Sdi {
    /// SDI on `data` without background knowledge.
    ///
    /// # Errors
    /// [`LearnError`] if a setting is out of range or the data cannot be learned from.
    pub fn new(params: SdiParams, data: &Dataset, seed: Seed) -> Result<Self, LearnError> {
        params.check()?;
        let remedy = "bin it, or use a method for real columns";
        LearnError::refuse_reals(data, "SDI", remedy)?;
        check_data(data)?;
        let samples = Samples::new(data);
        if samples.interventional().is_empty() {
            return Err(LearnError::NoInterventionalRows);
        }
        Ok(Self {
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
        Ok(self)
    }

    /// The posterior after `round` (from 0), starting from `prior`.
    ///
    /// # Errors
    /// [`LearnError`] if the prior does not fit the data or the training fails.
    pub fn learn(&mut self, round: usize, prior: &Belief) -> Result<Belief, LearnError> {
        self.setup.check_size("prior", prior.n_vars())?;
        let (params, samples) = (&self.setup.params, &self.setup.samples);
        let seed = self.setup.seed.derive("round", round);
        let mut logits = self.start(prior);
        let categories = (0..samples.n_vars()).map(|v| samples.n_categories(v));
        let hidden = match params.hidden {
            0 => 4 * categories.fold(samples.n_vars(), usize::max),
            width => width,
        };
        let mut conditionals = self.setup.new_networks(&[hidden], &seed);
        let mut episodes = Episodes::new(params, samples, &seed.derive("episodes", 0));
        for epoch in 0..params.epochs {
            let place = Place { round, epoch };
            self.setup.check_cancelled()?;
            self.fit_functions(place, &seed, &mut conditionals, &logits)?;
            self.fit_structure(place, &mut episodes, &conditionals, &mut logits)?;
        }
        let mut psi = logits.mapv(sigmoid);
        psi.diag_mut().fill(0.0);
        Ok(Belief::from_psi(&psi)?)
    }

    fn start(&self, prior: &Belief) -> Array2<f64> {
        let least = sigmoid(-self.setup.params.max_logit);
        let clamped = |psi: f64| logit(psi.clamp(least, 1.0 - least));
        let mut logits = prior.psi().mapv(clamped);
        self.setup.rules.set_existence(&mut logits);
        logits
    }

    /// Phase 1: networks learn from observational rows under sampled parent sets.
    fn fit_functions(
        &self,
        place: Place,
        seed: &Seed,
        conditionals: &mut [Conditional],
        logits: &Array2<f64>,
    ) -> Result<(), LearnError> {
        let (params, samples) = (&self.setup.params, &self.setup.samples);
        let rows = samples.observational();
        let stage = DistributionStage {
            samples,
            rows,
            batch: params.batch,
            steps: params.model_steps,
            real_steps: params.model_steps,
            adam: AdamParams::at(params.model_rate),
            weight_decay: params.decay_rows / rows.len() as f64,
            seed: seed.derive("functions", place.epoch),
        };
        let logits = EdgeLogits::of_edges(logits.clone());
        self.setup
            .fit_networks(place, &stage, conditionals, &logits)
    }

    /// Phases 2 and 3: episodes, each with one step of the logits.
    fn fit_structure(
        &self,
        place: Place,
        episodes: &mut Episodes,
        conditionals: &[Conditional],
        logits: &mut Array2<f64>,
    ) -> Result<(), LearnError> {
        let setup = &self.setup;
        let total = setup.params.episodes * setup.samples.interventional().len();
        for done in 1..=total {
            episodes.run((setup, conditionals), logits);
            if setup.observer.is_some() {
                let n_edges = logits.iter().filter(|logit| **logit > 0.0).count();
                setup.report(place, Stage::Graph, (done, total), n_edges);
                setup.check_cancelled()?;
            }
        }
        Ok(())
    }
}

impl LocalMethod for Sdi {
    fn update(&mut self, round: Round, prior: &Belief) -> Result<Belief, LocalMethodError> {
        self.learn(round.index(), prior)
            .map_err(LocalMethodError::new)
    }

    fn keeps_state(&self) -> bool {
        false
    }

    fn tests(&self, belief: &Belief, which: Tested, smallest_cell: f64) -> Vec<EdgeTest> {
        tests_of_pairs(belief, &self.setup.samples, which, smallest_cell)
    }
}

#[cfg(test)]
mod tests {
    use fedcdi_core::{DatasetBuilder, Regime, Schema, VarId, Variable};
    use ndarray::array;

    use super::*;

    #[test]
    fn a_round_starts_from_psi_within_the_bound_of_logits() {
        let variables = ["a", "b"].map(|name| Variable::with_codes(name, 2));
        let schema = Arc::new(Schema::new(variables.to_vec()).unwrap());
        let mut builder = DatasetBuilder::with_capacity(schema, 4);
        for row in 0..2 {
            builder.push(&[row, row], &Regime::Observational).unwrap();
            let on_first = Regime::intervened([VarId(0)]);
            builder.push(&[row, 0], &on_first).unwrap();
        }
        let params = SdiParams {
            max_logit: 2.0,
            ..SdiParams::default()
        };
        let sdi = Sdi::new(params, &builder.finish().unwrap(), Seed::new(0)).unwrap();
        let start = |psi: Array2<f64>| sdi.start(&Belief::from_psi(&psi).unwrap());
        // ln(0.3 / 0.7) and ln(0.2 / 0.8) are within the bound, those of 0.95 and 0.001 are not.
        let within = start(array![[0.0, 0.3], [0.2, 0.0]]);
        assert!((within[(0, 1)] - (3f64 / 7.0).ln()).abs() < 1e-3);
        assert!((within[(1, 0)] - 0.25f64.ln()).abs() < 1e-3);
        let beyond = start(array![[0.0, 0.95], [0.001, 0.0]]);
        assert!((beyond[(0, 1)] - 2.0).abs() < 1e-9 && (beyond[(1, 0)] + 2.0).abs() < 1e-9);
    }
}
