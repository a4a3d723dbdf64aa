//! ENCO as a local method: one round from the belief it is given to the belief it returns.

use std::sync::Arc;

use fedcdi_core::choice::Params;
use fedcdi_core::{
    Belief, Dataset, EdgeTest, Knowledge, LocalMethod, LocalMethodError, Regime, Round, Seed,
    Tested, VarId,
};

use super::confounder::Confounders;
use super::params::EncoParams;
use super::schedule::can_hold_out;
use crate::fit::samples::Samples;
use crate::fit::setup::Setup;
use crate::independence::edge_tests::tests_of_pairs;
use crate::learn_error::LearnError;
use crate::progress::Observer;

/// ENCO on one dataset.
pub struct Enco {
    setup: Setup<EncoParams>,
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
        let held_out = params.holdout_share(&samples) > 0.0 && can_hold_out(&samples);
        if samples.interventional().is_empty() && !held_out {
            return Err(LearnError::NothingToCompare);
        }
        Ok(Self {
            confounders: params.confounders.then(|| Confounders::new(data.n_vars())),
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
        let confounders = self.confounders.as_mut();
        Ok(self.setup.run(round, prior, confounders)?.0)
    }
}

impl LocalMethod for Enco {
    fn update(&mut self, round: Round, prior: &Belief) -> Result<Belief, LocalMethodError> {
        self.learn(round.index(), prior)
            .map_err(LocalMethodError::new)
    }

    fn keeps_state(&self) -> bool {
        false
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
    use crate::fit::conditional::Conditional;

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

    /// ENCO, and how many steps each network of round 1 took.
    fn after_two_rounds(params: EncoParams, data: &Dataset) -> (Enco, Vec<usize>) {
        let mut enco = Enco::new(params, data, Seed::new(3)).unwrap();
        let first = enco.learn(0, &Belief::uninformed(2)).unwrap();
        let (_, networks) = enco.setup.run(1, &first, None).unwrap();
        (enco, steps(&networks))
    }

    fn steps(networks: &[Conditional]) -> Vec<usize> {
        networks.iter().map(Conditional::steps).collect()
    }

    #[test]
    fn every_round_trains_new_networks() {
        // Two epochs of 20 steps, and none of the first round.
        let (enco, steps) = after_two_rounds(quick(), &data(300, 100));
        assert_eq!(steps, [40, 40]);
        assert!(!enco.keeps_state());
    }

    #[test]
    fn a_client_with_few_rows_has_settings_of_its_own() {
        let params = EncoParams {
            graphs: 10,
            orientation_rate: 0.3,
            adapt: true,
            ..quick()
        };
        let (few, few_steps) = after_two_rounds(params.clone(), &data(300, 100));
        assert_eq!(
            (few.setup.params.graphs, few.setup.params.orientation_rate),
            (20, 0.3 / 3.0)
        );
        // Two epochs of three quarters of 20 steps.
        assert_eq!(few_steps, [30, 30]);
        let (enough, enough_steps) = after_two_rounds(params.clone(), &data(1500, 100));
        assert_eq!(
            (
                enough.setup.params.graphs,
                enough.setup.params.orientation_rate
            ),
            (10, 0.3)
        );
        assert_eq!(enough_steps, [40, 40]);
        let first = Enco::new(params, &data(300, 100), Seed::new(3)).unwrap();
        let first = first.setup.run(0, &Belief::uninformed(2), None);
        assert_eq!(steps(&first.unwrap().1), [30, 30]);
    }

    #[test]
    fn a_fixed_decay_reaches_the_networks() {
        let size = |decay| {
            let params = EncoParams {
                weight_decay: WeightDecay::Fixed(decay),
                model_steps: 200,
                ..quick()
            };
            let enco = Enco::new(params, &data(300, 100), Seed::new(3)).unwrap();
            let learned = enco.setup.run(0, &Belief::uninformed(2), None);
            let networks = learned.unwrap().1;
            let layers = &networks[1].network().layers;
            let weights = layers.iter().flat_map(|layer| layer.weights.iter());
            weights.map(|w| w * w).sum::<f32>()
        };
        let [none, strong] = [0.0, 1.0].map(size);
        assert!(strong < none / 10.0, "{none} {strong}");
    }
}
