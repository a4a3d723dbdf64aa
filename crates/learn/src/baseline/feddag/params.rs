//! Settings of FedDAG, and their ranges.

use fedcdi_core::ParamsError;
use serde::{Deserialize, Serialize};

use super::fit::FedDag;
use crate::baseline::rows::RowsUsed;
use crate::predict::HeadChoice;

/// Settings of [`FedDag`].
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
    /// First penalty of cycles; > 0, and 1e-3 in the paper. With twenty variables an undecided graph
    /// has an h in the thousands, and so strong a penalty empties it before the networks have learned
    /// anything.
    pub penalty: f64,
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
            penalty: 1e-9,
            penalty_growth: 5.0,
            tolerance: 1e-10,
        }
    }
}

impl FedDagParams {
    /// The method, if the settings are in range.
    ///
    /// # Errors
    /// [`ParamsError`] naming the first field out of range.
    pub fn check(self) -> Result<FedDag, ParamsError> {
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
            ("penalty", self.penalty),
            ("tolerance", self.tolerance),
        ] {
            ParamsError::positive(field, value)?;
        }
        ParamsError::not_negative("sparsity", self.sparsity)?;
        ParamsError::growth("penalty_growth", self.penalty_growth)?;
        ParamsError::widths("hidden", &self.hidden)?;
        Ok(FedDag::new(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_out_of_range_are_named() {
        let refused = |change: fn(&mut FedDagParams)| {
            let mut params = FedDagParams::default();
            change(&mut params);
            params.check().map(|_| ()).unwrap_err().to_string()
        };
        assert!(FedDagParams::default().check().is_ok());
        assert!(refused(|p| p.temperature = 0.0).contains("temperature"));
        assert!(refused(|p| p.penalty_growth = 1.0).contains("penalty_growth"));
        assert!(refused(|p| p.hidden.clear()).contains("hidden"));
        assert!(refused(|p| p.exchange_every = 0).contains("exchange_every"));
    }
}
