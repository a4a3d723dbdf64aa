//! Methods without data.

use std::collections::BTreeSet;

use fedcdi_core::{
    Belief, EdgeTest, LocalMethod, LocalMethodError, Round, Seed, Tested, TestedGraph, VarId,
};
use ndarray::Array2;
use rand::RngExt;

/// What a toy method is like.
#[derive(Clone, Debug, Default)]
pub(crate) struct Habits {
    /// Root of what the sites believe.
    pub(crate) seed: u64,
    /// Whether a posterior depends on all earlier rounds, and on how often it was asked for.
    pub(crate) keeps_state: bool,
    /// Rounds in which a site has no posterior, by round and site.
    pub(crate) fails: BTreeSet<(u32, u32)>,
}

/// A method whose posterior follows from site, round and prior, and from the rounds before if it
/// keeps state.
pub(crate) struct Toy {
    site: u32,
    habits: Habits,
    /// A fading sum of all priors and posteriors.
    past: Option<[Array2<f64>; 2]>,
    n_updates: usize,
}

impl Toy {
    pub(crate) fn new(site: u32, habits: Habits) -> Self {
        Self {
            site,
            habits,
            past: None,
            n_updates: 0,
        }
    }

    fn seed(&self) -> Seed {
        Seed::new(self.habits.seed).derive("site", self.site as usize)
    }

    /// `prior` and the past, faded.
    fn remembered(&self, prior: &Belief) -> [Array2<f64>; 2] {
        let mut sum = [prior.existence() * 0.5, prior.orientation() * 0.5];
        if let Some(past) = &self.past {
            for (sum, past) in sum.iter_mut().zip(past) {
                sum.scaled_add(0.25, past);
            }
        }
        sum
    }
}

/// Random logits up to `size`.
pub(crate) fn noise(n_vars: usize, size: f64, seed: Seed) -> Belief {
    let mut rng = seed.rng();
    let mut draw =
        || Array2::from_shape_simple_fn((n_vars, n_vars), || rng.random_range(-size..size));
    let (existence, square) = (draw(), draw());
    Belief::new(existence, &square - &square.t()).unwrap()
}

impl LocalMethod for Toy {
    fn update(&mut self, round: Round, prior: &Belief) -> Result<Belief, LocalMethodError> {
        if self.habits.fails.contains(&(round.0, self.site)) {
            return Err(LocalMethodError::new("no luck today"));
        }
        let seed = self.seed().derive("round", round.index());
        let seed = seed.derive("update", self.n_updates);
        let new = noise(prior.n_vars(), 4.0, seed);
        let [existence, orientation] = self.remembered(prior);
        let posterior = Belief::new(existence + new.existence(), orientation + new.orientation());
        let posterior = posterior.map_err(LocalMethodError::new)?;
        if self.habits.keeps_state {
            self.n_updates += 1;
            let both = [posterior.existence(), posterior.orientation()];
            self.past = Some(both.map(Clone::clone));
        }
        Ok(posterior)
    }

    fn keeps_state(&self) -> bool {
        self.habits.keeps_state
    }

    /// Three of four tests that are asked for, strong and weak ones.
    fn tests(&self, belief: &Belief, which: Tested, _smallest_cell: f64) -> Vec<EdgeTest> {
        let test = |(cause, effect): (VarId, VarId)| {
            let seed = self.seed().derive("test", cause.0 * 100 + effect.0);
            let mut rng = seed.rng();
            rng.random_bool(0.75).then(|| EdgeTest {
                cause,
                effect,
                statistic: rng.random_range(0.0..60.0),
                degrees: f64::from(rng.random_range(1..4u8)),
            })
        };
        let pairs = TestedGraph::of(belief).pairs(which);
        pairs.into_iter().filter_map(test).collect()
    }
}

/// A method that always says the same, asked or not.
#[derive(Clone, Debug)]
pub(crate) struct Fixed {
    pub(crate) posterior: Belief,
    pub(crate) tests: Vec<EdgeTest>,
}

impl LocalMethod for Fixed {
    fn update(&mut self, _: Round, _: &Belief) -> Result<Belief, LocalMethodError> {
        Ok(self.posterior.clone())
    }

    fn tests(&self, _: &Belief, _: Tested, _: f64) -> Vec<EdgeTest> {
        self.tests.clone()
    }
}

/// A method that fails in these words.
#[derive(Clone, Debug)]
pub(crate) struct Failing(pub(crate) &'static str);

impl LocalMethod for Failing {
    fn update(&mut self, _: Round, _: &Belief) -> Result<Belief, LocalMethodError> {
        Err(LocalMethodError::new(self.0))
    }
}
