//! What every local method offers: a better belief from its own data.
//!
//! Paper: FedCDI section 4.1, the local causal discovery method (LCDM) of Algorithm 1.

use crate::belief::Belief;
use crate::edge_test::EdgeTest;
use crate::round::Round;

/// A causal discovery method on one client's data.
///
/// It may keep state of its own between rounds; only the belief that it returns can leave the
/// client, as a field of a [`ClientReport`](crate::ClientReport).
pub trait LocalMethod: Send {
    /// The posterior of this round, from the client's data and the belief it was sent.
    ///
    /// # Errors
    /// [`LocalMethodError`] if there is no posterior; the client is then absent from the round.
    fn update(&mut self, round: Round, prior: &Belief) -> Result<Belief, LocalMethodError>;

    /// Whether the last posterior is of training that ran out of iterations before it met the
    /// method's own constraints. It is for those who look after the client, and is not reported.
    fn is_unfinished(&self) -> bool {
        false
    }

    /// Independence tests of the edges of `belief` ([`TestedGraph`](crate::TestedGraph)) on the client's rows, sorted by
    /// edge; those that the rows are too few for, or that the method cannot make, are left out.
    fn tests(&self, _belief: &Belief) -> Vec<EdgeTest> {
        Vec::new()
    }

    /// The same tests of every pair that `belief` leaves unconnected, in both directions: given the
    /// parents of its effect.
    fn tests_of_absent(&self, _belief: &Belief) -> Vec<EdgeTest> {
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
    use crate::belief::BeliefError;

    #[test]
    fn text_and_errors_keep_their_words() {
        assert_eq!(LocalMethodError::new("no rows").to_string(), "no rows");
        let error = BeliefError::Shape {
            existence: [2, 3],
            orientation: [2, 3],
        };
        let text = error.to_string();
        assert_eq!(LocalMethodError::new(error).to_string(), text);
    }
}
