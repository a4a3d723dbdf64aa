//! What a run knows about its edges besides that they are there.

use fedcdi_core::belief::sigmoid;
use fedcdi_core::{Belief, VarId};
use ndarray::Array2;

use fedcdi_rivals::{WeightKind, Weights};

/// Numbers of edges, by what the method gives.
#[derive(Clone, Copy)]
pub(super) enum Strength<'a> {
    /// Probabilities given that there is no cycle, `[cause, effect]`, and the belief behind them.
    Belief(&'a Array2<f64>, &'a Belief),
    /// Shares of the vote, `[cause, effect]`.
    Votes(&'a Array2<f64>),
    /// Weights that the graph was cut from.
    Weights(&'a Weights),
    /// Nothing: an edge is there or not.
    Unknown,
}

impl Strength<'_> {
    /// How strongly an edge is drawn, 0..=1.
    pub(super) fn of(self, cause: VarId, effect: VarId) -> f64 {
        let at = (cause.index(), effect.index());
        match self {
            Self::Belief(confidence, _) => confidence[at],
            Self::Votes(shares) => shares[at],
            Self::Weights(weights) => {
                let largest = weights.values.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
                if largest > 0.0 {
                    weights.values[at].abs() / largest
                } else {
                    0.0
                }
            }
            Self::Unknown => 1.0,
        }
    }

    /// Columns of the edge list.
    pub(super) fn headings(self) -> Vec<&'static str> {
        match self {
            Self::Belief(..) => vec!["probability", "existence", "orientation"],
            Self::Votes(_) => vec!["votes"],
            Self::Weights(weights) => vec![weights.kind.name()],
            Self::Unknown => Vec::new(),
        }
    }

    /// What stands in them.
    pub(super) fn cells(self, cause: VarId, effect: VarId) -> Vec<String> {
        let at = (cause.index(), effect.index());
        let number = |value: f64| format!("{value:.3}");
        match self {
            Self::Belief(confidence, belief) => vec![
                number(confidence[at]),
                number(sigmoid(belief.existence()[at])),
                number(sigmoid(belief.orientation()[at])),
            ],
            Self::Votes(shares) => vec![percent(shares[at])],
            Self::Weights(weights) => vec![number(weights.values[at])],
            Self::Unknown => Vec::new(),
        }
    }

    /// `probability 0.98`, where there is a number.
    pub(super) fn title(self, cause: VarId, effect: VarId) -> Option<String> {
        let at = (cause.index(), effect.index());
        match self {
            Self::Belief(confidence, _) => Some(format!("probability {:.2}", confidence[at])),
            Self::Votes(shares) => Some(format!("{} of the vote", percent(shares[at]))),
            Self::Weights(weights) => {
                let name = weights.kind.name();
                Some(format!("{name} {:.2}", weights.values[at]))
            }
            Self::Unknown => None,
        }
    }

    /// What comes first in the edge list.
    pub(super) fn first(self) -> Option<&'static str> {
        match self {
            Self::Belief(..) => Some("likeliest first"),
            Self::Votes(_) => Some("most votes first"),
            Self::Weights(_) => Some("largest weight first"),
            Self::Unknown => None,
        }
    }

    /// What a wider, darker line is.
    pub(super) fn wider(self) -> Option<&'static str> {
        match self {
            Self::Belief(..) => Some("a likelier edge"),
            Self::Votes(_) => Some("an edge with more votes"),
            Self::Weights(_) => Some("an edge with a larger weight"),
            Self::Unknown => None,
        }
    }

    /// What the numbers are.
    pub(super) fn meaning(self) -> Option<&'static str> {
        match self {
            Self::Belief(..) => Some(
                "The probability of an edge follows from existence and orientation, which are believed pair by pair, and from the graph having no cycle: an edge becomes less likely when stronger edges contradict it, and more likely when they rule out the alternatives.",
            ),
            Self::Votes(_) => Some(
                "Votes are the share of all rows whose clients draw the edge; a client that leaves its direction open gives half of its vote to either.",
            ),
            Self::Weights(weights) => Some(match weights.kind {
                WeightKind::Coefficient => {
                    "The coefficient of the cause in a linear regression of the effect."
                }
                WeightKind::Mask => {
                    "The weight of the edge in the mask that the networks share; edges above 0.5 are taken."
                }
            }),
            Self::Unknown => None,
        }
    }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}
