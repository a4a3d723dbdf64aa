//! G-test of categorical variables: the centred statistic of [`Strata`], against chi-squared.
//!
//! Few rows per combination have no power, so such a test says independent: with 10 categories two
//! given variables need 40500 rows.

use fedcdi_core::{Dataset, VarId, VarSet};

use super::IndependenceTests;
use super::counts::Counted;
use super::strata::Strata;
use super::tail::ln_chi_squared;
use super::targets::interventional;

pub(super) struct GTest(pub(super) Contexts);

/// Observational samples, and each regime beside them with its label.
pub(super) struct Contexts {
    pub(super) observed: Counted,
    pub(super) targets: Vec<VarSet>,
    pub(super) labelled: Vec<Counted>,
}

impl Contexts {
    pub(super) fn new(data: &Dataset) -> Self {
        let (numbers, targets) = interventional(data);
        let labelled = |number| Counted::labelled(data, number);
        Self {
            observed: Counted::new(&data.select(&data.observational())),
            labelled: numbers.into_iter().map(labelled).collect(),
            targets,
        }
    }
}

impl IndependenceTests for GTest {
    fn n_vars(&self) -> usize {
        self.0.observed.n_vars()
    }

    fn regimes(&self) -> &[VarSet] {
        &self.0.targets
    }

    /// Complexity: O(n (g + log n)) for n samples and g given variables.
    fn independence(&self, a: VarId, b: VarId, given: &VarSet, _level: f64) -> f64 {
        log_p(&self.0.observed, a, b, given)
    }

    fn invariance(&self, var: VarId, regime: usize, given: &VarSet, _level: f64) -> f64 {
        let label = VarId(self.n_vars());
        log_p(&self.0.labelled[regime], var, label, given)
    }
}

fn log_p(samples: &Counted, a: VarId, b: VarId, given: &VarSet) -> f64 {
    let Some(cells) = samples.cells([a, b], given) else {
        return 0.0;
    };
    let strata = Strata::of(&cells, [a, b].map(|var| samples.size(var)));
    if strata.is_filled() {
        ln_chi_squared(strata.g, strata.degrees)
    } else {
        0.0
    }
}
