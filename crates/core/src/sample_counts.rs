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
    /// No samples.
    pub fn none(n_vars: usize) -> Self {
        Self {
            n_samples: 0,
            n_observational: 0,
            n_interventional: vec![0; n_vars],
            n_joint: Vec::new(),
        }
    }

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

    /// The counts as they may be told: multiples of `band`, and none between 0 and `band`. So a
    /// count never says that a group has one row.
    #[must_use]
    pub fn in_bands(&self, band: u64) -> Self {
        let told = |n: u64| match n {
            0 => 0,
            n if band < 2 => n,
            n => (n.saturating_add(band / 2) / band * band).max(band),
        };
        let n_interventional: Vec<u64> = self.n_interventional.iter().map(|n| told(*n)).collect();
        let n_joint = self.n_joint.iter().map(|joint| JointCount {
            n_samples: told(joint.n_samples),
            ..*joint
        });
        let n_observational = told(self.n_observational);
        let intervened = told(self.intervened());
        Self {
            n_samples: n_observational.saturating_add(intervened),
            n_observational,
            n_interventional,
            n_joint: n_joint.collect(),
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

    fn joint(&self, a: VarId, b: VarId) -> u64 {
        let pair = (a.min(b), a.max(b));
        let found = self.n_joint.binary_search_by_key(&pair, |j| (j.a, j.b));
        found.map_or(0, |at| self.n_joint[at].n_samples)
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
    }

    #[test]
    fn told_counts_are_multiples_of_the_band() {
        let counts = SampleCounts {
            n_samples: 1020,
            n_observational: 1003,
            n_interventional: vec![1, 13, 0, 3],
            n_joint: Vec::new(),
        };
        let told = counts.in_bands(5);
        assert_eq!(told.n_interventional, [5, 15, 0, 5]);
        assert_eq!((told.n_observational, told.n_samples), (1005, 1020));
        assert_eq!(counts.in_bands(1), counts);
        assert_eq!(counts.in_bands(0), counts);
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
}
