//! A local method whose answers do not depend on the order of columns and rows.
//!
//! SDI and DCDI draw by the place of a variable and of a row. Here they look at the
//! [`canonical`] table, and their beliefs come back in the order of the site's own.

use fedcdi_core::canonical::{Relabelling, canonical};
use fedcdi_core::{Belief, EdgeTest, LocalMethod, LocalMethodError, Round, Tested};

use crate::fit::samples::Samples;
use crate::independence::edge_tests::tests_of_pairs;
use crate::learn_error::LearnError;
use crate::registry::Inputs;

struct InOrder<M> {
    method: M,
    /// From the site's ids to the method's.
    forth: Relabelling,
    back: Relabelling,
    /// The rows as the site has them. Tests are of pairs that everybody finds in the same belief, so
    /// that belief must not be relabelled: ties may be broken by ids.
    samples: Samples,
}

/// The method that `make` makes of these inputs, in an order of its own.
pub(crate) fn in_order<M: LocalMethod + 'static>(
    inputs: Inputs<'_>,
    make: impl FnOnce(Inputs<'_>) -> Result<M, LearnError>,
) -> Result<Box<dyn LocalMethod>, LearnError> {
    let (found, expected) = (inputs.knowledge.n_vars(), inputs.data.n_vars());
    LearnError::check_size("knowledge", found, expected)?;
    let (data, forth) = canonical(inputs.data);
    let method = make(Inputs {
        data: &data,
        knowledge: &forth.knowledge(inputs.knowledge),
        ..inputs
    })?;
    Ok(Box::new(InOrder {
        method,
        back: forth.inverse(),
        forth,
        samples: Samples::new(inputs.data),
    }))
}

impl<M: LocalMethod> LocalMethod for InOrder<M> {
    fn update(&mut self, round: Round, prior: &Belief) -> Result<Belief, LocalMethodError> {
        let (found, expected) = (prior.n_vars(), self.samples.n_vars());
        LearnError::check_size("prior", found, expected).map_err(LocalMethodError::new)?;
        let posterior = self.method.update(round, &self.forth.belief(prior))?;
        Ok(self.back.belief(&posterior))
    }

    fn is_unfinished(&self) -> bool {
        self.method.is_unfinished()
    }

    fn keeps_state(&self) -> bool {
        self.method.keeps_state()
    }

    fn tests(&self, belief: &Belief, which: Tested, smallest_cell: f64) -> Vec<EdgeTest> {
        tests_of_pairs(belief, &self.samples, which, smallest_cell)
    }
}
