//! One client: a local method, and what may be told about its data.

use fedcdi_core::{
    Belief, ClientId, ClientReport, EdgeTest, Exchange, LocalMethod, LocalMethodError, Round,
    SampleCounts, SchemaHash, SharedBelief,
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
    /// What it is willing to test in the belief that it is sent.
    pub tested: Tested,
    /// The method that holds its data.
    pub method: Box<dyn LocalMethod>,
}

impl Client {
    /// Runs the method on the belief that was sent, and makes the report of this round, with the
    /// tests that were asked for and that it is willing to make. Nothing but this report leaves the
    /// client.
    ///
    /// # Errors
    /// [`LocalMethodError`] if the method has no posterior.
    pub fn answer(
        &mut self,
        round: Round,
        prior: &Belief,
        asked: Tested,
    ) -> Result<ClientReport, LocalMethodError> {
        let belief = match self.exchange {
            Exchange::Psi => SharedBelief::Psi(self.method.update(round, prior)?.psi()),
            Exchange::Logits => SharedBelief::Logits(self.method.update(round, prior)?),
        };
        Ok(ClientReport {
            client: self.id,
            round,
            schema: self.schema,
            belief,
            samples: self.samples.clone(),
            tests: self.tests(prior, asked),
        })
    }

    fn tests(&self, prior: &Belief, asked: Tested) -> Vec<EdgeTest> {
        let mut tests = Vec::new();
        if self.tested.edges && asked.edges {
            tests.extend(self.method.tests(prior));
        }
        if self.tested.absent && asked.absent {
            tests.extend(self.method.tests_of_absent(prior));
        }
        tests.sort_unstable_by_key(EdgeTest::edge);
        tests
    }
}

/// Which independence tests a client makes and sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tested {
    /// Those of edges.
    pub edges: bool,
    /// Those of pairs without an edge.
    pub absent: bool,
}
