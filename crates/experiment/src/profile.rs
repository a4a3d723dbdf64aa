//! How a site describes its data to a study that asks for it: rows in bands, targets, and whether they
//! are enough.

use fedcdi_core::{Dataset, SampleCounts};
use fedcdi_data::Sufficiency;
use fedcdi_data::sufficiency::Verdict;
use serde::{Deserialize, Serialize};

/// A site's data in a few numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiteProfile {
    /// Rows in all, in bands.
    pub n_samples: u64,
    /// Rows without an intervention, in bands.
    pub n_observational: u64,
    /// Variables that were intervened on.
    pub targets: Vec<String>,
    /// Whether the rows are enough; none if a variable is real.
    pub verdicts: Option<SiteVerdicts>,
}

/// Whether a table's rows are enough.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiteVerdicts {
    /// For edges.
    pub existence: Verdict,
    /// Observational rows that a typical pair needs.
    pub rows_needed: u64,
    /// For directions.
    pub orientation: Verdict,
    /// Pairs where edges are likely.
    pub n_close: usize,
    /// Those whose direction the rows decide.
    pub n_close_decided: usize,
    /// Every target.
    pub targets: Vec<TargetVerdict>,
    /// What would help, most helpful first.
    pub remedies: Vec<String>,
    /// How many more remedies there are.
    pub n_more_remedies: usize,
}

/// Whether the rows under an intervention on one variable are enough.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetVerdict {
    /// The variable.
    pub target: String,
    /// Rows under an intervention on it, in bands.
    pub n_rows: u64,
    /// Whether they are enough.
    pub verdict: Verdict,
    /// Variables that follow it.
    pub n_moves: usize,
    /// Variables that do not.
    pub n_does_not_move: usize,
    /// Variables that the rows do not decide about.
    pub n_undecided: usize,
}

/// Remedies that are told; the rest is what `fedcdi inspect` is for.
const REMEDIES: usize = 3;

impl SiteProfile {
    /// Of a table, with numbers of rows as multiples of `band`.
    pub fn of(data: &Dataset, band: u64) -> Self {
        let counts = SampleCounts::of(data).in_bands(band);
        let schema = data.schema();
        let targets = schema.ids().zip(&counts.n_interventional);
        let targets = targets.filter(|(_, n)| **n > 0);
        Self {
            n_samples: counts.n_samples,
            n_observational: counts.n_observational,
            targets: targets.map(|(v, _)| schema.name(v).to_owned()).collect(),
            verdicts: SiteVerdicts::of(data, band),
        }
    }

    /// As it travels.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a profile has nothing that JSON lacks")
    }

    /// As it came; none if it is not a profile.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}

impl SiteVerdicts {
    /// On a table, if it can be counted.
    pub fn of(data: &Dataset, band: u64) -> Option<Self> {
        let table = Sufficiency::if_countable(data)?;
        let counts = SampleCounts::of(data).in_bands(band);
        let orientation = &table.orientation;
        let target = |of: &fedcdi_data::sufficiency::TargetSufficiency| {
            let var = data.schema().find(&of.target);
            TargetVerdict {
                target: of.target.clone(),
                n_rows: var.map_or(0, |var| counts.n_interventional[var.index()]),
                verdict: of.verdict,
                n_moves: of.n_moves,
                n_does_not_move: of.n_does_not_move,
                n_undecided: of.n_undecided,
            }
        };
        Some(Self {
            existence: table.existence.verdict,
            rows_needed: table.existence.rows_needed as u64,
            orientation: orientation.verdict,
            n_close: orientation.n_close,
            n_close_decided: orientation.n_close_decided,
            targets: orientation.targets.iter().map(target).collect(),
            n_more_remedies: table.remedies.len().saturating_sub(REMEDIES),
            remedies: table.remedies.into_iter().take(REMEDIES).collect(),
        })
    }
}
