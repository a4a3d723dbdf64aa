//! Scores of latent confounders: pairs that look joined until one of them is intervened on.
//!
//! Paper: ENCO section 3.5 and appendix on latent confounders.
//!
//! | paper | code | shape |
//! |---|---|---|
//! | gamma^(O), updates while neither end is a target | `observed` | `[cause, effect]` |
//! | gamma^(I), updates while the cause is a target | `intervened` | `[cause, effect]` |
//! | lc_ij | [`Confounders::scores`] | symmetric, 0..=1 |

use fedcdi_core::VarId;
use fedcdi_core::belief::sigmoid;
use ndarray::Array2;

/// One of the two accumulators: an Adam whose second moment is that of the existence optimiser.
#[derive(Clone, Debug)]
struct Track {
    logits: Array2<f64>,
    first: Array2<f64>,
    steps: Array2<i32>,
}

impl Track {
    const BETA: f64 = 0.9;

    fn new(n_vars: usize) -> Self {
        Self {
            logits: Array2::zeros((n_vars, n_vars)),
            first: Array2::zeros((n_vars, n_vars)),
            steps: Array2::zeros((n_vars, n_vars)),
        }
    }

    fn step(&mut self, at: (usize, usize), gradient: f64, scale: f64) {
        self.steps[at] += 1;
        let m = &mut self.first[at];
        *m = Self::BETA * *m + (1.0 - Self::BETA) * gradient;
        self.logits[at] -= scale * *m / (1.0 - Self::BETA.powi(self.steps[at]));
    }
}

/// Existence updates kept apart by what was intervened on.
#[derive(Clone, Debug)]
pub(crate) struct Confounders {
    observed: Track,
    intervened: Track,
}

impl Confounders {
    /// Scores from this on point to a confounder (the authors' default).
    pub(crate) const THRESHOLD: f64 = 0.35;

    pub(crate) fn new(n_vars: usize) -> Self {
        Self {
            observed: Track::new(n_vars),
            intervened: Track::new(n_vars),
        }
    }

    /// A new round: the existence optimiser starts anew, and old moments would be measured by its new
    /// scale.
    pub(crate) fn begin_round(&mut self) {
        for track in [&mut self.observed, &mut self.intervened] {
            track.first.fill(0.0);
            track.steps.fill(0);
        }
    }

    /// Notes one existence update of `cause -> effect` made while `targets` were intervened on;
    /// `scale` is the learning rate over the root of the second moment.
    pub(crate) fn record(
        &mut self,
        at: (usize, usize),
        targets: &[usize],
        gradient: f64,
        scale: f64,
    ) {
        let (cause, effect) = at;
        if targets.contains(&effect) {
            return;
        }
        let by_target = targets.contains(&cause);
        let [observed, intervened] = [&mut self.observed, &mut self.intervened];
        let track = if by_target { intervened } else { observed };
        track.step(at, gradient, scale);
    }

    /// Pairs whose score points to a confounder, strongest first.
    pub(crate) fn pairs(&self) -> Vec<(VarId, VarId, f64)> {
        let scores = self.scores();
        let above = |((a, b), score): ((usize, usize), &f64)| {
            (a < b && *score >= Self::THRESHOLD).then_some((VarId(a), VarId(b), *score))
        };
        let mut pairs: Vec<_> = scores.indexed_iter().filter_map(above).collect();
        pairs.sort_by(|a, b| b.2.total_cmp(&a.2));
        pairs
    }

    pub(crate) fn scores(&self) -> Array2<f64> {
        let half =
            |at| sigmoid(self.observed.logits[at]) * (1.0 - sigmoid(self.intervened.logits[at]));
        Array2::from_shape_fn(self.observed.logits.dim(), |(i, j)| {
            if i == j {
                0.0
            } else {
                half((i, j)) * half((j, i))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_takes_no_moment_from_the_last() {
        let mut tracks = Confounders::new(2);
        tracks.record((0, 1), &[], -1.0, 0.02);
        let before = tracks.observed.logits[(0, 1)];
        tracks.begin_round();
        tracks.record((0, 1), &[], 0.0, 2e6);
        assert_eq!(tracks.observed.logits[(0, 1)], before);
    }

    #[test]
    fn a_pair_joined_only_while_untouched_scores_high() {
        let mut tracks = Confounders::new(3);
        for _ in 0..200 {
            for at in [(0, 1), (1, 0)] {
                tracks.record(at, &[2], -1.0, 0.05);
                tracks.record(at, &[at.0], 1.0, 0.05);
                tracks.record(at, &[at.1], 1.0, 99.0);
            }
        }
        let scores = tracks.scores();
        assert!(scores[(0, 1)] > 0.99 && scores[(0, 1)] == scores[(1, 0)]);
        assert_eq!(scores[(0, 2)], 1.0 / 16.0);
    }
}
