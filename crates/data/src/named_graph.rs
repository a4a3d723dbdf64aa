//! A graph together with the names of its variables, as it stands in a file.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use fedcdi_core::{Digraph, Schema, VarId};
use ndarray::Array2;

/// A directed graph whose variables have names, and edges perhaps probabilities.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedGraph {
    /// Name of each variable; distinct.
    pub names: Vec<String>,
    /// The edges.
    pub graph: Digraph,
    /// Probability of every edge, `[cause, effect]`, 0..=1, where the file has them.
    pub probability: Option<Array2<f64>>,
    /// Edges of the graph that might as well point the other way: the data leaves their direction
    /// open.
    pub open: BTreeSet<(VarId, VarId)>,
    /// Nats that the score of the data loses without an edge, of every edge; empty without scores.
    pub gains: BTreeMap<(VarId, VarId), f64>,
}

/// Why names and a graph do not go together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NamedGraphError {
    /// Another number of names than of variables.
    #[error("found {0} names for {1} variables; name every variable once")]
    Count(usize, usize),
    /// A name is the empty string.
    #[error("a variable has an empty name; give every variable a name")]
    EmptyName,
    /// Two variables share a name.
    #[error("two variables are called {0:?}; rename one")]
    DuplicateName(String),
    /// The graph has a variable that was not asked for.
    #[error("the graph has a variable {0:?} that is not expected; remove it, or compare the names")]
    Unexpected(String),
    /// The graph lacks a variable.
    #[error("the graph has no variable {0:?}; add it, or compare the names")]
    Missing(String),
}

impl NamedGraph {
    /// A graph over the variables of a schema. Panics if the schema has another number of
    /// variables.
    pub fn of(schema: &Schema, graph: &Digraph) -> Self {
        assert_eq!(schema.n_vars(), graph.n_vars(), "one name per variable");
        Self::new(schema.names(), graph.clone()).expect("a schema has distinct names")
    }

    /// A graph over these variables.
    ///
    /// # Errors
    /// [`NamedGraphError`] naming the first name that is empty or repeated.
    pub fn new(names: Vec<String>, graph: Digraph) -> Result<Self, NamedGraphError> {
        if names.len() != graph.n_vars() {
            return Err(NamedGraphError::Count(names.len(), graph.n_vars()));
        }
        let mut seen = HashSet::new();
        for name in &names {
            if name.is_empty() {
                return Err(NamedGraphError::EmptyName);
            }
            if !seen.insert(name) {
                return Err(NamedGraphError::DuplicateName(name.clone()));
            }
        }
        Ok(Self {
            names,
            graph,
            probability: None,
            open: BTreeSet::new(),
            gains: BTreeMap::new(),
        })
    }

    pub(crate) fn edge_probability(&self, cause: VarId, effect: VarId) -> Option<f64> {
        Some(self.probability.as_ref()?[(cause.index(), effect.index())])
    }

    pub(crate) fn gain(&self, cause: VarId, effect: VarId) -> Option<f64> {
        self.gains.get(&(cause, effect)).copied()
    }

    pub(crate) fn is_open(&self, cause: VarId, effect: VarId) -> bool {
        self.open.contains(&(cause, effect))
    }

    /// The same graph with its variables in this order.
    ///
    /// # Errors
    /// [`NamedGraphError`] naming a variable that only one of the two has.
    pub fn aligned_to(&self, names: &[String]) -> Result<Self, NamedGraphError> {
        let position: HashMap<&String, usize> = names.iter().zip(0..).collect();
        if let Some(extra) = self.names.iter().find(|name| !position.contains_key(name)) {
            return Err(NamedGraphError::Unexpected(extra.clone()));
        }
        if let Some(missing) = names.iter().find(|name| !self.names.contains(name)) {
            return Err(NamedGraphError::Missing(missing.clone()));
        }
        let new_id = self.names.iter().map(|name| VarId(position[name]));
        let new_id: Vec<VarId> = new_id.collect();
        let probability = self.probability.as_ref().map(|old| {
            let mut new = Array2::zeros(old.dim());
            for ((i, j), &value) in old.indexed_iter() {
                new[(new_id[i].index(), new_id[j].index())] = value;
            }
            new
        });
        let renamed = |(c, e): &(VarId, VarId)| (new_id[c.index()], new_id[e.index()]);
        Ok(Self {
            names: names.to_vec(),
            graph: self.graph.relabel(&new_id),
            probability,
            open: self.open.iter().map(renamed).collect(),
            gains: (self.gains.iter())
                .map(|(edge, gain)| (renamed(edge), *gain))
                .collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        text.split(' ').map(String::from).collect()
    }

    #[test]
    fn aligning_moves_edges_and_probabilities_by_name() {
        let graph = Digraph::from_edges(3, [(VarId(0), VarId(1))]);
        let mut named = NamedGraph::new(names("a b c"), graph).unwrap();
        let mut probability = Array2::zeros((3, 3));
        probability[(0, 1)] = 0.7;
        named.probability = Some(probability);
        named.open.insert((VarId(0), VarId(1)));
        named.gains.insert((VarId(0), VarId(1)), 12.5);
        let aligned = named.aligned_to(&names("c b a")).unwrap();
        assert!(aligned.graph.has_edge(VarId(2), VarId(1)));
        assert_eq!(aligned.probability.as_ref().unwrap()[(2, 1)], 0.7);
        assert_eq!(aligned.gain(VarId(2), VarId(1)), Some(12.5));
        assert_eq!(aligned.aligned_to(&named.names).unwrap(), named);
    }

    #[test]
    fn a_variable_that_one_lacks_is_named() {
        let named = NamedGraph::new(names("a b"), Digraph::empty(2)).unwrap();
        let error = |wanted: &str| named.aligned_to(&names(wanted)).unwrap_err();
        assert_eq!(error("a b c"), NamedGraphError::Missing("c".into()));
        assert_eq!(error("a"), NamedGraphError::Unexpected("b".into()));
        assert!(NamedGraph::new(names("a a"), Digraph::empty(2)).is_err());
    }
}
