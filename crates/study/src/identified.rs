//! What is known of the direction of an edge, and from what, in a sentence.
//!
//! | what is known | from |
//! |---|---|
//! | a direction | knowledge that was given beforehand |
//! | a direction | rows that set one end and leave the other alone: which variable, where, how many rows |
//! | a direction | other edges, which leave only one |
//! | none | nobody set either end, or those who did do not decide |

use std::collections::BTreeMap;

use fedcdi_core::graph::Settled;
use fedcdi_core::{Knowledge, Schema, VarId};

use crate::certainty::Separated;
use crate::result::SiteResult;

/// Sites that are named; more are counted.
const MOST_NAMES: usize = 3;

/// One sentence for every edge.
pub(crate) type Identified = BTreeMap<(VarId, VarId), String>;

/// What is known of each direction of a result.
pub(crate) fn identified(
    settled: &Settled,
    knowledge: &Knowledge,
    separated: &Separated<'_>,
    sites: &[SiteResult],
    schema: &Schema,
) -> Identified {
    let told = Told {
        separated,
        sites,
        schema,
    };
    let sentence = |(cause, effect): (VarId, VarId)| {
        let sentence = if knowledge.is_required(cause, effect) {
            "known beforehand".to_owned()
        } else if !settled.class.has_directed(cause, effect) {
            told.open(cause, effect, settled)
        } else if separated.sets(cause, effect) {
            told.rows(cause, effect, "moves", "")
        } else if separated.sets(effect, cause) {
            told.rows(effect, cause, "leaves", " as it is")
        } else {
            "follows from other directions".to_owned()
        };
        ((cause, effect), sentence)
    };
    settled.dag.edges().map(sentence).collect()
}

struct Told<'a> {
    separated: &'a Separated<'a>,
    sites: &'a [SiteResult],
    schema: &'a Schema,
}

impl Told<'_> {
    fn name(&self, var: VarId) -> &str {
        self.schema.name(var)
    }

    fn open(&self, cause: VarId, effect: VarId, settled: &Settled) -> String {
        let [a, b] = [self.name(cause), self.name(effect)];
        let along = settled.posterior.edge(cause, effect);
        let share = 100.0 * along / settled.posterior.joined(cause, effect);
        let why = if self.separated.either(cause, effect) {
            "the rows that set one of the two do not decide it".to_owned()
        } else {
            format!("no row sets {a} or {b} alone")
        };
        format!("direction open ({share:.0} : {:.0}): {why}", 100.0 - share)
    }

    /// `setting PKC moves Jnk (300 rows at Basel and Bern)`.
    fn rows(&self, set: VarId, free: VarId, verb: &str, rest: &str) -> String {
        let (mut names, mut rows, mut is_fixed) = (Vec::new(), 0, true);
        for site in self.sites {
            let arms = site.profile.iter().flat_map(|profile| &profile.arms);
            let mut arms = arms.filter(|arm| arm.separates(set, free)).peekable();
            if arms.peek().is_some() {
                names.push(&*site.name);
            }
            for arm in arms {
                rows += arm.rows;
                is_fixed &= arm.fixes(set);
            }
        }
        let said = format!(
            "setting {} {verb} {}{rest}",
            self.name(set),
            self.name(free)
        );
        let place = match self.sites.len() {
            1 => String::new(),
            _ => format!(" at {}", listed(&names)),
        };
        match rows {
            // Not every site says what it set.
            0 => said,
            1 => format!("{said} (1 row{place})"),
            _ if is_fixed => format!("{said} ({rows} rows{place}, all with the same value)"),
            _ => format!("{said} ({rows} rows{place})"),
        }
    }
}

/// `Basel, Bern and Chur`.
fn listed(names: &[&str]) -> String {
    match names {
        [one] => (*one).to_owned(),
        [.., _] if names.len() > MOST_NAMES => format!("{} sites", names.len()),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
        [] => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_sites_are_named_and_many_are_counted() {
        assert_eq!(listed(&["Basel"]), "Basel");
        assert_eq!(listed(&["Basel", "Bern"]), "Basel and Bern");
        assert_eq!(listed(&["Basel", "Bern", "Chur"]), "Basel, Bern and Chur");
        assert_eq!(listed(&["Basel", "Bern", "Chur", "Thun"]), "4 sites");
    }
}
