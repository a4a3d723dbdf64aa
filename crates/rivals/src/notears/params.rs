//! Settings of NOTEARS-ADMM, and their ranges.

use fedcdi_core::ParamsError;
use fedcdi_core::choice::Params;
use serde::{Deserialize, Serialize};

use crate::rows::RowsUsed;

/// Settings of NOTEARS and NOTEARS-ADMM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NotearsParams {
    /// Weight of the sum of absolute coefficients; > 0.
    pub sparsity: f64,
    /// Coefficients up to this size are no edges; >= 0.
    pub threshold: f64,
    /// First penalty of cycles; > 0.
    pub cycle_penalty: f64,
    /// What it is multiplied by in every iteration; > 1.
    pub cycle_growth: f64,
    /// First penalty of disagreement between clients; > 0.
    pub consensus_penalty: f64,
    /// What it is multiplied by in every iteration; > 1.
    pub consensus_growth: f64,
    /// Most iterations; > 0.
    pub iterations: usize,
    /// Cycles (`tr e^(W o W) - N`) and disagreement (largest difference of a coefficient) at which
    /// it ends; > 0.
    pub tolerance: f64,
    /// Which rows are used.
    pub rows: RowsUsed,
    /// Whether variables are divided by their deviation first, each client's by the client's own.
    /// Without it the order of variances gives much of the graph of simulated data away.
    pub standardise: bool,
}

impl Default for NotearsParams {
    fn default() -> Self {
        Self {
            sparsity: 0.01,
            threshold: 0.3,
            cycle_penalty: 1e-3,
            cycle_growth: 1.75,
            consensus_penalty: 1e-3,
            consensus_growth: 1.25,
            iterations: 200,
            tolerance: 1e-8,
            rows: RowsUsed::Untouched,
            standardise: false,
        }
    }
}

impl Params for NotearsParams {
    const NAME: &str = "notears";
    const SUMMARY: &str =
        "NOTEARS (Zheng et al. 2018; among sites Ng and Zhang 2022): linear, categories as numbers";

    fn check(&self) -> Result<(), ParamsError> {
        for (field, value) in [
            ("sparsity", self.sparsity),
            ("cycle_penalty", self.cycle_penalty),
            ("consensus_penalty", self.consensus_penalty),
            ("tolerance", self.tolerance),
        ] {
            ParamsError::positive(field, value)?;
        }
        ParamsError::growth("cycle_growth", self.cycle_growth)?;
        ParamsError::growth("consensus_growth", self.consensus_growth)?;
        ParamsError::not_negative("threshold", self.threshold)?;
        ParamsError::some("iterations", self.iterations)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_out_of_range_are_named() {
        let refused = |change: fn(&mut NotearsParams)| {
            let mut params = NotearsParams::default();
            change(&mut params);
            params.check().unwrap_err().to_string()
        };
        assert!(NotearsParams::default().check().is_ok());
        assert!(refused(|p| p.sparsity = 0.0).contains("sparsity"));
        assert!(refused(|p| p.cycle_growth = 1.0).contains("cycle_growth"));
        assert!(refused(|p| p.threshold = f64::NAN).contains("threshold"));
        assert!(refused(|p| p.iterations = 0).contains("iterations"));
    }
}
