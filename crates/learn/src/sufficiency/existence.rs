//! Observational rows: enough to estimate the laws that edges are judged by?
//!
//! They are not all that existence depends on: ENCO weighs edges on interventional rows, and keeps
//! extra ones where those are few (docs/enough.md).
//!
//! An edge from a variable with `C_i` categories to one with `C_j` adds `(C_i - 1)(C_j - 1)` free
//! parameters to the law of the effect. Estimating them from n rows costs
//! `(C_i - 1)(C_j - 1) / (2 n)` nats per new row, which an edge must gain on top of the sparsity
//! lambda. Rows needed: where the cost is 2 lambda, `(C_i - 1)(C_j - 1) / (4 lambda)`.
//!
//! The factor and the classes follow what was measured with ten categories, where 5063 rows are
//! needed (networks without weight decay, which softens it): with 1000 rows 9 to 26 %
//! of the true edges were lost, with 2500 rows 1 to 4 %, with 10000 none.

use fedcdi_core::{Dataset, VarId};
use serde::Serialize;

use super::verdict::Verdict;

/// Cost of estimating an edge that is borne, in units of the sparsity.
const COST: f64 = 2.0;

/// Share of the rows needed from which they are thin rather than too few.
const THIN: f64 = 0.2;

/// Observational rows of a table against those needed to estimate what edges are judged by.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Existence {
    /// Of the median pair.
    pub verdict: Verdict,
    /// Observational rows.
    pub n_rows: usize,
    /// Rows needed for a pair of variables with the median number of categories.
    pub rows_needed: usize,
    /// Rows needed for the two variables with most categories.
    pub most_rows_needed: usize,
    /// Variables with so many categories that the rows are too few to judge their edges.
    pub too_few_for: Vec<String>,
}

impl Existence {
    pub(super) fn of(dataset: &Dataset, sparsity: f64) -> Self {
        let schema = dataset.schema();
        let n_rows = dataset.observational().len();
        // A constant column has no edges to judge.
        let varying = schema.ids().map(|var| (n_free(dataset, var), var));
        let varying: Vec<_> = varying.filter(|(free, _)| *free > 0).collect();
        let mut free: Vec<usize> = varying.iter().map(|(free, _)| *free).collect();
        free.sort_unstable();
        let needed =
            |a: usize, b: usize| (a as f64 * b as f64 / (2.0 * COST * sparsity)).ceil() as usize;
        let median = free.get(free.len() / 2).copied().unwrap_or(0);
        let is_too_few = |free: usize| verdict(n_rows, needed(free, median)) == Verdict::TooFew;
        let too_few = varying.iter().filter(|(free, _)| is_too_few(*free));
        Self {
            verdict: verdict(n_rows, needed(median, median)),
            n_rows,
            rows_needed: needed(median, median),
            most_rows_needed: match free[..] {
                [.., a, b] => needed(a, b),
                _ => 0,
            },
            too_few_for: too_few.map(|(_, v)| schema.name(*v).to_owned()).collect(),
        }
    }
}

/// Categories of a variable that occur, less one.
fn n_free(dataset: &Dataset, var: VarId) -> usize {
    let n_categories = dataset.schema().variable(var).n_categories();
    let counts = dataset.column(var).counts(n_categories);
    counts.iter().filter(|n| **n > 0).count().saturating_sub(1)
}

fn verdict(n_rows: usize, needed: usize) -> Verdict {
    match n_rows as f64 / needed as f64 {
        _ if n_rows == 0 => Verdict::TooFew,
        _ if needed == 0 => Verdict::NothingSeen,
        share if share >= 1.0 => Verdict::Enough,
        share if share >= THIN => Verdict::Thin,
        _ => Verdict::TooFew,
    }
}
