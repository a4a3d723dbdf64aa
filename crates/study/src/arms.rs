//! Which interventions a site has, and in how many rows: what directions can be known from.
//!
//! An arm is all rows of a site under one intervention, on one variable or on several at once. A site tells
//! its arms in its profile, with rows in bands. They say what every edge of a result was identified by.

use fedcdi_core::{Dataset, VarId};
use serde::{Deserialize, Serialize};

/// Arms that are told per variable of the study, the largest first; a table may have one for every
/// combination.
const MOST_PER_VARIABLE: usize = 2;
/// Targets of an arm that is told.
const MOST_TARGETS: usize = 4;

/// Rows under one intervention.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arm {
    /// What was set, as places in the study's list of variables, from 0.
    pub(crate) set: Vec<u32>,
    /// How many rows, in bands.
    pub(crate) rows: u64,
    /// Those of the targets that every row sets to the same value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) fixed: Vec<u32>,
}

impl Arm {
    /// The arms of a table, in a fixed order.
    pub(crate) fn all(data: &Dataset, band: u64) -> Vec<Self> {
        let groups = data.samples_by_regime();
        let groups = data.regimes().iter().zip(&groups);
        let told = groups.filter(|(regime, rows)| {
            let n_targets = regime.targets().len();
            (1..=MOST_TARGETS).contains(&n_targets) && !rows.is_empty()
        });
        let arm = |targets: &[VarId], rows: &[usize]| {
            let fixed = targets.iter().filter(|var| is_fixed(data, **var, rows));
            Self {
                set: targets.iter().map(|var| var.0 as u32).collect(),
                rows: in_band(rows.len() as u64, band),
                fixed: fixed.map(|var| var.0 as u32).collect(),
            }
        };
        let mut arms: Vec<Self> = told.map(|(r, rows)| arm(r.targets(), rows)).collect();
        arms.sort_by(|a, b| b.rows.cmp(&a.rows).then_with(|| a.set.cmp(&b.set)));
        arms.truncate(MOST_PER_VARIABLE * data.n_vars());
        arms
    }

    fn sets(&self, var: VarId) -> bool {
        self.set.contains(&(var.0 as u32))
    }

    /// Whether these rows set the first and leave the second alone.
    pub(crate) fn separates(&self, set: VarId, free: VarId) -> bool {
        self.rows > 0 && self.sets(set) && !self.sets(free)
    }

    /// Whether every row sets this target to the same value.
    pub(crate) fn fixes(&self, var: VarId) -> bool {
        self.fixed.contains(&(var.0 as u32))
    }
}

/// Whether several rows all set a variable to one value. A single row cannot vary.
fn is_fixed(data: &Dataset, var: VarId, rows: &[usize]) -> bool {
    let same = |pair: &[usize]| match data.column(var).reals() {
        Some(reals) => reals[pair[0]].to_bits() == reals[pair[1]].to_bits(),
        None => data.value(pair[0], var) == data.value(pair[1], var),
    };
    rows.len() > 1 && rows.windows(2).all(same)
}

/// As counts are told: a multiple of `band`, and none between 0 and `band`.
fn in_band(n: u64, band: u64) -> u64 {
    match n {
        0 => 0,
        n if band < 2 => n,
        n => (n.saturating_add(band / 2) / band * band).max(band),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fedcdi_core::{DatasetBuilder, Regime, Schema, Variable};

    use super::*;

    fn var(at: usize) -> VarId {
        VarId(at)
    }

    /// Three variables of three values; rows by what they set.
    fn table(rows: &[([u16; 3], &[usize])]) -> Dataset {
        let variables = ["a", "b", "c"].map(|name| Variable::with_codes(name, 3));
        let schema = Arc::new(Schema::new(variables.to_vec()).unwrap());
        let mut table = DatasetBuilder::with_capacity(schema, rows.len());
        for (values, set) in rows {
            let regime = match set {
                [] => Regime::Observational,
                _ => Regime::intervened(set.iter().map(|at| VarId(*at))),
            };
            table.push(values, &regime).unwrap();
        }
        table.finish().unwrap()
    }

    #[test]
    fn rows_are_told_by_what_they_set() {
        let data = table(&[
            ([0, 0, 0], &[]),
            ([2, 1, 0], &[0]),
            ([2, 2, 1], &[0]),
            ([1, 0, 0], &[1]),
            ([0, 0, 2], &[1, 2]),
            ([1, 0, 2], &[1, 2]),
            ([1, 1, 2], &[1, 2]),
        ]);
        let arm = |set: &[u32], rows, fixed: &[u32]| Arm {
            set: set.to_vec(),
            rows,
            fixed: fixed.to_vec(),
        };
        // A single row cannot vary, and says nothing of what others would be set to.
        let expected = [arm(&[1, 2], 3, &[2]), arm(&[0], 2, &[0]), arm(&[1], 1, &[])];
        assert_eq!(Arm::all(&data, 1), expected);
        let both = &expected[0];
        assert!(both.separates(var(1), var(0)) && !both.separates(var(1), var(2)));
        assert!(both.fixes(var(2)) && !both.fixes(var(1)));
    }

    #[test]
    fn rows_are_told_in_bands_and_none_is_hidden() {
        assert_eq!([0, 1, 7, 8, 12].map(|n| in_band(n, 5)), [0, 5, 5, 10, 10]);
        assert_eq!(in_band(3, 0), 3);
        assert_eq!(in_band(u64::MAX, 5), u64::MAX / 5 * 5);
    }

    #[test]
    fn the_largest_are_told_of_many() {
        let all: Vec<([u16; 3], &[usize])> = vec![
            ([0, 0, 0], &[0]),
            ([0, 0, 0], &[1]),
            ([0, 0, 0], &[2]),
            ([0, 0, 0], &[0, 1]),
            ([0, 0, 0], &[0, 2]),
            ([0, 0, 0], &[1, 2]),
            ([0, 0, 0], &[0, 1, 2]),
            ([1, 0, 0], &[0, 1, 2]),
        ];
        let told = Arm::all(&table(&all), 1);
        assert_eq!(told.len(), 6);
        assert_eq!((told[0].set.len(), told[0].rows), (3, 2));
    }
}
