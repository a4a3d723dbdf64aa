//! One strongly connected part as a linear ordering problem: order its variables so that the
//! edges pointing backwards weigh least.

use crate::variable::VarId;

/// An edge that takes part in the ordering; `None` means that it must not be removed.
pub(super) type WeightedEdge = (VarId, VarId, Option<f64>);

/// Edges among `n` variables numbered from 0, with whole-number weights.
///
/// Whole numbers make sums independent of their order, so that the result does not depend on how
/// the variables are numbered. They resolve the heaviest edge into 2^61 / n^2 steps: at 15
/// variables that is as fine as f64, at 300 about 2.5e13.
pub(super) struct Part {
    pub(super) n: usize,
    /// `[cause * n + effect]`: the cost of having the effect before the cause.
    weight: Vec<i64>,
    pub(super) before: Vec<Vec<usize>>,
    pub(super) after: Vec<Vec<usize>>,
}

impl Part {
    /// The part with these members; edges that leave it are ignored.
    pub(super) fn new(members: &[VarId], edges: &[WeightedEdge]) -> Self {
        let n = members.len();
        let at = |var: &VarId| members.binary_search(var).ok();
        let inside: Vec<(usize, usize, Option<f64>)> = edges
            .iter()
            .filter_map(|(cause, effect, weight)| Some((at(cause)?, at(effect)?, *weight)))
            .collect();
        let heaviest = inside.iter().filter_map(|edge| edge.2).fold(0.0, f64::max);
        let steps = ((1u64 << 61) / (n * n).max(1) as u64) as f64;
        let mut part = Self {
            n,
            weight: vec![0; n * n],
            before: vec![Vec::new(); n],
            after: vec![Vec::new(); n],
        };
        for (cause, effect, weight) in inside {
            if let Some(weight) = weight {
                let whole = (weight / heaviest * steps).round() as i64;
                part.weight[cause * n + effect] = whole.max(1);
            } else {
                part.before[effect].push(cause);
                part.after[cause].push(effect);
            }
        }
        part
    }

    /// Weight of an edge; 0 where there is none or it cannot be removed.
    pub(super) fn weight(&self, cause: usize, effect: usize) -> i64 {
        self.weight[cause * self.n + effect]
    }

    /// The same problem with every edge turned round: its orders are ours read backwards.
    pub(super) fn reversed(&self) -> Self {
        let turned = |at: usize| self.weight[(at % self.n) * self.n + at / self.n];
        Self {
            n: self.n,
            weight: (0..self.n * self.n).map(turned).collect(),
            before: self.after.clone(),
            after: self.before.clone(),
        }
    }

    /// Weight of the edges that point backwards in `order`.
    pub(super) fn cost(&self, order: &[usize]) -> i64 {
        let backwards = order.iter().enumerate().flat_map(|(at, &late)| {
            let earlier = &order[..at];
            earlier.iter().map(move |&early| self.weight(late, early))
        });
        backwards.sum()
    }

    /// Whether everything that must come before or after does so.
    #[cfg(test)]
    pub(super) fn permits(&self, order: &[usize]) -> bool {
        let place = |var: usize| order.iter().position(|o| *o == var);
        (0..self.n).all(|var| self.before[var].iter().all(|&b| place(b) < place(var)))
    }
}
