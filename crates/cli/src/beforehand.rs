//! What people should know of the directions before anything is learned.

use std::collections::BTreeSet;

use fedcdi_data::Study;
use fedcdi_study::report::count;

use crate::output;

/// Names that are listed; more are counted.
const MOST_NAMES: usize = 5;

/// What rows under interventions can tell, and what sites without any contribute.
pub(crate) fn beforehand(study: &Study) -> Vec<String> {
    let targets: Vec<Vec<String>> = study
        .clients()
        .iter()
        .map(|site| output::targets(&site.data))
        .collect();
    let set: BTreeSet<&String> = targets.iter().flatten().collect();
    let n_free = study.schema().n_vars() - set.len();
    let mut said = Vec::new();
    if !set.is_empty() && n_free > 1 {
        said.push(format!(
            "rows set {} ({}); directions among the other {n_free} can only follow from these, or stay open",
            count(set.len(), "variable"),
            few(set.iter().map(|name| name.as_str())),
        ));
    }
    let sites = study.clients().iter().zip(&targets);
    let without: Vec<&str> = sites
        .filter(|(_, targets)| targets.is_empty())
        .map(|(site, _)| &*site.name)
        .collect();
    if !set.is_empty() && !without.is_empty() {
        let (helps, rows) = match without.len() {
            1 => ("sets nothing: its", "rows help"),
            _ => ("set nothing: their", "rows help"),
        };
        said.push(format!(
            "{} {helps} {rows} to find edges, and hardly their directions",
            few(without.into_iter())
        ));
    }
    said
}

fn few<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.split_at_checked(MOST_NAMES) {
        Some((first, rest)) if !rest.is_empty() => {
            format!("{} and {} more", first.join(", "), rest.len())
        }
        _ => names.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_names_are_counted() {
        let names = ["a", "b", "c", "d", "e", "f", "g"];
        assert_eq!(few(names[..5].iter().copied()), "a, b, c, d, e");
        assert_eq!(few(names.into_iter()), "a, b, c, d, e and 2 more");
    }
}
