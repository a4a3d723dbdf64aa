//! The rows under an intervention on one variable.

use fedcdi_core::{Dataset, Schema, VarId};
use serde::Serialize;

use super::close::Partners;
use super::verdict::{Decision, Verdict};

/// Rows under interventions on one variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TargetRows {
    pub(super) alone: usize,
    pub(super) joint: usize,
    set_to: SetTo,
}

/// The values that an intervention sets its target to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SetTo {
    #[default]
    Nothing,
    One(u16),
    Several,
}

impl SetTo {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, any) | (any, Self::Nothing) => any,
            (one, same) if one == same => one,
            _ => Self::Several,
        }
    }
}

impl TargetRows {
    pub(super) fn of(dataset: &Dataset) -> Vec<Self> {
        let mut rows = vec![Self::default(); dataset.n_vars()];
        for (sample, &regime) in dataset.regime_of().iter().enumerate() {
            match dataset.regimes()[regime as usize].targets() {
                [one] => {
                    let rows = &mut rows[one.index()];
                    let value = SetTo::One(dataset.value(sample, *one));
                    rows.alone += 1;
                    rows.set_to = rows.set_to.and(value);
                }
                several => several.iter().for_each(|var| rows[var.index()].joint += 1),
            }
        }
        rows
    }

    pub(super) fn any(&self) -> bool {
        self.alone + self.joint > 0
    }

    /// The one value that several rows set it to.
    pub(super) fn only_value(&self) -> Option<u16> {
        match self.set_to {
            SetTo::One(value) if self.alone > 1 => Some(value),
            _ => None,
        }
    }

    pub(super) fn and(&self, other: &Self) -> Self {
        Self {
            alone: self.alone + other.alone,
            joint: self.joint + other.joint,
            set_to: self.set_to.and(other.set_to),
        }
    }
}

/// What the rows under interventions on one variable decide.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TargetSufficiency {
    /// The variable.
    pub target: String,
    /// Rows under an intervention on it alone: these are judged.
    pub n_rows: usize,
    /// Rows under interventions on it together with others: learned from, but not judged here.
    pub n_joint_rows: usize,
    /// The value, where these rows all set it to the same: what is different in them may come from it
    /// or from anything else that was done.
    pub only_value: Option<String>,
    /// By the share of close partners that is decided; not more than thin where only one value was
    /// set.
    pub verdict: Verdict,
    /// Close partners.
    pub n_close: usize,
    /// Close partners that are decided.
    pub n_close_decided: usize,
    /// Associated partners that it moves.
    pub n_moves: usize,
    /// Associated partners that it does not move.
    pub n_does_not_move: usize,
    /// Associated partners that are not decided.
    pub n_undecided: usize,
    /// Close partners whose direction stays open: interventions on neither end decide it.
    pub n_open: usize,
    /// What would help, if any is open.
    pub advice: Option<Advice>,
    /// Associated partners, in schema order.
    pub partners: Vec<Partner>,
}

/// More rows, and what they would bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Advice {
    /// Rows to add under an intervention on the target: about what half of its open close partners
    /// need.
    pub more_rows: usize,
    /// How many of them would then be decided.
    pub n_decided: usize,
}

/// A variable associated with a target.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Partner {
    /// Its name.
    pub variable: String,
    /// Whether no third variable is associated more strongly with both.
    pub close: bool,
    /// Whether the direction stays open: interventions on neither end decide it.
    pub open: bool,
    /// Nats per row that one saves in predicting the other.
    pub strength: f64,
    /// Log-odds of "the target moves it" against "it does not", from the rows under intervention.
    pub log_odds: f64,
    /// What they say.
    pub decision: Decision,
    /// About how many more rows would decide; none if decided, or beyond any advice.
    pub more_rows: Option<usize>,
}

impl TargetSufficiency {
    pub(super) fn of(
        schema: &Schema,
        partners: &Partners<'_>,
        target: VarId,
        rows: &TargetRows,
        evidence_needed: f64,
    ) -> Self {
        let found = Partner::all_of(target, schema, partners, evidence_needed);
        let count = |decision| found.iter().filter(|p| p.decision == decision).count();
        let close = found.iter().filter(|partner| partner.close);
        let n_close = close.clone().count();
        let is_undecided = |partner: &&Partner| partner.decision == Decision::Undecided;
        let n_close_decided = n_close - close.clone().filter(is_undecided).count();
        let open = close.filter(|partner| partner.open);
        let categories = schema.variable(target).categories();
        let only_value = rows.only_value().filter(|_| categories.len() > 1);
        let verdict = Verdict::of_share(n_close_decided, n_close);
        Self {
            target: schema.name(target).to_owned(),
            n_rows: rows.alone,
            n_joint_rows: rows.joint,
            verdict: match only_value {
                Some(_) => verdict.at_most_thin(),
                None => verdict,
            },
            only_value: only_value.map(|code| categories[usize::from(code)].clone()),
            n_close,
            n_close_decided,
            n_moves: count(Decision::Moves),
            n_does_not_move: count(Decision::DoesNotMove),
            n_undecided: count(Decision::Undecided),
            n_open: open.clone().count(),
            advice: advice(open.filter_map(|partner| partner.more_rows).collect()),
            partners: found,
        }
    }
}

impl Partner {
    fn all_of(target: VarId, schema: &Schema, pairs: &Partners<'_>, needed: f64) -> Vec<Self> {
        let found = pairs.pairs.iter().filter_map(|&(pair, close)| {
            let (variable, effect) = pair.partner_of(target)?;
            Some(Self {
                variable: schema.name(variable).to_owned(),
                close,
                open: !pair.is_decided(needed),
                strength: pairs.strength(pair),
                log_odds: effect.log_odds,
                decision: effect.decision(needed),
                more_rows: effect.more_rows(needed),
            })
        });
        found.collect()
    }
}

fn advice(mut more_rows: Vec<usize>) -> Option<Advice> {
    more_rows.sort_unstable();
    let more = *more_rows.get(more_rows.len().saturating_sub(1) / 2)?;
    Some(Advice {
        more_rows: more,
        n_decided: more_rows.iter().filter(|rows| **rows <= more).count(),
    })
}
