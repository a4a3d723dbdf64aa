//! ENCO as a local method: one round from the belief it is given to the belief it returns.

use std::sync::Arc;

use fedcdi_core::choice::Params;
use fedcdi_core::{
    Belief, Dataset, EdgeTest, Knowledge, LocalMethod, LocalMethodError, Regime, Round, Seed,
    Tested, VarId,
};

use super::choices::Networks;
use super::confounder::Confounders;
use super::params::EncoParams;
use super::prior::{self, PriorTerm};
use super::round::RoundWork;
use super::schedule::Fold;
use crate::fit::conditional::Conditional;
use crate::fit::samples::Samples;
use crate::fit::setup::Setup;
use crate::independence::edge_tests::tests_of_pairs;
use crate::learn_error::LearnError;
use crate::progress::Observer;

/// ENCO on one dataset.
pub struct Enco {
    pub(super) setup: Setup<EncoParams>,
    conditionals: Vec<Conditional>,
    confounders: Option<Confounders>,
}

impl Enco {
    /// ENCO on `data` without background knowledge.
    ///
    /// # Errors
    /// [`LearnError`] if a setting is out of range or the data cannot be learned from.
    pub fn new(params: EncoParams, data: &Dataset, seed: Seed) -> Result<Self, LearnError> {
        params.check()?;
        check_data(data)?;
        let samples = Samples::new(data);
        let params = params.at(&samples);
        let held_out = params.holdout_share(&samples) > 0.0 && Fold::can_hold_out(&samples);
        if samples.interventional().is_empty() && !held_out {
            return Err(LearnError::NothingToCompare);
        }
        Ok(Self {
            conditionals: Vec::new(),
            confounders: params.confounders.then(|| Confounders::new(data.n_vars())),
            setup: Setup::new(params, data, samples, seed),
        })
    }

    /// With edges that are known beforehand.
    ///
    /// # Errors
    /// [`LearnError::Size`] if the knowledge is about another number of variables.
    pub fn with_knowledge(mut self, knowledge: &Knowledge) -> Result<Self, LearnError> {
        self.setup.set_knowledge(knowledge)?;
        Ok(self)
    }

    /// With someone who watches.
    #[must_use]
    pub fn with_observer(mut self, observer: Option<Arc<dyn Observer>>) -> Self {
        self.setup.observer = observer;
        self
    }

    fn prepare_networks(&mut self, seed: &Seed) {
        let params = &self.setup.params;
        if params.networks == Networks::New || self.conditionals.is_empty() {
            self.conditionals = self.setup.new_networks(&params.hidden, seed);
        }
    }
}

impl LocalMethod for Enco {
    fn update(&mut self, round: Round, prior: &Belief) -> Result<Belief, LocalMethodError> {
        let before = self.keeps_state().then(|| self.conditionals.clone());
        self.learn(round.index(), prior).map_err(|error| {
            if let Some(networks) = before {
                self.conditionals = networks;
            }
            LocalMethodError::new(error)
        })
    }

    /// With new networks a round depends on nothing but its number and the prior.
    fn keeps_state(&self) -> bool {
        self.setup.params.networks == Networks::Kept
    }

    fn confounders(&self) -> Vec<(VarId, VarId, f64)> {
        self.confounders
            .as_ref()
            .map_or_else(Vec::new, Confounders::pairs)
    }

    fn tests(&self, belief: &Belief, which: Tested, smallest_cell: f64) -> Vec<EdgeTest> {
        tests_of_pairs(belief, &self.setup.samples, which, smallest_cell)
    }
}

impl Enco {
    /// The posterior after `round` (from 0), starting from `prior`.
    ///
    /// # Errors
    /// [`LearnError`] if the prior does not fit the data or the training fails.
    pub fn learn(&mut self, round: usize, prior: &Belief) -> Result<Belief, LearnError> {
        self.setup.check_size("prior", prior.n_vars())?;
        let seed = self.setup.seed.derive("round", round);
        self.prepare_networks(&seed);
        let Setup { params, rules, .. } = &self.setup;
        let mut logits = prior::start(params, prior, rules, &seed.derive("start", 0))?;
        let round = RoundWork {
            setup: &self.setup,
            number: round,
            seed,
            prior: PriorTerm::new(params.prior_loss, prior),
        };
        if let Some(confounders) = &mut self.confounders {
            confounders.begin_round();
        }
        let (conditionals, confounders) = (&mut self.conditionals, self.confounders.as_mut());
        round.run(conditionals, &mut logits, confounders)?;
        Ok(logits.into_belief()?)
    }
}

pub(crate) fn check_data(data: &Dataset) -> Result<(), LearnError> {
    if !data.regimes().first().is_some_and(Regime::is_observational) {
        return Err(LearnError::NoObservationalRows);
    }
    LearnError::check_variables(data, |_| data.observational())
}

#[cfg(test)]
mod tests {
    use fedcdi_core::{DatasetBuilder, Schema, Variable};

    use super::*;
    use crate::enco::choices::{Holdout, WeightDecay};

    /// Two binary variables that agree in nine rows of ten, observed and under an intervention on the
    /// first.
    fn data(observational: usize, interventional: usize) -> Dataset {
        let variables = ["a", "b"].map(|name| Variable::with_codes(name, 2));
        let schema = Arc::new(Schema::new(variables.to_vec()).unwrap());
        let n_rows = observational + interventional;
        let mut builder = DatasetBuilder::with_capacity(schema, n_rows);
        for row in 0..n_rows {
            let (a, differs) = ((row % 2) as u16, row % 20 < 2);
            let regime = if row < observational {
                Regime::Observational
            } else {
                Regime::intervened([VarId(0)])
            };
            let b = if differs { 1 - a } else { a };
            builder.push(&[a, b], &regime).unwrap();
        }
        builder.finish().unwrap()
    }

    fn quick() -> EncoParams {
        EncoParams {
            epochs: 2,
            hidden: vec![8],
            model_steps: 30,
            later_model_steps: 20,
            graph_steps: 5,
            holdout: Holdout::Never,
            adapt: false,
            ..EncoParams::default()
        }
    }

    /// ENCO after rounds 0 and 1.
    fn after_two_rounds(params: EncoParams, data: &Dataset) -> Enco {
        let mut enco = Enco::new(params, data, Seed::new(3)).unwrap();
        let first = enco.learn(0, &Belief::uninformed(2)).unwrap();
        enco.learn(1, &first).unwrap();
        enco
    }

    fn steps(enco: &Enco) -> Vec<usize> {
        enco.conditionals.iter().map(Conditional::steps).collect()
    }

    #[test]
    fn kept_networks_go_on_and_new_ones_start_again() {
        let with = |networks| EncoParams {
            networks,
            ..quick()
        };
        // Two epochs of 30 steps, then two of 20.
        let kept = after_two_rounds(with(Networks::Kept), &data(300, 100));
        assert_eq!(steps(&kept), [100, 100]);
        let new = after_two_rounds(with(Networks::New), &data(300, 100));
        assert_eq!(steps(&new), [40, 40]);
    }

    /// Stops learning once networks have moved.
    struct Impatient(std::sync::atomic::AtomicUsize);

    impl Observer for Impatient {
        fn progress(&self, _: &crate::progress::Progress) {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }

        fn is_cancelled(&self) -> bool {
            self.0.load(std::sync::atomic::Ordering::Relaxed) > 1
        }
    }

    #[test]
    fn a_round_that_fails_leaves_kept_networks_as_they_were() {
        let params = EncoParams {
            networks: Networks::Kept,
            ..quick()
        };
        let enco = after_two_rounds(params, &data(300, 100));
        let before = steps(&enco);
        let mut enco = enco.with_observer(Some(Arc::new(Impatient(0.into()))));
        let prior = Belief::uninformed(2);
        assert!(enco.update(Round(3), &prior).is_err());
        assert_eq!(steps(&enco), before);
    }

    #[test]
    fn a_client_with_few_rows_has_settings_of_its_own() {
        let params = EncoParams {
            graphs: 10,
            orientation_rate: 0.3,
            adapt: true,
            ..quick()
        };
        let few = after_two_rounds(params.clone(), &data(300, 100));
        assert_eq!(
            (few.setup.params.graphs, few.setup.params.orientation_rate),
            (20, 0.3 / 3.0)
        );
        // Two epochs of three quarters of 20 steps.
        assert_eq!(steps(&few), [30, 30]);
        let enough = after_two_rounds(params.clone(), &data(1500, 100));
        assert_eq!(
            (
                enough.setup.params.graphs,
                enough.setup.params.orientation_rate
            ),
            (10, 0.3)
        );
        assert_eq!(steps(&enough), [40, 40]);
        let mut first = Enco::new(params, &data(300, 100), Seed::new(3)).unwrap();
        first.learn(0, &Belief::uninformed(2)).unwrap();
        assert_eq!(steps(&first), [30, 30]);
    }

    #[test]
    fn a_fixed_decay_reaches_the_networks() {
        let size = |decay| {
            let params = EncoParams {
                weight_decay: WeightDecay::Fixed(decay),
                model_steps: 200,
                ..quick()
            };
            let mut enco = Enco::new(params, &data(300, 100), Seed::new(3)).unwrap();
            enco.learn(0, &Belief::uninformed(2)).unwrap();
            let layers = &enco.conditionals[1].network().layers;
            let weights = layers.iter().flat_map(|layer| layer.weights.iter());
            weights.map(|w| w * w).sum::<f32>()
        };
        let [none, strong] = [0.0, 1.0].map(size);
        assert!(strong < none / 10.0, "{none} {strong}");
    }
}
