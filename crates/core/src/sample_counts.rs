//! How much data stands behind a report: what aggregators weight clients by.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::dataset::Dataset;
use crate::variable::VarId;

/// Sizes of a client's data. A sample under an intervention on several variables counts for each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SampleCounts {
    /// Samples in all. Weights the client in a plain mean.
    pub n_samples: u64,
    /// Samples without an intervention. They tell of existence, hardly of orientation.
    pub n_observational: u64,
    /// Samples under an intervention on each variable, `[variable]`. They say where the client
    /// knows the orientation.
    pub n_interventional: Vec<u64>,
    /// Samples under an intervention on both of two variables, sorted; empty where every
    /// intervention is on one. They say nothing about the orientation of that pair.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub n_joint: Vec<JointCount>,
}

/// Samples under an intervention on two variables at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JointCount {
    /// The variable with the smaller id.
    pub a: VarId,
    /// The other one.
    pub b: VarId,
    /// Samples; > 0.
    pub n_samples: u64,
}

impl SampleCounts {
    /// The counts of a table.
    pub fn of(data: &Dataset) -> Self {
        let mut joint: BTreeMap<(VarId, VarId), u64> = BTreeMap::new();
        for (regime, samples) in data.regimes().iter().zip(data.samples_by_regime()) {
            let targets = regime.targets();
            for (at, &a) in targets.iter().enumerate() {
                for &b in &targets[at + 1..] {
                    *joint.entry((a.min(b), a.max(b))).or_default() += samples.len() as u64;
                }
            }
        }
        let joint = joint.into_iter().filter(|(_, n)| *n > 0);
        let counts = data.interventional_counts();
        Self {
            n_samples: data.n_samples() as u64,
            n_observational: data.observational().len() as u64,
            n_interventional: counts.into_iter().map(|count| count as u64).collect(),
            n_joint: joint
                .map(|((a, b), n_samples)| JointCount { a, b, n_samples })
                .collect(),
        }
    }

    /// Samples under some intervention.
    pub fn intervened(&self) -> u64 {
        self.n_samples.saturating_sub(self.n_observational)
    }

    /// Samples under interventions on others than this variable: they tell what causes it.
    pub fn elsewhere(&self, var: VarId) -> u64 {
        self.intervened()
            .saturating_sub(self.n_interventional[var.index()])
    }

    /// Samples under an intervention on one of two variables and not on the other: they tell which
    /// is the cause.
    pub fn separating(&self, a: VarId, b: VarId) -> u64 {
        let of = |var: VarId| self.n_interventional[var.index()];
        of(a)
            .saturating_add(of(b))
            .saturating_sub(self.joint(a, b).saturating_mul(2))
    }

    /// Samples under an intervention on both.
    fn joint(&self, a: VarId, b: VarId) -> u64 {
        let pair = (a.min(b), a.max(b));
        let found = self.n_joint.binary_search_by_key(&pair, |j| (j.a, j.b));
        found.map_or(0, |at| self.n_joint[at].n_samples)
    }

    /// Whether bounds show that no table has these counts.
    pub(crate) fn contradict(&self) -> bool {
        let counts = &self.n_interventional;
        let most = counts.iter().max().copied().unwrap_or(0);
        let sum = counts.iter().fold(0u64, |a, n| a.saturating_add(*n));
        let both = self.n_joint.iter().map(|joint| joint.n_samples).max();
        // Every sample that is not observational has a target, and those with two count twice.
        let at_most = sum.saturating_sub(both.unwrap_or(0));
        let intervened = self.n_samples.checked_sub(self.n_observational);
        let unfit = intervened.is_none_or(|intervened| {
            most > intervened || at_most < intervened || self.overlap_more_than_said(intervened)
        });
        unfit || self.joint_contradict()
    }

    /// Whether two targets, or all together, have more samples than there are, although what sets
    /// two at once is taken off (Bonferroni's lower bound of a union).
    fn overlap_more_than_said(&self, intervened: u64) -> bool {
        let sum = |counts: &mut dyn Iterator<Item = u64>| counts.map(u128::from).sum::<u128>();
        let single = sum(&mut self.n_interventional.iter().copied());
        let joint = sum(&mut self.n_joint.iter().map(|joint| joint.n_samples));
        if single.saturating_sub(joint) > u128::from(intervened) {
            return true;
        }
        let targets = || {
            let counts = self.n_interventional.iter().enumerate();
            counts.filter(|(_, n)| **n > 0).map(|(v, _)| VarId(v))
        };
        let of = |var: VarId| self.n_interventional[var.index()];
        let too_many = |a: VarId, b: VarId| {
            let either = of(a).saturating_add(of(b));
            either.saturating_sub(self.joint(a, b)) > intervened
        };
        targets().any(|a| targets().any(|b| a < b && too_many(a, b)))
    }

    fn joint_contradict(&self) -> bool {
        let count = |var: VarId| self.n_interventional.get(var.index()).copied();
        let unfit = |joint: &JointCount| {
            let (Some(a), Some(b)) = (count(joint.a), count(joint.b)) else {
                return true;
            };
            joint.a >= joint.b || joint.n_samples == 0 || joint.n_samples > a.min(b)
        };
        let ascending = self.n_joint.is_sorted_by(|x, y| (x.a, x.b) < (y.a, y.b));
        !ascending || self.n_joint.iter().any(unfit)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{DatasetBuilder, Regime, Schema, Variable};

    fn counts() -> SampleCounts {
        let variables = ["a", "b", "c"].map(|name| Variable::with_codes(name, 2));
        let schema = Arc::new(Schema::new(variables.to_vec()).unwrap());
        let mut table = DatasetBuilder::with_capacity(schema, 4);
        let both = Regime::intervened([VarId(0), VarId(1)]);
        let alone = Regime::intervened([VarId(1)]);
        for regime in [Regime::Observational, alone, both.clone(), both] {
            table.push(&[0, 1, 0], &regime).unwrap();
        }
        SampleCounts::of(&table.finish().unwrap())
    }

    #[test]
    fn counts_follow_the_table() {
        let counts = counts();
        assert_eq!((counts.n_samples, counts.n_observational), (4, 1));
        assert_eq!(counts.n_interventional, [2, 3, 0]);
        let (a, b, n_samples) = (VarId(0), VarId(1), 2);
        assert_eq!(counts.n_joint, [JointCount { a, b, n_samples }]);
        assert!(!counts.contradict());
    }

    #[test]
    fn rows_that_set_both_ends_tell_nothing_about_a_pair() {
        let counts = counts();
        let [a, b, c] = [0, 1, 2].map(VarId);
        assert_eq!(counts.separating(a, b), 1);
        assert_eq!(counts.separating(b, a), 1);
        assert_eq!((counts.separating(a, c), counts.separating(b, c)), (2, 3));
        assert_eq!([a, b, c].map(|v| counts.elsewhere(v)), [1, 0, 3]);
    }

    /// Four rows under interventions on three variables, with these counts of two at once.
    fn four_rows(single: [u64; 3], joint: &[(usize, usize, u64)]) -> SampleCounts {
        let joint = joint.iter().map(|&(a, b, n_samples)| JointCount {
            a: VarId(a),
            b: VarId(b),
            n_samples,
        });
        SampleCounts {
            n_samples: 5,
            n_observational: 1,
            n_interventional: single.to_vec(),
            n_joint: joint.collect(),
        }
    }

    #[test]
    fn counts_that_no_table_has_are_noticed() {
        let is_fine = |single, joint: &[_]| !four_rows(single, joint).contradict();
        assert!(is_fine([2, 2, 0], &[]));
        assert!(is_fine([2, 2, 1], &[(0, 1, 1)]), "a, ab, b, c");
        assert!(is_fine([3, 3, 3], &[(0, 1, 2), (0, 2, 2), (1, 2, 2)]));
        let joint = [(0, 1, 1), (0, 2, 1), (1, 2, 2)];
        assert!(is_fine([3, 2, 2], &joint), "a, a, abc, bc");
        for (single, joint, why) in [
            ([5, 0, 0], &[][..], "more than there are"),
            ([2, 1, 0], &[], "a row without a target"),
            ([3, 3, 0], &[(0, 1, 3)], "and if the others share theirs"),
            ([2, 2, 1], &[], "five rows"),
            (
                [3, 3, 1],
                &[(0, 1, 1), (0, 2, 1), (1, 2, 1)],
                "five of a and b",
            ),
            ([2, 2, 1], &[(1, 0, 1)], "the wrong order"),
            ([2, 2, 0], &[(0, 1, 0)], "nothing to say"),
            ([3, 2, 1], &[(0, 1, 1), (0, 2, 2)], "more than c has"),
            ([2, 2, 1], &[(0, 3, 1)], "no such variable"),
        ] {
            assert!(!is_fine(single, joint), "{why}");
        }
    }
}
