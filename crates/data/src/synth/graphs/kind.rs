//! Which graph to draw, and drawing it.

use fedcdi_core::{Dag, Digraph, Remedied, Remedy, Seed, VarId};
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use super::{erdos_renyi, structured};

/// A family of causal graphs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", from = "Written")]
pub enum GraphKind {
    /// Erdős–Rényi with `degree * n_vars` expected edges: the paper's ER-n.
    Er {
        /// The n of ER-n.
        degree: f64,
    },
    /// Erdős–Rényi, every pair joined with probability `p`.
    ErP {
        /// Probability of an edge between two variables.
        p: f64,
    },
    /// `i -> i + 1`.
    Chain,
    /// `i -> i + 1` and `i -> i + 2`.
    Bidiag,
    /// All others cause one variable.
    Collider,
    /// Every pair joined.
    Full,
    /// Binary tree with edges to children and grandchildren.
    Jungle,
}

/// A family as it is written: variants without settings are empty structs, which refuse any.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", deny_unknown_fields)]
enum Written {
    Er { degree: f64 },
    ErP { p: f64 },
    Chain {},
    Bidiag {},
    Collider {},
    Full {},
    Jungle {},
}

impl From<Written> for GraphKind {
    fn from(written: Written) -> Self {
        match written {
            Written::Er { degree } => Self::Er { degree },
            Written::ErP { p } => Self::ErP { p },
            Written::Chain {} => Self::Chain,
            Written::Bidiag {} => Self::Bidiag,
            Written::Collider {} => Self::Collider,
            Written::Full {} => Self::Full,
            Written::Jungle {} => Self::Jungle,
        }
    }
}

/// Most variables of a graph that is drawn: memory would not hold what comes after.
pub const MAX_VARS: usize = 100_000;

/// Why a graph cannot be drawn.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GraphError {
    /// Fewer than two variables.
    #[error(
        "a causal graph needs at least 2 variables, {0} asked for; {remedy}", remedy = other_size("raise")
    )]
    TooSmall(usize),
    /// More than [`MAX_VARS`] variables.
    #[error(
        "{0} variables are asked for, the limit is {MAX_VARS}; {remedy}", remedy = other_size("lower")
    )]
    TooLarge(usize),
    /// More edges than pairs.
    #[error(
        "ER-{degree} over {n_vars} variables asks for {} edges, but there are only {} pairs; use a degree of at most {}",
        degree * *n_vars as f64, n_vars * (n_vars - 1) / 2, (*n_vars as f64 - 1.0) / 2.0
    )]
    TooDense {
        /// The n of ER-n.
        degree: f64,
        /// Number of variables.
        n_vars: usize,
    },
    /// A degree that is no number of edges.
    #[error("the degree is {0}, but must be 0 or more")]
    Degree(f64),
    /// Not a probability.
    #[error("the edge probability is {0}, but must be between 0 and 1")]
    Probability(f64),
}

fn other_size(verb: &str) -> Remedy {
    Remedy::from(format!("{verb} ")).setting("vars")
}

impl Remedied for GraphError {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::TooSmall(_) => Some(other_size("raise")),
            Self::TooLarge(_) => Some(other_size("lower")),
            _ => None,
        }
    }
}

impl GraphKind {
    /// Draws a graph over `n_vars` variables. Labels are always shuffled, so that nothing can be
    /// learned from the order of the variables.
    ///
    /// # Errors
    /// [`GraphError`] if such a graph cannot exist.
    pub fn draw(self, n_vars: usize, seed: Seed) -> Result<Dag, GraphError> {
        let ordered = self.in_causal_order(n_vars, seed)?;
        let mut names: Vec<VarId> = (0..n_vars).map(VarId).collect();
        names.shuffle(&mut seed.derive("labels", 0).rng());
        let graph = ordered.relabel(&names);
        Ok(Dag::try_from(graph).expect("edges go from lower to higher ids"))
    }

    fn in_causal_order(self, n_vars: usize, seed: Seed) -> Result<Digraph, GraphError> {
        if n_vars < 2 {
            return Err(GraphError::TooSmall(n_vars));
        }
        if n_vars > MAX_VARS {
            return Err(GraphError::TooLarge(n_vars));
        }
        let edges = match self {
            Self::Er { .. } | Self::ErP { .. } => {
                let p = self.pair_probability(n_vars)?;
                return Ok(erdos_renyi::erdos_renyi(n_vars, p, seed.derive("edges", 0)));
            }
            Self::Chain => structured::chain(n_vars),
            Self::Bidiag => structured::bidiag(n_vars),
            Self::Collider => structured::collider(n_vars),
            Self::Full => structured::full(n_vars),
            Self::Jungle => structured::jungle(n_vars),
        };
        let edges = edges.into_iter().map(|(i, j)| (VarId(i), VarId(j)));
        Ok(Digraph::from_edges(n_vars, edges))
    }

    fn pair_probability(self, n_vars: usize) -> Result<f64, GraphError> {
        match self {
            Self::Er { degree } if degree.is_nan() || degree < 0.0 => {
                Err(GraphError::Degree(degree))
            }
            Self::Er { degree } => match erdos_renyi::pair_probability(degree, n_vars) {
                p if p <= 1.0 => Ok(p),
                _ => Err(GraphError::TooDense { degree, n_vars }),
            },
            Self::ErP { p } if (0.0..=1.0).contains(&p) => Ok(p),
            Self::ErP { p } => Err(GraphError::Probability(p)),
            _ => Ok(1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_shuffled() {
        let chain = |seed| GraphKind::Chain.draw(20, Seed::new(seed)).unwrap();
        assert_eq!(chain(0), chain(0));
        assert_ne!(chain(0), chain(1));
        let sorted = (0..20).map(VarId).collect::<Vec<_>>();
        assert_ne!(chain(0).topological_order(), sorted);
    }

    #[test]
    fn impossible_graphs_are_refused_with_the_limit() {
        let draw = |kind: GraphKind, n| kind.draw(n, Seed::new(0)).unwrap_err().to_string();
        let dense = draw(GraphKind::Er { degree: 10.0 }, 20);
        assert!(
            dense.contains("200 edges") && dense.contains("at most 9.5"),
            "{dense}"
        );
        assert!(draw(GraphKind::Er { degree: -1.0 }, 20).contains("-1"));
        assert!(draw(GraphKind::Er { degree: f64::NAN }, 20).contains("NaN"));
        assert!(draw(GraphKind::ErP { p: 1.5 }, 20).contains("1.5"));
        assert!(draw(GraphKind::Chain, 1).contains("at least 2"));
        for n in [MAX_VARS + 1, usize::MAX] {
            assert!(draw(GraphKind::Full, n).contains("the limit is 100000"));
            assert!(draw(GraphKind::Er { degree: 2.0 }, n).contains("the limit is 100000"));
        }
    }

    #[test]
    fn the_densest_er_graph_is_full() {
        let dag = GraphKind::Er { degree: 9.5 }
            .draw(20, Seed::new(0))
            .unwrap();
        assert_eq!(dag.n_edges(), 190);
    }
}
