//! The verdict on one table, and on the tables of a federation together.

use std::sync::Arc;

use fedcdi_core::{Dataset, Schema};
use serde::Serialize;

use super::close::Partners;
use super::evidence::{PairEvidence, evidence};
use super::existence::Existence;
use super::orientation::Orientation;
use super::remedy::remedies;
use super::target::TargetRows;

/// What an edge must gain to be kept, in nats per row: the default `sparsity` of ENCO, because an
/// edge that gains less is not learned however well its law is known.
const SPARSITY: f64 = 4e-3;

/// Expected number of wrong verdicts per target, over all its partners: the usual 5 %.
const ERROR: f64 = 0.05;

/// Whether a table is enough to learn from, and what would help.
#[derive(Clone, Debug, Serialize)]
pub struct Sufficiency {
    /// Observational rows: can the laws be estimated by which edges are judged?
    pub existence: Existence,
    /// Interventional rows: can directions be told?
    pub orientation: Orientation,
    /// What would help, most helpful first, in words.
    pub remedies: Vec<String>,
    #[serde(skip)]
    sums: Sums,
}

/// What the clients of a federation can tell together, each from its own rows.
#[derive(Clone, Debug, Serialize)]
pub struct FederationSufficiency {
    /// Which way edges point, by the evidence of all clients added up.
    pub orientation: Orientation,
}

/// What verdicts are made from, and added up from.
#[derive(Clone, Debug)]
struct Sums {
    schema: Arc<Schema>,
    n_observational: usize,
    pairs: Vec<PairEvidence>,
    rows: Vec<TargetRows>,
}

impl Sufficiency {
    /// Judges a table of categorical variables.
    ///
    /// # Panics
    /// If a variable is real.
    pub fn of(dataset: &Dataset) -> Self {
        let sums = Sums {
            schema: Arc::clone(dataset.schema()),
            n_observational: dataset.observational().len(),
            pairs: evidence(dataset),
            rows: TargetRows::of(dataset),
        };
        let existence = Existence::of(dataset, SPARSITY);
        let orientation = sums.orientation();
        Self {
            remedies: remedies(&existence, &orientation),
            existence,
            orientation,
            sums,
        }
    }

    /// As [`Self::of`]; `None` if a variable is real, because the verdict counts categories.
    pub fn if_countable(dataset: &Dataset) -> Option<Self> {
        let mut variables = dataset.schema().variables().iter();
        let countable = variables.all(|variable| !variable.is_real());
        countable.then(|| Self::of(dataset))
    }
}

impl FederationSufficiency {
    /// Adds up what was counted at each client; none if there are no clients.
    ///
    /// # Panics
    /// If the clients have different variables.
    pub fn of(clients: &[&Sufficiency]) -> Option<Self> {
        let (first, others) = clients.split_first()?;
        let mut sums = first.sums.clone();
        for other in others {
            assert_eq!(sums.schema, other.sums.schema, "one schema");
            sums.add(&other.sums);
        }
        Some(Self {
            orientation: sums.orientation(),
        })
    }
}

impl Sums {
    fn orientation(&self) -> Orientation {
        let n_vars = self.schema.n_vars();
        // Log-odds that decide one of so many comparisons.
        let needed = ((n_vars - 1).max(1) as f64 / ERROR).ln();
        let thresholds = (needed, SPARSITY);
        let partners = Partners::of(&self.pairs, n_vars, self.n_observational, thresholds);
        Orientation::of(&self.schema, &partners, &self.rows, needed)
    }

    fn add(&mut self, other: &Self) {
        self.n_observational += other.n_observational;
        for (pair, more) in self.pairs.iter_mut().zip(&other.pairs) {
            *pair = pair.and(more);
        }
        for (rows, more) in self.rows.iter_mut().zip(&other.rows) {
            *rows = rows.and(more);
        }
    }
}
