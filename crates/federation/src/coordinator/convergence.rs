//! When a run has nothing more to learn.

use fedcdi_core::Belief;
use fedcdi_core::graph::edge_entropy;
use fedcdi_core::graph::extract::raw;

use super::params::CoordinatorParams;

/// Quiet rounds so far, in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Quiet(u32);

impl Quiet {
    /// Counts one more round; whether there have been enough.
    pub(super) fn count(&mut self, params: &CoordinatorParams, change: f64, entropy: f64) -> bool {
        let quiet = change <= params.tolerance && entropy <= params.max_entropy;
        self.0 = if quiet { self.0 + 1 } else { 0 };
        self.0 >= params.patience
    }
}

/// Largest change of an edge probability.
pub(super) fn largest_change(before: &Belief, after: &Belief) -> f64 {
    let gaps = after.psi() - before.psi();
    gaps.iter().fold(0.0, |most: f64, gap| most.max(gap.abs()))
}

/// Mean entropy of the edges of the beliefs' raw graphs.
pub(super) fn consensus_entropy<'a>(beliefs: impl Iterator<Item = &'a Belief>) -> f64 {
    let graphs: Vec<_> = beliefs.map(raw).collect();
    edge_entropy(&graphs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_rounds_must_follow_each_other() {
        let params = CoordinatorParams {
            tolerance: 0.1,
            max_entropy: 0.2,
            patience: 2,
            ..CoordinatorParams::default()
        };
        let mut quiet = Quiet::default();
        let rounds = [(0.1, 0.2), (0.2, 0.0), (0.0, 0.3), (0.0, 0.0), (0.05, 0.1)];
        let enough = rounds.map(|(change, entropy)| quiet.count(&params, change, entropy));
        assert_eq!(enough, [false, false, false, false, true]);
    }
}
