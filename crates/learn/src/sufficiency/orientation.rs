//! Interventional rows: enough to tell the direction of what is associated?

use fedcdi_core::{Schema, VarId};
use serde::Serialize;

use super::close::Partners;
use super::target::{TargetRows, TargetSufficiency};
use super::verdict::Verdict;

/// What the interventional rows decide.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Orientation {
    /// Of the close pairs, by the share that is decided; enough only if it is without the targets
    /// that were always set to one value.
    pub verdict: Verdict,
    /// Log-odds that count as decided, in nats.
    pub evidence_needed: f64,
    /// Pairs with an association worth an edge.
    pub n_associated: usize,
    /// Those of them decided by interventions on either end.
    pub n_associated_decided: usize,
    /// Close pairs: associated, and not more weakly than both are with some third variable.
    pub n_close: usize,
    /// Those of them decided by interventions on either end.
    pub n_close_decided: usize,
    /// Those of the decided that are decided only by targets that were always set to one value.
    pub n_close_by_one_value: usize,
    /// Per intervened variable, in schema order.
    pub targets: Vec<TargetSufficiency>,
    /// Variables without interventions.
    pub not_intervened: Vec<String>,
    /// Close pairs that are not decided.
    pub open: Vec<OpenPair>,
}

/// A close pair whose direction stays open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OpenPair {
    /// Its variables, in schema order.
    pub variables: [String; 2],
    /// Why it is open.
    pub why: Open,
}

/// Why the direction of a pair is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Open {
    /// Neither variable is intervened on.
    NoTarget,
    /// The interventions have too few rows.
    TooFewRows,
}

impl Orientation {
    /// `rows` under interventions on each variable.
    pub(super) fn of(
        schema: &Schema,
        partners: &Partners<'_>,
        rows: &[TargetRows],
        evidence_needed: f64,
    ) -> Self {
        let is_target = |var: &VarId| rows[var.index()].any();
        let is_varied = |var: VarId| rows[var.index()].only_value().is_none();
        let open = open_pairs(schema, partners, evidence_needed, is_target);
        let n_close = partners.close().count();
        let n_close_decided = n_close - open.len();
        let close = partners.close();
        let by_varied = close.filter(|pair| pair.is_decided_by(evidence_needed, is_varied));
        let n_close_by_one_value = n_close_decided - by_varied.count();
        let pairs = partners.pairs.iter();
        let decided = pairs.filter(|(pair, _)| pair.is_decided(evidence_needed));
        let target = |var: VarId| {
            let rows = &rows[var.index()];
            TargetSufficiency::of(schema, partners, var, rows, evidence_needed)
        };
        let others = schema.ids().filter(|var| !is_target(var));
        Self {
            verdict: if rows.iter().any(TargetRows::any) {
                verdict(n_close_decided, n_close_by_one_value, n_close)
            } else {
                Verdict::TooFew
            },
            evidence_needed,
            n_associated: partners.pairs.len(),
            n_associated_decided: decided.count(),
            n_close,
            n_close_decided,
            n_close_by_one_value,
            targets: schema.ids().filter(is_target).map(target).collect(),
            not_intervened: others.map(|var| schema.name(var).to_owned()).collect(),
            open,
        }
    }
}

fn open_pairs(
    schema: &Schema,
    partners: &Partners<'_>,
    evidence_needed: f64,
    is_target: impl Fn(&VarId) -> bool,
) -> Vec<OpenPair> {
    let close = partners.close();
    let open = close.filter(|pair| !pair.is_decided(evidence_needed));
    let open = open.map(|pair| OpenPair {
        variables: [pair.a, pair.b].map(|var| schema.name(var).to_owned()),
        why: if [pair.a, pair.b].iter().any(&is_target) {
            Open::TooFewRows
        } else {
            Open::NoTarget
        },
    });
    open.collect()
}

fn verdict(n_decided: usize, n_by_one_value: usize, n: usize) -> Verdict {
    let verdict = Verdict::of_share(n_decided, n);
    match Verdict::of_share(n_decided - n_by_one_value, n) {
        Verdict::Enough | Verdict::NothingSeen => verdict,
        Verdict::Thin | Verdict::TooFew => verdict.at_most_thin(),
    }
}
