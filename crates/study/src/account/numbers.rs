//! The numbers of an answer as a table: each with its place and what it is.

use std::fmt::Write as _;

use fedcdi_core::Schema;
use fedcdi_protocol::{Believed, StudyPlan};

/// `place,what,value`, a line per number.
pub(super) fn table(plan: &StudyPlan, schema: &Schema, believed: &Believed) -> String {
    let Believed {
        addends, n_terms, ..
    } = believed;
    let mut what = vec![
        "the number 1".to_owned(),
        "1 if the method knows only psi".to_owned(),
    ];
    let term = |at| format!("term {at} of the rule {}, in fixed point", plan.rule.name);
    what.extend((1..=*n_terms).map(term));
    for cause in schema.ids() {
        for effect in schema.ids().filter(|effect| *effect != cause) {
            let (cause, effect) = (schema.name(cause), schema.name(effect));
            what.push(format!("vote for {cause} -> {effect}"));
        }
    }
    for test in 1..=believed.n_asked {
        what.push(format!("test {test}: G, rounded"));
        what.push(format!("test {test}: 1 if it was made"));
    }
    listed(&what, addends)
}

/// What moves what, a line per ordered pair.
pub(super) fn moved(schema: &Schema, numbers: &[i64]) -> String {
    let pairs = schema
        .ids()
        .flat_map(|cause| schema.ids().map(move |effect| (cause, effect)));
    let pairs = pairs.filter(|(cause, effect)| cause != effect);
    let what = pairs.map(|(cause, effect)| {
        let (cause, effect) = (schema.name(cause), schema.name(effect));
        format!("{effect} moves when {cause} is set: log-odds in halves of a nat")
    });
    listed(&what.collect::<Vec<_>>(), numbers)
}

/// Numbers, each with its place and what it is.
pub(super) fn listed(what: &[String], numbers: &[i64]) -> String {
    let mut text = "place,what,value\n".to_owned();
    for (place, (what, value)) in what.iter().zip(numbers).enumerate() {
        // A name may hold a comma or a quotation mark.
        let what = what.replace('"', "\"\"");
        let _ = writeln!(text, "{},\"{what}\",{value}", place + 1);
    }
    text
}
