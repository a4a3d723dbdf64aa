//! The law of an effect given a cause, from observational counts alone, and how much it tells.
//!
//! | formula | code |
//! |---|---|
//! | base law `p(y) = (n_y + 1/2) / (n + C/2)` | [`Base`] |
//! | shrunk law `q(y|x) = (n_xy + a p(y)) / (n_x + a)` | [`Conditional`] |
//! | gain, each row left out in turn: `sum n_xy ln [(n_xy - 1 + a p(y)) / (n_x - 1 + a) / p(y)]` | [`gain`] |
//!
//! The concentration `a` is the one of a grid that predicts the rows left out best. The gain is
//! `n` times the mutual information less the price of estimating it: for unrelated variables it is
//! about zero however many categories there are, so no correction for sparse tables is needed.

use crate::independence::counts::Cell;

/// Pseudo-counts per category of the base law (Jeffreys).
const JEFFREYS: f64 = 0.5;

/// Concentrations tried: from trusting every row to trusting none, in steps of 4.
pub(super) const CONCENTRATIONS: [f64; 9] =
    [0.25, 1.0, 4.0, 16.0, 64.0, 256.0, 1024.0, 4096.0, 16384.0];

/// Law of one variable, whatever the others do.
pub(super) struct Base {
    /// Rows and pseudo-counts of each category.
    pub(super) weights: Vec<f64>,
    pub(super) total: f64,
}

impl Base {
    pub(super) fn of(counts: &[usize]) -> Self {
        let weights: Vec<f64> = counts.iter().map(|&n| n as f64 + JEFFREYS).collect();
        let total = weights.iter().sum();
        Self { weights, total }
    }

    pub(super) fn p(&self, category: u16) -> f64 {
        self.weights[usize::from(category)] / self.total
    }
}

pub(super) struct Conditional<'a> {
    cells: &'a [Cell],
    base: &'a Base,
    pub(super) concentration: f64,
    /// Nats that knowing the cause saves over all observational rows, each row left out in turn.
    pub(super) gain: f64,
}

impl<'a> Conditional<'a> {
    /// The law that predicts rows left out best.
    pub(super) fn fit(cells: &'a [Cell], base: &'a Base) -> Self {
        let tried = CONCENTRATIONS.map(|a| (gain(cells, base, a), a));
        // Of equals the larger concentration: it claims less.
        let best = tried.into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
        let (gain, concentration) = best.expect("the grid is not empty");
        Self {
            cells,
            base,
            concentration,
            gain,
        }
    }

    /// The law given that the cause is in `category`.
    pub(super) fn given(&self, category: u16) -> Given<'_> {
        let start = self.cells.partition_point(|cell| cell.cause < category);
        let length = self.cells[start..].partition_point(|cell| cell.cause == category);
        let cells = &self.cells[start..start + length];
        let n: u32 = cells.iter().map(|cell| cell.n).sum();
        Given {
            cells,
            law: self,
            total: f64::from(n) + self.concentration,
        }
    }
}

/// Law of the effect for one category of the cause: Dirichlet, given the rows.
pub(super) struct Given<'a> {
    cells: &'a [Cell],
    law: &'a Conditional<'a>,
    pub(super) total: f64,
}

impl Given<'_> {
    /// Weight of a category of the effect: rows and pseudo-counts.
    pub(super) fn weight(&self, effect: u16) -> f64 {
        let found = self.cells.binary_search_by_key(&effect, |cell| cell.effect);
        let n = found.map_or(0, |at| self.cells[at].n);
        f64::from(n) + self.law.concentration * self.law.base.p(effect)
    }

    /// Kullback-Leibler divergences `(KL(q || p), KL(p || q))` from and to the base law. Categories
    /// that never occur with this one all have the ratio `a / (n_x + a)`, so only cells are visited.
    pub(super) fn divergences(&self) -> (f64, f64) {
        let (base, concentration) = (self.law.base, self.law.concentration);
        let unseen_ratio = concentration / self.total;
        let (mut unseen, mut from, mut to) = (1.0, 0.0, 0.0);
        for cell in self.cells {
            let p = base.p(cell.effect);
            let ratio = (f64::from(cell.n) / p + concentration) / self.total;
            from += p * ratio * ratio.ln();
            to -= p * ratio.ln();
            unseen -= p;
        }
        let unseen = f64::max(unseen, 0.0);
        from += unseen * unseen_ratio * unseen_ratio.ln();
        to -= unseen * unseen_ratio.ln();
        (from.max(0.0), to.max(0.0))
    }
}

/// Nats saved over all rows by the law with this concentration, each row left out in turn.
fn gain(cells: &[Cell], base: &Base, concentration: f64) -> f64 {
    let mut sum = 0.0;
    for row in cells.chunk_by(|a, b| a.cause == b.cause) {
        let n: u32 = row.iter().map(|cell| cell.n).sum();
        let total = f64::from(n) - 1.0 + concentration;
        for cell in row {
            let p = base.p(cell.effect);
            let weight = f64::from(cell.n) - 1.0 + concentration * p;
            sum += f64::from(cell.n) * (weight / (total * p)).ln();
        }
    }
    sum
}
