//! When a run has nothing more to learn.

use fedcdi_core::{Belief, RoundParams};

use crate::event::RoundRecord;

/// Rounds in which the sites agreed, so far, in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Quiet {
    /// And no edge probability moved.
    belief: u32,
    /// And the graph stayed as it was.
    graph: u32,
}

impl Quiet {
    /// Counts one more round; whether there have been enough.
    pub(super) fn count(
        &mut self,
        params: &RoundParams,
        record: &RoundRecord,
        same_graph: bool,
    ) -> bool {
        // One answer agrees with itself: that says nothing while others are missing.
        let is_common = record.n_answers > 1 || record.n_absent == 0;
        let agreed = is_common && record.consensus_entropy <= params.max_entropy;
        let still = record.belief_change <= params.tolerance;
        let next = |so_far: u32, quiet: bool| if agreed && quiet { so_far + 1 } else { 0 };
        self.belief = next(self.belief, still);
        self.graph = next(self.graph, same_graph);
        self.belief >= params.patience || self.graph >= params.graph_patience
    }

    /// Whether the last round left the graph as it was, and the sites agreed.
    pub(super) fn graph_rests(self) -> bool {
        self.graph > 0
    }
}

/// Largest change of an edge probability.
pub(super) fn largest_change(before: &Belief, after: &Belief) -> f64 {
    let gaps = after.psi() - before.psi();
    gaps.iter().fold(0.0, |most: f64, gap| most.max(gap.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_rounds_must_follow_each_other() {
        let params = RoundParams {
            tolerance: 0.1,
            max_entropy: 0.2,
            patience: 2,
            graph_patience: 3,
            ..RoundParams::default()
        };
        let run = |rounds: [(f64, f64, bool); 5]| {
            let mut quiet = Quiet::default();
            rounds
                .map(|(change, entropy, same)| quiet.count(&params, &record(change, entropy), same))
        };
        let belief = [
            (0.1, 0.2, false),
            (0.2, 0.0, false),
            (0.0, 0.3, false),
            (0.0, 0.0, false),
            (0.05, 0.1, false),
        ];
        assert_eq!(run(belief), [false, false, false, false, true]);
        let graph = [
            (0.9, 0.2, true),
            (0.9, 0.3, true),
            (0.9, 0.0, true),
            (0.9, 0.1, true),
            (0.9, 0.1, true),
        ];
        assert_eq!(run(graph), [false, false, false, false, true]);
    }

    #[test]
    fn one_answer_of_two_is_no_agreement() {
        let params = RoundParams {
            graph_patience: 1,
            ..RoundParams::default()
        };
        let rests = |n_answers, n_absent| {
            let record = RoundRecord {
                n_answers,
                n_absent,
                ..record(0.9, 0.0)
            };
            Quiet::default().count(&params, &record, true)
        };
        assert!(rests(1, 0) && rests(2, 0) && rests(2, 1));
        assert!(!rests(1, 1));
    }

    fn record(belief_change: f64, consensus_entropy: f64) -> RoundRecord {
        RoundRecord {
            round: fedcdi_core::Round::FIRST,
            n_answers: 2,
            n_absent: 0,
            belief_change,
            consensus_entropy,
            n_edges_raw: 0,
            n_edges: 0,
            n_pruned: 0,
            n_grafted: 0,
        }
    }
}
