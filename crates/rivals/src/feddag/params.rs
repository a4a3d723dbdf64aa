//! Settings of FedDAG, and their ranges.

use fedcdi_core::ParamsError;
use fedcdi_core::choice::Params;
use serde::{Deserialize, Serialize};

use crate::rows::RowsUsed;
use fedcdi_learn::predict::HeadChoice;

/// Settings of FedDAG.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FedDagParams {
    /// What clients share.
    pub sharing: Sharing,
    /// What the networks predict.
    pub head: HeadChoice,
    /// Which rows are used.
    pub rows: RowsUsed,
    /// Hidden units per layer; the paper's four layers of 16.
    pub hidden: Vec<usize>,
    /// Rows per step; > 0.
    pub batch: usize,
    /// tau of the soft mask; > 0.
    pub temperature: f64,
    /// Step size of Adam, for networks and logits; > 0.
    pub rate: f64,
    /// Price of an edge; >= 0.
    pub sparsity: f64,
    /// Steps between two decisions about the penalty; > 0.
    pub steps: usize,
    /// Steps between two averages over clients; > 0.
    pub exchange_every: usize,
    /// Most decisions; > 0.
    pub iterations: usize,
    /// First penalty of cycles; > 0, and 0.001 in the paper. Left out, it goes by the number of
    /// variables ([`Self::first_penalty`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub penalty: Option<f64>,
    /// What it is multiplied by where cycles do not fall to a quarter; > 1.
    pub penalty_growth: f64,
    /// Cycles (h) at which it ends; > 0.
    pub tolerance: f64,
}

/// What clients share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sharing {
    /// Edge logits: GS-FedDAG.
    Graph,
    /// Edge logits and networks, for clients whose mechanisms are the same: AS-FedDAG.
    All,
}

impl Default for FedDagParams {
    fn default() -> Self {
        Self {
            sharing: Sharing::Graph,
            head: HeadChoice::Categories,
            rows: RowsUsed::Untouched,
            hidden: vec![16; 4],
            batch: 128,
            temperature: 0.2,
            rate: 0.03,
            sparsity: 2e-3,
            steps: 1000,
            exchange_every: 200,
            iterations: 40,
            penalty: None,
            penalty_growth: 5.0,
            tolerance: 1e-10,
        }
    }
}

impl FedDagParams {
    /// The first penalty for this many variables, if none is set: it pushes an undecided edge of a
    /// graph in which all are undecided as hard as the paper's 0.001 does among ten variables. That
    /// push grows fast: with 0.001, 20 variables would be left without edges before the networks
    /// have learned anything.
    pub fn first_penalty(&self, n_vars: usize) -> f64 {
        let published = || 1e-3 * undecided_push(10) / undecided_push(n_vars);
        self.penalty
            .unwrap_or_else(|| published().max(f64::MIN_POSITIVE))
    }
}

impl Params for FedDagParams {
    const NAME: &str = "feddag";
    const SUMMARY: &str =
        "FedDAG (Gao et al. 2023): networks under a shared mask, acyclic by constraint";

    fn check(&self) -> Result<(), ParamsError> {
        for (field, value) in [
            ("batch", self.batch),
            ("steps", self.steps),
            ("exchange_every", self.exchange_every),
            ("iterations", self.iterations),
        ] {
            ParamsError::some(field, value)?;
        }
        for (field, value) in [
            ("temperature", self.temperature),
            ("rate", self.rate),
            ("penalty", self.penalty.unwrap_or(1.0)),
            ("tolerance", self.tolerance),
        ] {
            ParamsError::positive(field, value)?;
        }
        ParamsError::not_negative("sparsity", self.sparsity)?;
        ParamsError::growth("penalty_growth", self.penalty_growth)?;
        ParamsError::widths("hidden", &self.hidden)
    }
}

/// `h dh/dA_ij` with A (the mask squared) 1/4 everywhere beside its diagonal, where h is
/// `tr e^A - N`: what the penalty `rho h^2 / 2` pushes an edge with, per rho. The eigenvalues of A are
/// `(N - 1) / 4` and, N - 1 times, -1/4.
fn undecided_push(n_vars: usize) -> f64 {
    let n = n_vars as f64;
    let (together, apart) = ((0.25 * (n - 1.0)).exp(), (-0.25_f64).exp());
    let cycles = together + (n - 1.0) * apart - n;
    cycles * (together - apart) / n
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: e^2.25 = 9.488 and e^-0.25 = 0.779 give h = 6.497 and an entry of 0.871 for ten
    /// variables, e^4.75 = 115.6 gives 110.4 and 5.741 for twenty.
    #[test]
    fn the_first_penalty_falls_with_the_number_of_variables() {
        let params = FedDagParams::default();
        assert!((params.first_penalty(10) - 1e-3).abs() < 1e-12);
        let expected = 1e-3 * (6.497 * 0.871) / (110.4 * 5.741);
        assert!((params.first_penalty(20) / expected - 1.0).abs() < 1e-3);
        assert!(params.first_penalty(9000) > 0.0);
        let set = FedDagParams {
            penalty: Some(0.1),
            ..params
        };
        assert_eq!(set.first_penalty(20), 0.1);
    }

    #[test]
    fn settings_out_of_range_are_named() {
        let refused = |change: fn(&mut FedDagParams)| {
            let mut params = FedDagParams::default();
            change(&mut params);
            params.check().unwrap_err().to_string()
        };
        assert!(FedDagParams::default().check().is_ok());
        assert!(refused(|p| p.temperature = 0.0).contains("temperature"));
        assert!(refused(|p| p.penalty_growth = 1.0).contains("penalty_growth"));
        assert!(refused(|p| p.hidden.clear()).contains("hidden"));
        assert!(refused(|p| p.exchange_every = 0).contains("exchange_every"));
    }
}
