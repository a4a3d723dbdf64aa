//! A causal graph with its mechanisms: the truth behind generated data.

use std::sync::Arc;

use fedcdi_core::{Dag, Digraph, Schema, SchemaError, Seed, VarId, Variable};

use super::mechanism::{Mechanism, NeuralConditional, RealFamily, RealMechanism};

/// A causal Bayesian network: for every variable the law given its parents.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    schema: Arc<Schema>,
    dag: Dag,
    mechanisms: Vec<Mechanism>,
}

/// Why mechanisms do not make a network.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NetworkError {
    /// Another number of mechanisms than of variables.
    #[error("found {0} mechanisms for {1} variables")]
    Count(usize, usize),
    /// The mechanism of this variable was made for others.
    #[error("the mechanism of {0:?} expects other numbers of categories than the schema has")]
    Categories(String),
    /// The parents form a cycle.
    #[error("the parents form a cycle: {0}; remove one of these edges")]
    Cycle(String),
}

impl Network {
    /// The network in which variable `v` follows `mechanisms[v]`.
    ///
    /// # Errors
    /// [`NetworkError`] if a mechanism does not fit the schema or the parents form a cycle.
    pub fn new(schema: Arc<Schema>, mechanisms: Vec<Mechanism>) -> Result<Self, NetworkError> {
        if mechanisms.len() != schema.n_vars() {
            return Err(NetworkError::Count(mechanisms.len(), schema.n_vars()));
        }
        let mut graph = Digraph::empty(schema.n_vars());
        for (effect, mechanism) in schema.ids().zip(&mechanisms) {
            let name = schema.name(effect);
            if !fits(&schema, effect, mechanism) {
                return Err(NetworkError::Categories(name.to_owned()));
            }
            for &cause in mechanism.parents() {
                if cause == effect {
                    return Err(NetworkError::Cycle(format!("{name} -> {name}")));
                }
                graph.add_edge(cause, effect);
            }
        }
        let dag = Dag::try_from(graph)
            .map_err(|error| NetworkError::Cycle(error.describe(&schema.names())))?;
        Ok(Self {
            schema,
            dag,
            mechanisms,
        })
    }

    /// A network over `dag` with random neural mechanisms; variables are called `X1`, `X2`, ..
    /// (with leading zeros where needed) and have `n_categories` each.
    ///
    /// # Errors
    /// [`SchemaError`] if the number of categories is zero or too large.
    pub fn random(dag: &Dag, n_categories: usize, seed: Seed) -> Result<Self, SchemaError> {
        let mut names = variable_names(dag.n_vars());
        // Before as many labels are made.
        if n_categories > Schema::MAX_CATEGORIES {
            let first = names.next().unwrap_or_default();
            return Err(SchemaError::TooManyCategories(first, n_categories));
        }
        let variables = names.map(|name| Variable::with_codes(name, n_categories));
        let schema = Schema::new(variables.collect())?;
        let mechanism = |var: VarId, seed: Seed| {
            let parents = dag.parents(var).iter().map(|p| (p, n_categories)).collect();
            Mechanism::Neural(NeuralConditional::random(parents, n_categories, seed))
        };
        Ok(Self::over(dag, schema, seed, mechanism))
    }

    /// A network over `dag` of real variables with random mechanisms, named as in
    /// [`Self::random`].
    ///
    /// # Errors
    /// [`SchemaError`] if there are no variables.
    pub fn random_real(dag: &Dag, family: RealFamily, seed: Seed) -> Result<Self, SchemaError> {
        let variables = variable_names(dag.n_vars()).map(Variable::real);
        let schema = Schema::new(variables.collect())?;
        let mechanism = |var: VarId, seed: Seed| {
            let parents = dag.parents(var).iter().map(|p| (p, 0)).collect();
            Mechanism::Real(RealMechanism::random(parents, family, seed))
        };
        Ok(Self::over(dag, schema, seed, mechanism))
    }

    fn over(
        dag: &Dag,
        schema: Schema,
        seed: Seed,
        mechanism: impl Fn(VarId, Seed) -> Mechanism,
    ) -> Self {
        let seeded = |var: VarId| mechanism(var, seed.derive("mechanism", var.index()));
        Self {
            schema: Arc::new(schema),
            dag: dag.clone(),
            mechanisms: dag.vars().map(seeded).collect(),
        }
    }

    /// Names and categories.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// The causal graph.
    pub fn dag(&self) -> &Dag {
        &self.dag
    }

    /// The law of each variable, in schema order.
    pub fn mechanisms(&self) -> &[Mechanism] {
        &self.mechanisms
    }
}

/// `X1`, `X2`, .. with leading zeros where needed.
pub(crate) fn variable_names(n_vars: usize) -> impl Iterator<Item = String> {
    let digits = n_vars.to_string().len();
    (1..=n_vars).map(move |number| format!("X{number:0digits$}"))
}

fn fits(schema: &Schema, var: VarId, mechanism: &Mechanism) -> bool {
    let n_categories = |v: VarId| schema.variables().get(v.0).map(Variable::n_categories);
    let mut parents = mechanism
        .parents()
        .iter()
        .zip(mechanism.parent_categories());
    n_categories(var) == Some(mechanism.n_categories())
        && parents.all(|(v, n)| n_categories(*v) == Some(*n))
}
