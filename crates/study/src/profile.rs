//! How a site describes its data to a study that asks for it: rows in bands, targets, and whether they
//! are enough.

use fedcdi_core::{Dataset, SampleCounts};
use fedcdi_learn::sufficiency::{Sufficiency, TargetSufficiency, Verdict};
use serde::{Deserialize, Serialize};

use crate::arms::Arm;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SiteProfile {
    /// Rows in all, in bands.
    pub(crate) n_samples: u64,
    pub(crate) n_observational: u64,
    pub(crate) targets: Vec<String>,
    /// Rows under every intervention.
    #[serde(default)]
    pub(crate) arms: Vec<Arm>,
    /// Whether the rows are enough; none if a variable is real.
    pub(crate) verdicts: Option<SiteVerdicts>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SiteVerdicts {
    pub(crate) existence: Verdict,
    pub(crate) orientation: Verdict,
    /// What the words come from; not reported where rows are reported in bands: these numbers follow
    /// from single rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) detail: Option<VerdictDetail>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VerdictDetail {
    /// Observational rows that a typical pair needs.
    pub(crate) rows_needed: u64,
    /// Pairs where edges are likely.
    pub(crate) n_close: usize,
    /// Those whose direction the rows decide.
    pub(crate) n_close_decided: usize,
    pub(crate) targets: Vec<TargetVerdict>,
    /// What would help, most helpful first.
    pub(crate) remedies: Vec<String>,
    pub(crate) n_more_remedies: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TargetVerdict {
    pub(crate) target: String,
    pub(crate) n_rows: u64,
    pub(crate) verdict: Verdict,
    /// Variables that follow it.
    pub(crate) n_moves: usize,
    /// Variables that do not.
    pub(crate) n_does_not_move: usize,
    /// Variables that the rows do not decide about.
    pub(crate) n_undecided: usize,
}

/// Remedies that are reported; the rest is what `fedcdi inspect` is for.
const REMEDIES: usize = 3;

impl SiteProfile {
    /// Of a table, with numbers of rows as multiples of `band`.
    pub(crate) fn of(data: &Dataset, band: u64) -> Self {
        let counts = SampleCounts::of(data).in_bands(band);
        let schema = data.schema();
        let targets = schema.ids().zip(&counts.n_interventional);
        let targets = targets.filter(|(_, n)| **n > 0);
        Self {
            n_samples: counts.n_samples,
            n_observational: counts.n_observational,
            targets: targets.map(|(v, _)| schema.name(v).to_owned()).collect(),
            arms: Arm::all(data, band),
            verdicts: SiteVerdicts::of(data, band),
        }
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a profile has nothing that JSON lacks")
    }

    /// As it came; none if it is not a profile.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}

impl SiteVerdicts {
    /// On a table, if it can be counted; words alone where rows are reported in bands.
    pub(crate) fn of(data: &Dataset, band: u64) -> Option<Self> {
        let table = Sufficiency::if_countable(data)?;
        Some(Self {
            existence: table.existence.verdict,
            orientation: table.orientation.verdict,
            detail: (band <= 1).then(|| VerdictDetail::of(table)),
        })
    }
}

impl VerdictDetail {
    fn of(table: Sufficiency) -> Self {
        let orientation = &table.orientation;
        let target = |of: &TargetSufficiency| TargetVerdict {
            target: of.target.clone(),
            n_rows: of.n_rows as u64,
            verdict: of.verdict,
            n_moves: of.n_moves,
            n_does_not_move: of.n_does_not_move,
            n_undecided: of.n_undecided,
        };
        Self {
            rows_needed: table.existence.rows_needed as u64,
            n_close: orientation.n_close,
            n_close_decided: orientation.n_close_decided,
            targets: orientation.targets.iter().map(target).collect(),
            n_more_remedies: table.remedies.len().saturating_sub(REMEDIES),
            remedies: table.remedies.into_iter().take(REMEDIES).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fedcdi_core::{DatasetBuilder, Regime, Schema, VarId, Variable};

    use super::*;

    fn table(n_rows: u16) -> Dataset {
        let variables = ["dose", "outcome"].map(|name| Variable::with_codes(name, 2));
        let schema = Arc::new(Schema::new(variables.to_vec()).unwrap());
        let mut table = DatasetBuilder::with_capacity(schema, n_rows.into());
        for at in 0..n_rows {
            let regime = if at == 0 {
                Regime::intervened([VarId(0)])
            } else {
                Regime::Observational
            };
            table.push(&[at % 2, at % 2], &regime).unwrap();
        }
        table.finish().unwrap()
    }

    #[test]
    fn a_profile_is_the_same_within_a_band() {
        // 19 and 21 observational rows are both about 20; one row under an intervention is about 5.
        let (one, two) = (table(20), table(22));
        assert_eq!(SiteProfile::of(&one, 5), SiteProfile::of(&two, 5));
        let profile = SiteProfile::of(&one, 5);
        assert_eq!((profile.n_samples, profile.n_observational), (25, 20));
        assert_eq!(profile.targets, ["dose"]);
        let back = SiteProfile::from_bytes(&profile.to_bytes());
        assert_eq!(back, Some(profile));
        assert_eq!(SiteProfile::from_bytes(b"{}"), None);
    }
}
