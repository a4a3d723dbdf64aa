//! One client: a local method, and what may be told about its data.

use fedcdi_core::{
    Belief, ClientId, ClientReport, Exchange, LocalMethod, LocalMethodError, Round, SampleCounts,
    SchemaHash, SharedBelief,
};

/// A client as every transport drives it.
pub struct Client {
    /// Its number in the study.
    pub id: ClientId,
    /// Fingerprint of its variables and categories.
    pub schema: SchemaHash,
    /// Sizes of its data.
    pub samples: SampleCounts,
    /// Which numbers of its belief it sends.
    pub exchange: Exchange,
    /// Whether it tests the edges of the belief that it is sent.
    pub tests: bool,
    /// The method that holds its data.
    pub method: Box<dyn LocalMethod>,
}

impl Client {
    /// Runs the method on the belief that was sent, and makes the report of this round. Nothing
    /// but this report leaves the client.
    ///
    /// # Errors
    /// [`LocalMethodError`] if the method has no posterior.
    pub fn answer(
        &mut self,
        round: Round,
        prior: &Belief,
    ) -> Result<ClientReport, LocalMethodError> {
        let belief = match self.exchange {
            Exchange::Psi => SharedBelief::Psi(self.method.update(round, prior)?.psi()),
            Exchange::Logits => SharedBelief::Logits(self.method.update(round, prior)?),
            Exchange::Gradients { every } => {
                SharedBelief::Gradients(Box::new(self.method.gradients(round, prior, every)?))
            }
        };
        Ok(ClientReport {
            client: self.id,
            round,
            schema: self.schema,
            belief,
            samples: self.samples.clone(),
            tests: if self.tests {
                self.method.tests(prior)
            } else {
                Vec::new()
            },
        })
    }
}
