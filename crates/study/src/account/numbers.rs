//! The numbers of an answer as a table: each with its place and what it is.

use std::fmt::Write as _;

use fedcdi_core::Schema;
use fedcdi_protocol::{Believed, StudyPlan};

/// What a number is, and what a 1 of it stands for: 1 for counts, a small step for fixed point.
pub(super) struct Meaning {
    pub(super) what: String,
    pub(super) step: f64,
}

impl Meaning {
    /// Of a count, or of a 0 or 1.
    pub(super) fn whole(what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            step: 1.0,
        }
    }
}

/// The numbers of an answer about a round.
pub(super) fn table(plan: &StudyPlan, schema: &Schema, believed: &Believed) -> String {
    let Believed {
        addends,
        n_terms,
        term_step: step,
        ..
    } = believed;
    let mut meanings = vec![
        Meaning::whole("the number 1"),
        Meaning::whole("1 if the method knows only psi"),
    ];
    let term = |at| Meaning {
        what: format!("term {at} of the rule {}", plan.rule.name),
        step: *step,
    };
    meanings.extend((1..=*n_terms).map(term));
    for cause in schema.ids() {
        for effect in schema.ids().filter(|effect| *effect != cause) {
            let (cause, effect) = (schema.name(cause), schema.name(effect));
            meanings.push(Meaning::whole(format!("vote for {cause} -> {effect}")));
        }
    }
    for test in 1..=believed.n_asked {
        meanings.push(Meaning::whole(format!("test {test}: G, rounded")));
        meanings.push(Meaning::whole(format!("test {test}: 1 if it was made")));
    }
    listed(&meanings, addends)
}

/// What moves what, a line per ordered pair.
pub(super) fn moved(schema: &Schema, numbers: &[i64]) -> String {
    let pairs = schema
        .ids()
        .flat_map(|cause| schema.ids().map(move |effect| (cause, effect)));
    let pairs = pairs.filter(|(cause, effect)| cause != effect);
    let meaning = |(cause, effect)| {
        let (cause, effect) = (schema.name(cause), schema.name(effect));
        Meaning {
            what: format!("{effect} moves when {cause} is set: log-odds in nats"),
            step: 0.5,
        }
    };
    listed(&pairs.map(meaning).collect::<Vec<_>>(), numbers)
}

/// `place,what,value,sent`, a line per number: its value, and the whole number that stands for it in the answer.
pub(super) fn listed(meanings: &[Meaning], numbers: &[i64]) -> String {
    let mut text = "place,what,value,sent\n".to_owned();
    for (place, (Meaning { what, step }, sent)) in meanings.iter().zip(numbers).enumerate() {
        // A name may hold a comma or a quotation mark.
        let what = what.replace('"', "\"\"");
        let place = place + 1;
        let _ = if *step == 1.0 {
            writeln!(text, "{place},\"{what}\",{sent},{sent}")
        } else {
            let value = *sent as f64 * step;
            writeln!(text, "{place},\"{what}\",{value},{sent}")
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_steps_are_shown_with_what_they_stand_for() {
        let step = Meaning {
            what: "sum of \"a, b\"".to_owned(),
            step: 1.0 / f64::from(1 << 28),
        };
        let text = listed(&[Meaning::whole("rows"), step], &[7, -3 << 27]);
        // 3 2^27 steps of 2^-28 are 1.5.
        let expected =
            "place,what,value,sent\n1,\"rows\",7,7\n2,\"sum of \"\"a, b\"\"\",-1.5,-402653184\n";
        assert_eq!(text, expected);
    }
}
