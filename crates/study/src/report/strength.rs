//! What a run knows about its edges besides that they are there.

use fedcdi_core::belief::sigmoid;
use fedcdi_core::{Belief, VarId};
use fedcdi_rivals::{WeightKind, Weights};
use ndarray::Array2;

use crate::result::{Found, RunResult};

#[derive(Clone, Copy)]
pub(super) enum Strength<'a> {
    /// Probabilities given that there is no cycle, `[cause, effect]`, and the belief behind them.
    Belief(&'a Array2<f64>, &'a Belief),
    /// Shares of the vote, `[cause, effect]`.
    Votes(&'a Array2<f64>),
    Weights(&'a Weights),
    /// Nothing: an edge is there or not.
    Unknown,
}

impl<'a> Strength<'a> {
    pub(super) fn of_run(run: &'a RunResult) -> Self {
        match &run.found {
            Found::Belief(found) => Self::Belief(&found.confidence, &found.outcome.belief),
            Found::Graph(found) => match (&found.shares, &found.weights) {
                (Some(shares), _) => Self::Votes(shares),
                (None, Some(weights)) => Self::Weights(weights),
                (None, None) => Self::Unknown,
            },
        }
    }

    /// How strongly an edge is drawn, 0..=1.
    pub(super) fn of(self, cause: VarId, effect: VarId) -> f64 {
        let first = self.numbers(cause, effect).first().copied();
        match self {
            Self::Weights(weights) => {
                let largest = weights.values.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
                // Without any weight there is no edge either.
                first.map_or(0.0, |weight| weight.abs() / largest.max(f64::MIN_POSITIVE))
            }
            _ => first.unwrap_or(1.0),
        }
    }

    /// How strongly an edge is drawn whose direction is open: either direction counts.
    pub(super) fn of_either(self, cause: VarId, effect: VarId) -> f64 {
        match self {
            Self::Belief(..) => (self.of(cause, effect) + self.of(effect, cause)).min(1.0),
            _ => self.of(cause, effect),
        }
    }

    pub(super) fn headings(self) -> Vec<&'static str> {
        match self {
            Self::Belief(..) => vec!["probability", "existence", "orientation"],
            Self::Votes(_) => vec!["votes"],
            Self::Weights(weights) => vec![weights.kind.name()],
            Self::Unknown => Vec::new(),
        }
    }

    fn numbers(self, cause: VarId, effect: VarId) -> Vec<f64> {
        let at = (cause.index(), effect.index());
        match self {
            Self::Belief(confidence, belief) => {
                let parts = [belief.existence(), belief.orientation()];
                let [existence, orientation] = parts.map(|part| sigmoid(part[at]));
                vec![confidence[at], existence, orientation]
            }
            Self::Votes(shares) => vec![shares[at]],
            Self::Weights(weights) => vec![weights.values[at]],
            Self::Unknown => Vec::new(),
        }
    }

    /// The numbers; the first is that of either direction where the direction is open.
    fn shown(self, cause: VarId, effect: VarId, is_open: bool) -> Vec<f64> {
        let mut numbers = self.numbers(cause, effect);
        if let (true, Self::Belief(..)) = (is_open, self) {
            numbers[0] = self.of_either(cause, effect);
        }
        numbers
    }

    pub(super) fn cells(self, cause: VarId, effect: VarId, is_open: bool) -> Vec<String> {
        let cell = |number: f64| match self {
            Self::Votes(_) => percent(number),
            _ => format!("{number:.3}"),
        };
        let numbers = self.shown(cause, effect, is_open).into_iter();
        numbers.map(cell).collect()
    }

    /// `probability 0.98`, where there is a number.
    pub(super) fn title(self, cause: VarId, effect: VarId, is_open: bool) -> Option<String> {
        let first = *self.shown(cause, effect, is_open).first()?;
        Some(match self {
            Self::Votes(_) => format!("{} of the vote", percent(first)),
            _ => format!("{} {first:.2}", self.headings()[0]),
        })
    }

    pub(super) fn words(self) -> Option<Words> {
        Some(match self {
            Self::Belief(..) => Words {
                first: "likeliest first",
                wider: "a likelier edge",
                meaning: "The probability is that of the edge in this direction; of an edge whose direction is open, that there is one. It follows from what the score of all rows loses without the edge and with it turned; without scores, from existence and orientation, which are believed pair by pair, and from the graph having no cycle.",
            },
            Self::Votes(_) => Words {
                first: "most votes first",
                wider: "an edge with more votes",
                meaning: "Votes are the share of all rows whose sites draw the edge. A site that leaves the direction open gives half of its vote to each direction.",
            },
            Self::Weights(weights) => Words {
                first: "largest weight first",
                wider: "an edge with a larger weight",
                meaning: match weights.kind {
                    WeightKind::Coefficient => {
                        "The coefficient of the cause in a linear regression of the effect."
                    }
                    WeightKind::Mask => {
                        "The weight of the edge in the mask that the networks share; edges above 0.5 are taken."
                    }
                },
            },
            Self::Unknown => return None,
        })
    }
}

pub(super) struct Words {
    pub(super) first: &'static str,
    pub(super) wider: &'static str,
    pub(super) meaning: &'static str,
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}
