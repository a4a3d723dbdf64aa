//! Whether a sample was observed, or taken while variables were intervened on.

use crate::variable::VarId;

/// How a sample came about. Observational sorts first, then by targets.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Regime {
    /// Nothing was touched.
    Observational,
    /// These variables were set by the experimenter; sorted, distinct, at least one.
    Intervened(Targets),
}

/// A non-empty set of intervened variables, sorted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Targets(Vec<VarId>);

impl Regime {
    /// Intervened on these variables (in any order, repeats ignored); observational if there are none.
    pub fn intervened(targets: impl IntoIterator<Item = VarId>) -> Self {
        let mut targets: Vec<VarId> = targets.into_iter().collect();
        targets.sort_unstable();
        targets.dedup();
        if targets.is_empty() {
            Self::Observational
        } else {
            Self::Intervened(Targets(targets))
        }
    }

    /// The intervened variables, sorted; empty when observational.
    pub fn targets(&self) -> &[VarId] {
        match self {
            Self::Observational => &[],
            Self::Intervened(Targets(targets)) => targets,
        }
    }

    /// Whether nothing was touched.
    pub fn is_observational(&self) -> bool {
        matches!(self, Self::Observational)
    }

    /// Whether `var` was set by the experimenter.
    pub fn intervenes_on(&self, var: VarId) -> bool {
        self.targets().contains(&var)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_sorted_and_distinct() {
        let regime = Regime::intervened([VarId(4), VarId(1), VarId(4)]);
        assert_eq!(regime.targets(), [VarId(1), VarId(4)]);
        assert!(regime.intervenes_on(VarId(4)) && !regime.intervenes_on(VarId(2)));
    }

    #[test]
    fn no_targets_means_observational() {
        assert_eq!(Regime::intervened([]), Regime::Observational);
        assert!(Regime::Observational < Regime::intervened([VarId(0)]));
    }
}
