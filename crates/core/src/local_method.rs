//! What every local method offers: a better belief from its own data.
//!
//! Paper: FedCDI section 4.1, the local causal discovery method (LCDM) of Algorithm 1.

use crate::belief::Belief;
use crate::edge_test::{EdgeTest, Tested};
use crate::round::Round;
use crate::variable::VarId;

/// A causal discovery method on one client's data.
///
/// It may keep state of its own between rounds; only the belief that it returns can leave the
/// client, as terms of a sum over clients.
pub trait LocalMethod: Send {
    /// The posterior of this round, from the client's data and the belief it was sent. A call that
    /// fails leaves the method as it was.
    ///
    /// # Errors
    /// [`LocalMethodError`] if there is no posterior; the client is then absent from the round.
    fn update(&mut self, round: Round, prior: &Belief) -> Result<Belief, LocalMethodError>;

    /// Whether the last posterior is of training that ran out of iterations before it met the
    /// method's own constraints. It is for those who look after the client, and is not reported.
    fn is_unfinished(&self) -> bool {
        false
    }

    /// Whether a posterior depends on earlier rounds by more than the belief that was sent. A site
    /// that starts again then repeats its earlier rounds first.
    fn keeps_state(&self) -> bool {
        true
    }

    /// Pairs with signs of a common cause that was not measured, and how strong they are (0..=1),
    /// strongest first. They stay with the client.
    fn confounders(&self) -> Vec<(VarId, VarId, f64)> {
        Vec::new()
    }

    /// Independence tests of pairs of `belief` ([`TestedGraph`](crate::TestedGraph)) on the client's
    /// rows, sorted by edge: of its edges given the other parents of their effects, and of pairs that
    /// it leaves unconnected, in both directions, given the parents of the effect. Cells that fewer
    /// than `smallest_cell` rows would be in if the two were independent are not counted. Tests that
    /// the rows are too few for, or that the method cannot make, are left out.
    fn tests(&self, _belief: &Belief, _which: Tested, _smallest_cell: f64) -> Vec<EdgeTest> {
        Vec::new()
    }
}

/// Why a local method has no posterior: the method's own error, or a message.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct LocalMethodError(Box<dyn std::error::Error + Send + Sync>);

impl LocalMethodError {
    /// From an error of the method, or from text.
    pub fn new(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(error.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_errors_keep_their_words() {
        assert_eq!(LocalMethodError::new("no rows").to_string(), "no rows");
        let error = Belief::from_psi(&ndarray::Array2::zeros((2, 3))).unwrap_err();
        let text = error.to_string();
        assert_eq!(LocalMethodError::new(error).to_string(), text);
    }
}
