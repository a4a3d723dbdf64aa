//! What a page is about, whichever run it comes from: by FedCDI or a rival, of one table or several sites.

use fedcdi_core::Dag;
use fedcdi_protocol::rules::Shares;

use super::curves::Role;
use super::strength::Strength;
use crate::catalogue::{Catalogue, Method};
use crate::identified::Identified;
use crate::result::{Comparison, Found, RunResult};
use crate::spec::Spec;

const UNCOMPARED: &str = "the comparison that was asked for (all rows in one place, each site alone) is missing: it was stopped or failed before it was done";

/// A run, how it was asked for, and what it is compared with.
pub(super) struct Content<'a> {
    pub(super) spec: &'a Spec,
    pub(super) run: &'a RunResult,
    pub(super) comparison: Option<&'a Comparison>,
    pub(super) heading: String,
    pub(super) strength: Strength<'a>,
    pub(super) combined: Combined<'a>,
}

/// How one graph came of several sites.
#[derive(Clone, Copy)]
pub(super) enum Combined<'a> {
    OneTable,
    /// Beliefs were aggregated, with these shares if the rule has any.
    Aggregate(Option<&'a Shares>),
    /// Every site drew a graph, and each has the weight of its rows.
    Vote,
    /// The sites fit one graph together, and this is what each sent for it.
    Together(&'static str),
}

impl<'a> Content<'a> {
    pub(super) fn of(
        spec: &'a Spec,
        run: &'a RunResult,
        comparison: Option<&'a Comparison>,
    ) -> Self {
        let method = Catalogue::default().methods.build(&spec.method).ok();
        let heading = match (&run.found, &method) {
            (Found::Belief(found), _) if run.is_federation() => match &found.study {
                Some(name) => format!("Study {name}"),
                None => "Simulated federation".to_owned(),
            },
            (Found::Graph(_), Some(method)) => {
                format!("Causal discovery by {}", method.about().title)
            }
            _ => "Causal discovery".to_owned(),
        };
        let sent = match &method {
            Some(Method::Rival(rival)) => rival.sent(),
            _ => None,
        };
        Self {
            spec,
            run,
            comparison,
            heading,
            strength: Strength::of_run(run),
            combined: match &run.found {
                _ if !run.is_federation() => Combined::OneTable,
                Found::Belief(found) => Combined::Aggregate(found.outcome.shares.as_ref()),
                Found::Graph(_) => sent.map_or(Combined::Vote, Combined::Together),
            },
        }
    }

    pub(super) fn truth(&self) -> Option<&'a Dag> {
        self.run.truth.as_ref()
    }

    /// What the direction of every edge is known from, if the sites say what they set.
    pub(super) fn known(&self) -> Option<&'a Identified> {
        let known = self.run.belief().map(|found| &found.known);
        known.filter(|known| !known.is_empty())
    }

    /// How much each site counted in the last aggregate, if the rule has shares.
    pub(super) fn shares(&self) -> Option<&'a Shares> {
        match self.combined {
            Combined::Aggregate(shares) => shares,
            _ => None,
        }
    }

    pub(super) fn warnings(&self) -> impl Iterator<Item = &str> {
        let missing = self.spec.compare && self.comparison.is_none();
        let warnings = self.run.warnings.iter().map(String::as_str);
        warnings.chain(missing.then_some(UNCOMPARED))
    }

    /// The run and what it is compared with, by name.
    pub(super) fn runs(&self) -> Vec<(String, Role, &'a RunResult)> {
        let name = match &self.run.found {
            _ if !self.run.is_federation() => "this run".to_owned(),
            Found::Belief(_) => "federation".to_owned(),
            Found::Graph(_) => format!("{}, sites", self.run.method),
        };
        let mut runs = vec![(name, Role::Main, self.run)];
        if let Some(with) = self.comparison {
            let together = "all rows in one place".to_owned();
            runs.push((together, Role::Together, &with.centralised));
            let alone = self.run.sites.iter().zip(&with.isolated);
            runs.extend(
                alone.map(|(site, run)| (format!("{} alone", site.name), Role::Alone, run)),
            );
        }
        runs
    }
}
