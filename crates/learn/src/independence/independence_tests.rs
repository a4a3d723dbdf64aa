//! What every pair of tests offers.

use fedcdi_core::{VarId, VarSet};

/// Independence in the observational samples, and invariance between them and other regimes.
pub trait IndependenceTests: Send + Sync {
    /// Number of variables.
    fn n_vars(&self) -> usize;

    /// Targets of the interventional regimes, in the order in which they are numbered.
    fn regimes(&self) -> &[VarSet];

    /// Logarithm of the p-value of independence of two variables given others, in the observational
    /// samples. A rough one will do where it is clear on which side of `level` it is.
    fn independence(&self, a: VarId, b: VarId, given: &VarSet, level: f64) -> f64;

    /// Logarithm of the p-value of the law of `var` given others being the same in this regime as in
    /// the observational samples, likewise.
    fn invariance(&self, var: VarId, regime: usize, given: &VarSet, level: f64) -> f64;

    /// All other variables, those first that are likely to depend most on `var` given others; `None`
    /// where only tests can tell. It saves tests, and decides nothing but the order of them.
    fn likeliest(&self, _var: VarId, _given: &VarSet) -> Option<Vec<VarId>> {
        None
    }
}
