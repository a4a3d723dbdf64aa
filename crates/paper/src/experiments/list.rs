//! Every experiment by name.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{grids, smoke, table};
use crate::experiment::{Cell, Experiment, Size};

static LIST: LazyLock<List> = LazyLock::new(|| {
    toml::from_str(include_str!("../../experiments.toml")).expect("a test reads this file")
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    experiment: Vec<Experiment>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Grid {
    Table,
    Horizontal,
    Rounds,
    Aggregation,
    Growing,
    Dividing,
    Even,
    Uneven,
    Entropy,
    Smoke,
}

impl Grid {
    pub(crate) fn cells(self, size: Size) -> Vec<Cell> {
        match self {
            Self::Table => table::cells(size),
            Self::Horizontal => grids::horizontal(size),
            Self::Rounds => grids::rounds(size),
            Self::Aggregation => grids::aggregation(size),
            Self::Growing => grids::clients(size, |per_target, clients| per_target * clients),
            Self::Dividing => grids::clients(size, |per_target, _| per_target),
            Self::Even => grids::vertical(size, [1, 1]),
            Self::Uneven => grids::vertical(size, [1, 4]),
            Self::Entropy => grids::entropy(size),
            Self::Smoke => smoke::cells(),
        }
    }
}

/// The experiments of the paper, in the order of the page.
pub fn all() -> impl Iterator<Item = &'static Experiment> {
    with_hidden().filter(|experiment| !experiment.hidden)
}

pub(crate) fn with_hidden() -> impl Iterator<Item = &'static Experiment> {
    LIST.experiment.iter()
}

pub(crate) fn named(name: &str) -> Option<&'static Experiment> {
    with_hidden().find(|experiment| experiment.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::experiment::{Plan, Size};
    use crate::job::Job;

    #[test]
    fn different_places_are_different_jobs_and_places_are_not_repeated() {
        for size in [Size::Paper, Size::Quick] {
            for experiment in with_hidden() {
                let points = experiment.points(size, 2);
                let mut places = BTreeSet::new();
                let mut jobs = BTreeMap::new();
                for point in &points {
                    let place = (&point.panel, &point.line, point.x.to_bits(), point.seed);
                    assert!(places.insert(place), "{} {place:?}", experiment.name);
                    let other = jobs.insert(point.job.fingerprint(), &point.job);
                    assert_eq!(other, None, "{} {place:?}", experiment.name);
                }
                assert!(!points.is_empty(), "{}", experiment.name);
            }
        }
    }

    #[test]
    fn equal_fingerprints_are_equal_jobs() {
        let plan = Plan::new(&["all"], Size::Paper, 1).unwrap();
        let mut jobs = BTreeMap::new();
        for point in plan.experiments.iter().flat_map(|p| &p.points) {
            let known = jobs.entry(point.job.fingerprint()).or_insert(&point.job);
            assert_eq!(*known, &point.job);
        }
    }

    #[test]
    fn shared_jobs_are_run_once() {
        for size in [Size::Paper, Size::Quick] {
            let n_jobs = |names: &[&str]| Plan::new(names, size, 2).unwrap().jobs().len();
            let data = n_jobs(&["horizontal-data"]);
            assert_eq!(n_jobs(&["horizontal-data", "rounds"]), data);
            assert!(n_jobs(&["rounds"]) <= data);
            // One client is the same study whether rows grow or are divided.
            let sweeps = ["clients-growing", "clients-dividing"];
            let apart: usize = sweeps.iter().map(|name| n_jobs(&[name])).sum();
            assert!(n_jobs(&sweeps) < apart);
        }
    }

    #[test]
    fn every_line_of_a_panel_has_the_same_data() {
        for experiment in all().filter(|e| e.reference.is_some()) {
            let mut data = BTreeMap::new();
            for point in experiment.points(Size::Paper, 2) {
                let spec = &point.job.spec;
                let place = (point.panel, point.x.to_bits(), point.seed);
                let rows = (spec.data.clone(), spec.seed);
                assert_eq!(data.entry(place).or_insert(rows.clone()), &rows);
            }
        }
    }

    #[test]
    fn a_reference_is_a_line() {
        for experiment in with_hidden() {
            let Some(reference) = &experiment.reference else {
                continue;
            };
            for size in [Size::Paper, Size::Quick] {
                let points = experiment.points(size, 1);
                assert!(points.iter().any(|point| point.line == *reference));
            }
        }
    }

    #[test]
    fn quick_is_quick() {
        let plan = Plan::new(&["all"], Size::Quick, Size::Quick.seeds()).unwrap();
        let seconds: f64 = plan.jobs().iter().map(Job::cost).sum();
        assert!(seconds < 2800.0, "{seconds}");
    }

    #[test]
    fn unknown_names_are_refused_with_the_nearest() {
        let refused = |name: &str| match Plan::new(&[name], Size::Quick, 1) {
            Ok(_) => panic!("{name} is no experiment"),
            Err(error) => error.to_string(),
        };
        assert!(refused("agregation").contains("did you mean aggregation?"));
        assert!(refused("banana").contains("known are table, "));
        assert!(!refused("banana").contains("smoke"));
    }
}
