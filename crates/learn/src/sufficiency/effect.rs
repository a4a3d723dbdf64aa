//! What the rows under an intervention say: does the target move the other variable?
//!
//! Two explanations of the values `y` seen while `x` was set by the experimenter:
//!
//! | explanation | law of the rows | predicts per row |
//! |---|---|---|
//! | *moves*: the observed dependence is the effect of x on y | `q(y|x)`, [`Conditional`] | `+KL(q(.|x) || p)` |
//! | *does not move*: y takes no notice of x | `p(y)`, [`Base`] | `-KL(p || q(.|x))` |
//!
//! [`Effect::log_odds`] is the log of how much more likely the first makes the rows: the sum of
//! ENCO's pairwise gain `log p(y|x) - log p(y)` over the rows, with the uncertainty of both laws
//! integrated out (Dirichlet-multinomial), so that few observational rows make it cautious.
//!
//! If y takes no notice of x, the odds exceed `1/error` with probability at most `error`, whatever
//! `q` is: the ratio of two laws of the same rows has mean 1 under the second (Markov's inequality;
//! exact where `p` is known, on average over its prior where it is estimated). There is no such
//! promise for "does not move": it holds if the effect is as strong as the association. Rows and
//! clients that are independent add up; this is Wald's sequential test, looked at once.

use statrs::function::gamma::ln_gamma;

use super::conditional::{Base, Conditional};
use super::verdict::Decision;
use crate::independence::counts::Cell;

/// Up to this many factors are multiplied rather than taken from the gamma function.
const FEW: usize = 16;

/// Advice beyond this many rows is no advice.
const MOST_ROWS: f64 = 1e6;

/// Evidence of one target's rows about one other variable.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Effect {
    pub(super) n_rows: usize,
    /// Log-odds of "moves" against "does not move".
    pub(super) log_odds: f64,
    /// What one more row is expected to add to their size, under the explanation that is harder to
    /// see, in nats.
    pub(super) per_row: f64,
}

impl Effect {
    /// From the rows under the intervention, `cells` as [cause, effect].
    pub(super) fn of(cells: &[Cell], conditional: &Conditional<'_>, base: &Base) -> Self {
        let n_rows: usize = cells.iter().map(|cell| cell.n as usize).sum();
        let (mut moves, mut from, mut to) = (0.0, 0.0, 0.0);
        for row in cells.chunk_by(|a, b| a.cause == b.cause) {
            let given = conditional.given(row[0].cause);
            let n: usize = row.iter().map(|cell| cell.n as usize).sum();
            let rising = |cell: &Cell| ln_rising(given.weight(cell.effect), cell.n as usize);
            moves += row.iter().map(rising).sum::<f64>();
            moves -= ln_rising(given.total, n);
            let divergences = given.divergences();
            from += divergences.0 * n as f64;
            to += divergences.1 * n as f64;
        }
        let rests = still(cells, base) - ln_rising(base.total, n_rows);
        Self {
            n_rows,
            log_odds: moves - rests,
            per_row: from.min(to) / n_rows.max(1) as f64,
        }
    }

    /// What these rows say, where log-odds of `needed` decide.
    pub(super) fn decision(&self, needed: f64) -> Decision {
        if self.log_odds > needed {
            Decision::Moves
        } else if self.log_odds < -needed {
            Decision::DoesNotMove
        } else {
            Decision::Undecided
        }
    }

    /// About how many more rows would decide; none if these rows do, or if no number would because
    /// the values that were set tell nothing.
    pub(super) fn more_rows(&self, needed: f64) -> Option<usize> {
        let missing = needed - self.log_odds.abs();
        let rows = (missing / self.per_row).ceil();
        (missing >= 0.0 && rows < MOST_ROWS).then(|| rows.max(1.0) as usize)
    }

    pub(super) fn and(&self, other: &Self) -> Self {
        let n_rows = self.n_rows + other.n_rows;
        let per_row = self.per_row * self.n_rows as f64 + other.per_row * other.n_rows as f64;
        Self {
            n_rows,
            log_odds: self.log_odds + other.log_odds,
            per_row: per_row / n_rows.max(1) as f64,
        }
    }
}

/// Log of the rising factorials of the effect's counts under the base law.
pub(super) fn still(cells: &[Cell], base: &Base) -> f64 {
    let mut effects: Vec<(u16, usize)> = cells.iter().map(|c| (c.effect, c.n as usize)).collect();
    effects.sort_unstable();
    let rising = |same: &[(u16, usize)]| {
        let n = same.iter().map(|(_, n)| n).sum();
        ln_rising(base.weights[usize::from(same[0].0)], n)
    };
    effects.chunk_by(|a, b| a.0 == b.0).map(rising).sum()
}

/// `ln [a (a + 1) .. (a + n - 1)]`.
pub(super) fn ln_rising(a: f64, n: usize) -> f64 {
    if n <= FEW {
        (0..n).map(|k| (a + k as f64).ln()).sum()
    } else {
        ln_gamma(a + n as f64) - ln_gamma(a)
    }
}
