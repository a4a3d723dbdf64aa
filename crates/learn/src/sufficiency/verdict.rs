//! The words of a verdict.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Whether rows are enough for a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Most answers can be trusted.
    Enough,
    /// Some can.
    Thin,
    /// Few can.
    TooFew,
    /// The observational rows show no association that could be asked about.
    NothingSeen,
}

/// Share of decided pairs from which rows are enough.
const ENOUGH: f64 = 0.9;

/// Share of decided pairs from which rows are thin rather than too few.
const THIN: f64 = 0.5;

impl Verdict {
    pub(super) fn of_share(n_decided: usize, n: usize) -> Self {
        match n_decided as f64 / n as f64 {
            _ if n == 0 => Self::NothingSeen,
            share if share >= ENOUGH => Self::Enough,
            share if share >= THIN => Self::Thin,
            _ => Self::TooFew,
        }
    }

    /// Where rows decide less than their number promises.
    pub(super) fn at_most_thin(self) -> Self {
        match self {
            Self::Enough => Self::Thin,
            other => other,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Enough => "enough",
            Self::Thin => "thin",
            Self::TooFew => "too few",
            Self::NothingSeen => "nothing seen",
        })
    }
}

/// What rows under an intervention say about another variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// Setting the target moves it as strongly as the two are associated.
    Moves,
    /// The association is not the target's effect.
    DoesNotMove,
    /// The rows are too few to tell.
    Undecided,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_become_words() {
        use Verdict::{Enough, NothingSeen, Thin, TooFew};
        let words = [(0, 0), (9, 10), (5, 10), (4, 10)].map(|(k, n)| Verdict::of_share(k, n));
        assert_eq!(words, [NothingSeen, Enough, Thin, TooFew]);
    }
}
