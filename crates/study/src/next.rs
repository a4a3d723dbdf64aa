//! Which experiment next: the variable that is worth setting most, and in how many rows.

use std::collections::BTreeMap;

use fedcdi_core::graph::Settled;
use fedcdi_core::{Knowledge, Schema, VarId};
use fedcdi_protocol::Outcome;
use serde::Serialize;

use crate::certainty::Separated;
use crate::report::count;
use crate::result::SiteResult;

/// Experiments that would settle less are not worth a word.
const LEAST: f64 = 0.1;
/// Nats that tell one direction from the other.
const TELLING: f64 = 6.0;
/// Fewer rows are never advised.
const FEWEST_ROWS: f64 = 20.0;

/// Nats that the score of all rows loses without an edge.
type Gains = BTreeMap<(VarId, VarId), f64>;

/// An experiment that is worth making.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NextExperiment {
    /// The variable to set.
    pub set: String,
    /// How many directions are expected to be known after it that are not now.
    pub settles: f64,
    /// Directions that are open or in doubt now.
    pub open: usize,
    /// Rows that should tell, if scores of the rows so far are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
}

impl NextExperiment {
    /// The one that settles most, of variables that can be set.
    pub(crate) fn of(
        settled: &Settled,
        knowledge: &Knowledge,
        separated: &Separated<'_>,
        outcome: &Outcome,
        sites: &[SiteResult],
        schema: &Schema,
        cannot: &[String],
    ) -> Option<Self> {
        let worth = settled.worth_of_setting(knowledge, |a, b| separated.either(a, b));
        let can = |var: &VarId| !cannot.iter().any(|name| name == schema.name(*var));
        let by_worth = |a: &VarId, b: &VarId| {
            let order = worth[a.index()].total_cmp(&worth[b.index()]);
            order.then_with(|| schema.name(*b).cmp(schema.name(*a)))
        };
        let best = schema.ids().filter(can).max_by(by_worth)?;
        let settles = worth[best.index()];
        let is_open = |(c, e): &(VarId, VarId)| {
            settled.class.has_undirected(*c, *e)
                || (!separated.either(*c, *e) && settled.posterior.edge(*e, *c) > LEAST)
        };
        let open: Vec<_> = settled.dag.edges().filter(is_open).collect();
        (settles >= LEAST).then(|| Self {
            set: schema.name(best).to_owned(),
            settles,
            open: open.len(),
            rows: outcome.scored.as_ref().and_then(|scored| {
                let profiles = sites.iter().filter_map(|site| site.profile.as_ref());
                let n_rows = profiles.map(|profile| profile.n_samples);
                let n_rows = n_rows.fold(0, u64::saturating_add);
                rows(
                    best,
                    &open,
                    &scored.gains_of(&outcome.dag).collect(),
                    n_rows,
                )
            }),
        })
    }

    /// `Next experiment: set PKA, in about 80 rows. It should settle 4.5 of 6 open directions.`
    pub fn sentence(&self) -> String {
        let rows = self
            .rows
            .map_or_else(String::new, |rows| format!(", in about {rows} rows"));
        let open = count(self.open, "direction");
        let settles = self.settles.min(self.open as f64);
        format!(
            "Next experiment: set {}{rows}. It should settle {settles:.1} of {open} that {} open or in doubt.",
            self.set,
            if self.open == 1 { "is" } else { "are" }
        )
    }
}

/// As many as the weakest of its open edges needs, if rows that set it tell as much as others do.
fn rows(set: VarId, open: &[(VarId, VarId)], gains: &Gains, n_rows: u64) -> Option<u64> {
    let own = open.iter().filter(|(c, e)| *c == set || *e == set);
    let gains = own.filter_map(|edge| gains.get(edge));
    let weakest = gains.copied().fold(f64::INFINITY, f64::min);
    let needed = TELLING * n_rows as f64 / weakest.max(TELLING);
    let needed = needed.max(FEWEST_ROWS);
    // Two figures are more than it is known to.
    let scale = 10f64.powf(needed.log10().floor() - 1.0).max(1.0);
    (weakest.is_finite() && n_rows > 0).then(|| ((needed / scale).ceil() * scale) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weakest_edge_says_how_many_rows_it_takes() {
        let edges = [(0, 1), (0, 2), (3, 4)].map(|(c, e)| (VarId(c), VarId(e)));
        let gains: Gains = edges.into_iter().zip([600.0, 150.0, 2.0]).collect();
        // 150 nats in 2600 rows: 6 in 104.
        assert_eq!(rows(VarId(0), &edges, &gains, 2600), Some(110));
        // Less than 6 nats in all: as many rows again.
        assert_eq!(rows(VarId(4), &edges, &gains, 2600), Some(2600));
        assert_eq!(rows(VarId(1), &edges, &gains, 2600), Some(26));
        assert_eq!(rows(VarId(5), &edges, &gains, 2600), None);
    }

    #[test]
    fn an_experiment_is_told_in_a_sentence() {
        let mut next = NextExperiment {
            set: "PKA".to_owned(),
            settles: 4.52,
            open: 6,
            rows: Some(110),
        };
        assert_eq!(
            next.sentence(),
            "Next experiment: set PKA, in about 110 rows. It should settle 4.5 of 6 directions that are open or in doubt."
        );
        (next.rows, next.open, next.settles) = (None, 1, 1.0);
        assert_eq!(
            next.sentence(),
            "Next experiment: set PKA. It should settle 1.0 of 1 direction that is open or in doubt."
        );
    }
}
