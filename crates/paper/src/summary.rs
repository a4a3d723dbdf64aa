//! Results by panel, line and place on the axis: what pictures, tables and files show.

use std::collections::BTreeMap;

use super::experiment::{Experiment, Planned, Point, View};
use super::published::{self, Value};
use super::result::JobResult;
use super::statistics::{Bootstrap, Stat};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Measure {
    /// SHD of the raw graph, which published numbers are about.
    ShdRaw,
    Shd,
    /// Disagreement of the sites, in bits.
    Entropy,
}

impl Measure {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ShdRaw => "raw SHD",
            Self::Shd => "SHD",
            Self::Entropy => "entropy",
        }
    }
}

impl View {
    /// What it is about; the first is drawn and compared with the paper.
    pub(crate) fn measures(self) -> &'static [Measure] {
        match self {
            Self::EntropyPerRound => &[Measure::Entropy],
            Self::AtEnd | Self::ShdPerRound | Self::Table => &[Measure::ShdRaw, Measure::Shd],
        }
    }
}

pub(crate) struct Summary {
    pub(crate) experiment: &'static Experiment,
    pub(crate) panels: Vec<Panel>,
    /// Its lines over all panels, in order: the place in this list decides the colour.
    pub(crate) lines: Vec<String>,
    /// Points with a result, and points in all.
    pub(crate) finished: (usize, usize),
}

pub(crate) struct Panel {
    pub(crate) name: String,
    /// Its entries, by line in order and then along the axis.
    pub(crate) entries: Vec<Entry>,
}

pub(crate) struct Entry {
    pub(crate) line: String,
    pub(crate) x: f64,
    /// Every measure of the view, the one that is drawn first.
    pub(crate) measured: Vec<Measured>,
    pub(crate) published: Option<Value>,
}

pub(crate) struct Measured {
    pub(crate) measure: Measure,
    pub(crate) stat: Stat,
    /// Less the reference of the experiment, over shared seeds; nothing for the reference itself.
    pub(crate) difference: Option<Stat>,
}

/// Number of panel and line, bits of the place on the axis, and measure. Places are not negative:
/// their bits are in their order.
type Key = (usize, usize, u64, Measure);

impl Summary {
    pub(crate) fn of(planned: &Planned, results: &BTreeMap<String, JobResult>) -> Self {
        let (mut panels, mut lines) = (Vec::new(), Vec::new());
        let mut values: BTreeMap<Key, BTreeMap<u64, f64>> = BTreeMap::new();
        let view = planned.experiment.view;
        for point in &planned.points {
            let panel = position(&mut panels, &point.panel);
            let line = position(&mut lines, &point.line);
            let result = results.get(point.job.fingerprint());
            for (x, measure, value) in result.into_iter().flat_map(|r| at(view, point, r)) {
                let of_seed = values.entry((panel, line, x.to_bits(), measure));
                of_seed.or_default().insert(point.seed, value);
            }
        }
        let panels = panels.into_iter().map(|name| Panel {
            name,
            entries: Vec::new(),
        });
        let mut summary = Self {
            experiment: planned.experiment,
            panels: panels.collect(),
            lines,
            finished: (planned.n_finished(results), planned.points.len()),
        };
        summary.fill(&values);
        summary
    }

    fn fill(&mut self, values: &BTreeMap<Key, BTreeMap<u64, f64>>) {
        let mut bootstrap = Bootstrap::default();
        let reference = self.experiment.reference.as_ref();
        let reference = self.lines.iter().position(|line| Some(line) == reference);
        for (&(panel, line, place, measure), of_seed) in values {
            let in_order: Vec<f64> = of_seed.values().copied().collect();
            let Some(stat) = bootstrap.stat(&in_order) else {
                continue;
            };
            let compared = reference.filter(|reference| *reference != line);
            let other = compared.and_then(|other| values.get(&(panel, other, place, measure)));
            let measured = Measured {
                measure,
                stat,
                difference: other.and_then(|other| bootstrap.difference(of_seed, other)),
            };
            let (line, x) = (&self.lines[line], f64::from_bits(place));
            let Panel { name, entries } = &mut self.panels[panel];
            match entries.last_mut() {
                Some(entry) if entry.line == *line && entry.x == x => entry.measured.push(measured),
                _ => entries.push(Entry {
                    line: line.clone(),
                    x,
                    measured: vec![measured],
                    published: published(self.experiment, name, line, x),
                }),
            }
        }
    }

    pub(crate) fn measure(&self) -> Measure {
        self.experiment.view.measures()[0]
    }
}

fn position(names: &mut Vec<String>, name: &str) -> usize {
    let known = names.iter().position(|known| known == name);
    known.unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    })
}

/// What a result says, at each place on the axis. A run that ended early stays where it was.
fn at(view: View, point: &Point, result: &JobResult) -> Vec<(f64, Measure, f64)> {
    let both = |x: f64, raw: usize, shd: usize| {
        let values = [(Measure::ShdRaw, raw), (Measure::Shd, shd)];
        values
            .map(|(measure, shd)| (x, measure, shd as f64))
            .to_vec()
    };
    if !view.is_per_round() {
        return both(point.x, result.shd_raw, result.shd);
    }
    let rounds = 1..=point.job.spec.most_rounds() as usize;
    let of_round = |number: usize| {
        let (x, round) = (number as f64, result.round(number)?);
        Some(match view {
            View::EntropyPerRound => vec![(x, Measure::Entropy, round.entropy)],
            _ => both(x, round.shd_raw, round.shd),
        })
    };
    rounds.filter_map(of_round).flatten().collect()
}

fn published(experiment: &Experiment, panel: &str, line: &str, x: f64) -> Option<Value> {
    if experiment.view == View::Table {
        let row = published::table().iter().find(|row| row.line == line)?;
        let (value, _) = *row.values.get(panel)?;
        let trust = row.trust();
        return Some(Value { value, trust });
    }
    published::curve(&experiment.name, panel, line)?.at(x)
}

impl Entry {
    pub(crate) fn main(&self) -> &Stat {
        &self.measured[0].stat
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    use crate::experiment::{Plan, Size};
    use crate::job::Arm;
    use crate::result::RoundResult;

    fn result(shd: usize, per_round: &[usize]) -> JobResult {
        let round = |shd_raw: &usize| RoundResult {
            shd_raw: *shd_raw,
            shd: 0,
            entropy: 0.0,
        };
        JobResult {
            shd,
            shd_raw: shd,
            sid: None,
            true_edges: 20,
            precision: 0.0,
            recall: 0.0,
            f1: 0.0,
            auroc: None,
            missing: 0,
            extra: 0,
            reversed: 0,
            rounds: per_round.iter().map(round).collect(),
            stop: "converged".to_owned(),
            seconds: 0.0,
        }
    }

    /// Of an experiment with a result made for each point.
    fn summary(name: &str, seeds: u64, make: impl Fn(&Point) -> JobResult) -> Summary {
        let mut plan = Plan::new(&[name], Size::Paper, seeds).unwrap();
        let planned = plan.experiments.remove(0);
        let results = planned.points.iter();
        let results = results.map(|point| (point.job.fingerprint().to_owned(), make(point)));
        Summary::of(&planned, &results.collect())
    }

    #[test]
    fn a_run_that_ended_early_stays_where_it_was() {
        let summary = summary("rounds", 1, |_| result(0, &[9, 5, 2]));
        let panel = &summary.panels[0];
        let federated = panel.entries.iter().filter(|e| e.line == "federated");
        let means: Vec<f64> = federated.map(|e| e.main().mean).collect();
        assert_eq!(means, [9.0, 5.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]);
        // ER-1 with 2 rows per target, round 1, federated: 52.0 in the paper.
        assert_eq!(panel.name, "ER-1, 2 per target");
        assert_eq!(panel.entries[0].published.unwrap().value, 52.0);
    }

    #[test]
    fn differences_are_to_the_reference_on_the_same_seed() {
        let summary = summary("horizontal-data", 2, |point| {
            let more = match point.job.arm {
                Arm::Federated => 0,
                Arm::Centralised => 1,
                Arm::Isolated(_) => 3,
            };
            result(more + 10 * point.seed as usize, &[])
        });
        for entry in &summary.panels[0].entries {
            let difference = entry.measured[0].difference;
            let expected = match &*entry.line {
                "federated" => None,
                "centralised" => Some(1.0),
                _ => Some(3.0),
            };
            // Seeds differ by 10, lines by the same at every seed: no width.
            assert_eq!(difference.map(|d| d.low), expected);
            assert_eq!(difference.map(|d| d.high), expected);
        }
    }

    #[test]
    fn what_is_missing_is_left_out() {
        let mut plan = Plan::new(&["table"], Size::Quick, 1).unwrap();
        let planned = plan.experiments.remove(0);
        let first = &planned.points[0];
        let results = BTreeMap::from([(first.job.fingerprint().to_owned(), result(4, &[]))]);
        let summary = Summary::of(&planned, &results);
        assert_eq!(summary.finished, (1, planned.points.len()));
        assert_eq!(summary.panels[0].entries.len(), 1);
        assert!(summary.panels[1].entries.is_empty());
        let lines: BTreeSet<&str> = planned.points.iter().map(|p| p.line.as_str()).collect();
        assert_eq!(summary.lines.len(), lines.len());
    }
}
