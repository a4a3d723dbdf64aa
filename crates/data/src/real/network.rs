//! A causal graph with the mechanisms of its real variables.

use std::sync::Arc;

use fedcdi_core::{Dag, Schema, SchemaError, Seed, VarId, Variable};

use super::{RealFamily, RealMechanism};
use crate::network::variable_names;

/// A structural causal model of real variables.
#[derive(Clone, Debug, PartialEq)]
pub struct RealNetwork {
    schema: Arc<Schema>,
    dag: Dag,
    mechanisms: Vec<RealMechanism>,
}

impl RealNetwork {
    /// A network over `dag` with random mechanisms; variables are called `X1`, `X2`, .. (with
    /// leading zeros where needed).
    ///
    /// # Errors
    /// [`SchemaError`] if there are no variables.
    pub fn random(dag: &Dag, family: RealFamily, seed: Seed) -> Result<Self, SchemaError> {
        let variables = variable_names(dag.n_vars()).map(Variable::real);
        let schema = Arc::new(Schema::new(variables.collect())?);
        let mechanism = |var: VarId| {
            let parents = dag.parents(var).iter().collect();
            RealMechanism::random(parents, family, &seed.derive("mechanism", var.index()))
        };
        Ok(Self {
            schema,
            dag: dag.clone(),
            mechanisms: dag.vars().map(mechanism).collect(),
        })
    }

    /// Names.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// The causal graph.
    pub fn dag(&self) -> &Dag {
        &self.dag
    }

    /// The law of each variable, in schema order.
    pub fn mechanisms(&self) -> &[RealMechanism] {
        &self.mechanisms
    }
}
