//! Counting everything once: the evidence about every pair of variables.

use fedcdi_core::{Dataset, Regime, VarId, VarSet};
use rayon::prelude::*;

use super::conditional::{Base, Conditional};
use super::effect::Effect;
use super::verdict::Decision;
use crate::independence::counts::{Cell, Counted};

/// What the rows say about two variables, `a` before `b`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PairEvidence {
    pub(super) a: VarId,
    pub(super) b: VarId,
    /// Nats that either saves in predicting the other, over all observational rows; the smaller
    /// of the two directions.
    pub(super) gain: f64,
    /// Rows under an intervention on `a`: does it move `b`?
    pub(super) forward: Effect,
    /// Rows under an intervention on `b`: does it move `a`?
    pub(super) backward: Effect,
}

impl PairEvidence {
    pub(super) fn and(&self, other: &Self) -> Self {
        Self {
            gain: self.gain + other.gain,
            forward: self.forward.and(&other.forward),
            backward: self.backward.and(&other.backward),
            ..*self
        }
    }

    /// Whether interventions on either end decide it, where log-odds of `needed` do.
    pub(super) fn is_decided(&self, needed: f64) -> bool {
        self.is_decided_by(needed, |_| true)
    }

    /// As [`Self::is_decided`], by interventions on those ends that `counts` accepts.
    pub(super) fn is_decided_by(&self, needed: f64, counts: impl Fn(VarId) -> bool) -> bool {
        let ends = [(self.a, self.forward), (self.b, self.backward)];
        ends.iter()
            .any(|(var, end)| counts(*var) && end.decision(needed) != Decision::Undecided)
    }

    /// The other variable, if `target` is one of the two, and what an intervention on it says.
    pub(super) fn partner_of(&self, target: VarId) -> Option<(VarId, &Effect)> {
        match target {
            target if target == self.a => Some((self.b, &self.forward)),
            target if target == self.b => Some((self.a, &self.backward)),
            _ => None,
        }
    }
}

/// Every pair of variables, sorted.
pub(super) fn evidence(dataset: &Dataset) -> Vec<PairEvidence> {
    let rows = ByUse::of(dataset);
    let n_vars = dataset.n_vars();
    let pairs: Vec<(VarId, VarId)> = (0..n_vars)
        .flat_map(|a| (a + 1..n_vars).map(move |b| (VarId(a), VarId(b))))
        .collect();
    let pairs = pairs.into_par_iter();
    pairs.map(|(a, b)| rows.pair(a, b)).collect()
}

pub(super) struct ByUse {
    observational: Counted,
    /// Rows under an intervention on this variable alone, per variable.
    under: Vec<Counted>,
    bases: Vec<Base>,
}

impl ByUse {
    pub(super) fn of(dataset: &Dataset) -> Self {
        let vars = || dataset.schema().ids();
        let some = |rows: &[usize]| Counted::new(&dataset.select(rows));
        let groups = dataset.samples_by_regime();
        let under = |var| {
            let alone = Regime::intervened([var]);
            let group = dataset.regimes().binary_search(&alone);
            some(group.map_or(&[], |at| &groups[at]))
        };
        let observational = some(&dataset.observational());
        let base = |var| Base::of(&observational.counts(var));
        Self {
            bases: vars().map(base).collect(),
            under: vars().map(under).collect(),
            observational,
        }
    }

    fn pair(&self, a: VarId, b: VarId) -> PairEvidence {
        let cells = cells(&self.observational, a, b);
        let (forward_gain, forward) = self.direction(&cells, a, b);
        let (backward_gain, backward) = self.direction(&transposed(&cells), b, a);
        PairEvidence {
            a,
            b,
            gain: forward_gain.min(backward_gain),
            forward,
            backward,
        }
    }

    /// What `of` makes of the rows that set the cause, of the law of the effect given it, and of that
    /// whatever the cause does.
    pub(super) fn with_pair<T>(
        &self,
        (cause, effect): (VarId, VarId),
        of: impl Fn(&[Cell], &Conditional<'_>, &Base) -> T,
    ) -> T {
        let base = &self.bases[effect.index()];
        let observed = cells(&self.observational, cause, effect);
        let conditional = Conditional::fit(&observed, base);
        let under = cells(&self.under[cause.index()], cause, effect);
        of(&under, &conditional, base)
    }

    fn direction(&self, cells: &[Cell], cause: VarId, effect: VarId) -> (f64, Effect) {
        let base = &self.bases[effect.index()];
        let conditional = Conditional::fit(cells, base);
        let under = self::cells(&self.under[cause.index()], cause, effect);
        (conditional.gain, Effect::of(&under, &conditional, base))
    }
}

fn cells(rows: &Counted, cause: VarId, effect: VarId) -> Vec<Cell> {
    let cells = rows.cells([cause, effect], &VarSet::empty(rows.n_vars()));
    cells.expect("a pair has few combinations")
}

/// The same cells with cause and effect exchanged, sorted again.
pub(super) fn transposed(cells: &[Cell]) -> Vec<Cell> {
    let exchanged = cells.iter().map(|cell| Cell {
        cause: cell.effect,
        effect: cell.cause,
        ..*cell
    });
    let mut exchanged: Vec<Cell> = exchanged.collect();
    exchanged.sort_unstable_by_key(|cell| (cell.cause, cell.effect));
    exchanged
}
