//! Names of the two things every message of a federation carries: which round, and whose.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One federation cycle, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Round(pub u32);

impl Round {
    /// The first round.
    pub const FIRST: Self = Self(1);

    /// The round after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// Rounds before this one: the position in a list of rounds.
    pub fn index(self) -> usize {
        self.0.saturating_sub(1) as usize
    }
}

impl fmt::Display for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A process that takes part in a federation. The institution behind it has a name of its own,
/// which no algorithm looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClientId(pub u32);

impl fmt::Display for ClientId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_count_from_one_and_index_from_zero() {
        assert_eq!(Round::FIRST.index(), 0);
        assert_eq!(Round::FIRST.next().index(), 1);
        assert_eq!(Round(3).to_string(), "3");
    }
}
