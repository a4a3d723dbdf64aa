//! What would help, in words.

use super::existence::Existence;
use super::orientation::{Open, Orientation};
use super::target::TargetSufficiency;
use super::verdict::Verdict;
use fedcdi_core::first_few;

/// Targets named of a longer list.
const FEW: usize = 4;

/// Most helpful first: observational rows, other values of targets, a new target, then targets with
/// most open directions.
pub(super) fn remedies(existence: &Existence, orientation: &Orientation) -> Vec<String> {
    let mut remedies = Vec::new();
    remedies.extend(observational(existence));
    if orientation.targets.is_empty() {
        remedies.push("rows under interventions are needed to tell causes from effects".to_owned());
    }
    remedies.extend(other_values(orientation));
    remedies.extend(new_target(orientation));
    let mut targets: Vec<&TargetSufficiency> = orientation.targets.iter().collect();
    targets.sort_by_key(|t| std::cmp::Reverse(t.n_open));
    remedies.extend(targets.into_iter().filter_map(more_rows));
    remedies
}

fn observational(existence: &Existence) -> Option<String> {
    let missing = existence.rows_needed.saturating_sub(existence.n_rows);
    match existence.verdict {
        _ if existence.n_rows == 0 => Some(
            "observational rows are needed: what depends on what is learned from them".to_owned(),
        ),
        Verdict::TooFew => Some(format!(
            "{missing} more observational rows would do for the typical pair; so few cannot judge edges on their own, but still add evidence in a federation"
        )),
        Verdict::Thin => Some(format!(
            "{missing} more observational rows would do for the typical pair; weak edges may be missed until then"
        )),
        Verdict::Enough | Verdict::NothingSeen => None,
    }
}

/// The targets that were always set to one value.
fn other_values(orientation: &Orientation) -> Option<String> {
    let targets = orientation.targets.iter();
    let fixed = targets.filter(|target| target.only_value.is_some());
    let fixed: Vec<&str> = fixed.map(|target| target.target.as_str()).collect();
    (!fixed.is_empty()).then(|| {
        format!(
            "set other values of {} too: rows that all set the same one cannot tell its effect from what else was different in them",
            first_few(fixed, FEW)
        )
    })
}

/// The variable at most pairs of which neither end is intervened on.
fn new_target(orientation: &Orientation) -> Option<String> {
    let untouched = orientation.open.iter().filter(|p| p.why == Open::NoTarget);
    let n_pairs = |name: &String| {
        let pairs = untouched.clone();
        pairs.filter(|pair| pair.variables.contains(name)).count()
    };
    let counted = orientation.not_intervened.iter().map(|v| (n_pairs(v), v));
    // Of equals the first in the schema.
    let (n, variable) = counted.rev().max_by_key(|(n, _)| *n)?;
    let all = untouched.clone().count();
    (n > 0).then(|| format!("interventions on {variable} could decide {n} of {all} directions that no target is next to"))
}

fn more_rows(target: &TargetSufficiency) -> Option<String> {
    let advice = target.advice?;
    let directions = match target.n_open {
        1 => "the one open direction".to_owned(),
        n => format!("{} of {n} open directions", advice.n_decided),
    };
    Some(format!(
        "about {} more rows under an intervention on {} would decide {directions} next to it",
        rounded(advice.more_rows),
        target.target,
    ))
}

/// Two digits are all that an expectation is worth.
fn rounded(rows: usize) -> usize {
    let mut unit = 1;
    while rows / unit >= 100 {
        unit *= 10;
    }
    rows.div_ceil(unit) * unit
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn advice_has_two_digits() {
        assert_eq!([7, 99, 101, 1234].map(rounded), [7, 99, 110, 1300]);
    }
}
