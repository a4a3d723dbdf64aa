//! Families of a real effect: linear regression on its parents, from sums alone.
//!
//! With n rows and residual variance s2 the log-likelihood is `-(n / 2) (1 + ln s2)`, less constants
//! that are the same for all parents. Categorical parents have a column per category.

use fedcdi_core::VarSet;

use crate::ask::{Cells, GRID};
use crate::design::Design;
use crate::known::{Known, pair};
use crate::metric;

/// Residual variances below this share of the effect's own are rounding.
const LEAST_RESIDUAL: f64 = 1e-9;

/// The cells that a family needs.
pub(crate) fn needed(design: &Design) -> Vec<Cells> {
    let effect = design.effect;
    let mut cells = metric::needed(design);
    cells.push(pair(effect, effect, effect));
    let parents = design.blocks.iter().map(|block| block.parent);
    cells.extend(parents.map(|parent| pair(effect, parent, effect)));
    cells
}

/// The log-likelihood at the maximum, in nats, from cells that are all known.
///
/// Complexity: O(F^3) for F columns.
pub(crate) fn log_likelihood(design: &Design, known: &Known) -> f64 {
    let (n, effect) = (design.n_columns, design.effect);
    let rows = known.free[effect.index()];
    let own = known.get(&pair(effect, effect, effect));
    let [sum, squares] = [own[0], own[1]].map(|steps| steps as f64 * GRID);
    let total = squares - sum * sum / rows.max(1.0);
    if rows < 2.0 || total <= 0.0 {
        return 0.0;
    }
    let mut cross = vec![0.0; n];
    cross[0] = sum;
    for block in &design.blocks {
        let sums = known.get(&pair(effect, block.parent, effect));
        for (column, sum) in block.columns().zip(sums) {
            cross[column] = *sum as f64 * GRID;
        }
    }
    let explained = metric::explained(metric::gram(design, known), &cross);
    let residual = (squares - explained).max(LEAST_RESIDUAL * total);
    -0.5 * rows * (1.0 + (residual / rows).ln())
}

/// Whether anything in a family is real.
pub(crate) fn is_mixed(known: &Known, parents: &VarSet) -> bool {
    parents.iter().any(|parent| known.outline.is_real(parent))
}
