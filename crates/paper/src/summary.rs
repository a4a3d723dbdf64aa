//! Results by panel, line and place on the axis: what pictures, tables and files show.

use std::collections::BTreeMap;

use super::experiment::{Experiment, Planned, Point, View};
use super::published::{self, Value};
use super::result::JobResult;
use super::statistics::{Bootstrap, Stat};

/// A number of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Measure {
    /// SHD of the raw graph, which published numbers are about.
    ShdRaw,
    /// SHD of the acyclic graph.
    Shd,
    /// Disagreement of the clients, in bits.
    Entropy,
}

impl Measure {
    /// As columns and axes are called.
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

/// An experiment in numbers.
pub(crate) struct Summary {
    pub(crate) experiment: &'static Experiment,
    pub(crate) panels: Vec<Panel>,
    /// Its lines over all panels, in order: the place in this list decides the colour.
    pub(crate) lines: Vec<String>,
    /// Points with a result, and points in all.
    pub(crate) finished: (usize, usize),
}

/// One panel.
pub(crate) struct Panel {
    pub(crate) name: String,
    /// Its entries, by line in order and then along the axis.
    pub(crate) entries: Vec<Entry>,
}

/// One place of one line.
pub(crate) struct Entry {
    pub(crate) line: String,
    /// Place on the axis: x, or the round.
    pub(crate) x: f64,
    /// Every measure of the view.
    pub(crate) measured: Vec<Measured>,
    pub(crate) published: Option<Value>,
}

/// One measure over seeds.
pub(crate) struct Measured {
    pub(crate) measure: Measure,
    /// Over seeds.
    pub(crate) stat: Stat,
    /// Less the reference of the experiment, over shared seeds; nothing for the reference itself.
    pub(crate) difference: Option<Stat>,
}

/// Values by seed.
type Values = BTreeMap<u64, f64>;
/// Lines by number, then places on the axis in order, then measures.
type PanelValues = BTreeMap<usize, BTreeMap<u64, BTreeMap<Measure, Values>>>;

impl Summary {
    /// The results of one experiment, whatever the order in which they were found.
    pub(crate) fn of(planned: &Planned, results: &BTreeMap<String, JobResult>) -> Self {
        let mut lines: Vec<String> = Vec::new();
        let mut names: Vec<String> = Vec::new();
        let mut panels: Vec<PanelValues> = Vec::new();
        let view = planned.experiment.view;
        for point in &planned.points {
            let line = position(&mut lines, &point.line);
            let panel = position(&mut names, &point.panel);
            panels.resize_with(names.len(), PanelValues::new);
            let Some(result) = results.get(point.job.fingerprint()) else {
                continue;
            };
            for (x, measure, value) in values(view, point, result) {
                let places = panels[panel].entry(line).or_default();
                // Places are not negative: their bits are in their order.
                let place = places.entry(x.to_bits()).or_default();
                let of_seed = place.entry(measure).or_default();
                of_seed.insert(point.seed, value);
            }
        }
        let mut bootstrap = Bootstrap::default();
        let panels = names.into_iter().zip(panels).map(|(name, values)| Panel {
            entries: entries(planned.experiment, &name, &lines, &values, &mut bootstrap),
            name,
        });
        Self {
            experiment: planned.experiment,
            panels: panels.collect(),
            lines,
            finished: (planned.n_finished(results), planned.points.len()),
        }
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
fn values(view: View, point: &Point, result: &JobResult) -> Vec<(f64, Measure, f64)> {
    let both = |x: f64, raw: usize, shd: usize| {
        let values = [(Measure::ShdRaw, raw), (Measure::Shd, shd)];
        values
            .map(|(measure, shd)| (x, measure, shd as f64))
            .to_vec()
    };
    if !view.is_per_round() {
        return both(point.x, result.shd_raw, result.shd);
    }
    let rounds = 1..=point.job.spec.rounds();
    let at = |number: usize| {
        let (x, round) = (number as f64, result.round(number)?);
        Some(match view {
            View::EntropyPerRound => vec![(x, Measure::Entropy, round.entropy)],
            _ => both(x, round.shd_raw, round.shd),
        })
    };
    rounds.filter_map(at).flatten().collect()
}

fn entries(
    experiment: &Experiment,
    panel: &str,
    lines: &[String],
    values: &PanelValues,
    bootstrap: &mut Bootstrap,
) -> Vec<Entry> {
    let reference = experiment.reference.as_ref();
    let reference = lines.iter().position(|line| Some(line) == reference);
    let reference = reference.filter(|at| values.contains_key(at));
    let mut entries = Vec::new();
    for (line, places) in values {
        for (place, measures) in places {
            let compared = reference.filter(|reference| reference != line);
            let of_reference = compared.and_then(|at| values[&at].get(place));
            let measured = measures.iter().filter_map(|(measure, values)| {
                let of_seed: Vec<f64> = values.values().copied().collect();
                let reference = of_reference.and_then(|measures| measures.get(measure));
                Some(Measured {
                    measure: *measure,
                    stat: bootstrap.stat(&of_seed)?,
                    difference: reference.and_then(|other| bootstrap.difference(values, other)),
                })
            });
            let (line, x) = (&lines[*line], f64::from_bits(*place));
            entries.push(Entry {
                line: line.clone(),
                x,
                measured: measured.collect(),
                published: published(experiment, panel, line, x),
            });
        }
    }
    entries
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
    /// The measure that is drawn.
    pub(crate) fn main(&self) -> Option<&Measured> {
        self.measured.first()
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
        let means: Vec<f64> = federated.map(|e| e.main().unwrap().stat.mean).collect();
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
            let difference = entry.main().unwrap().difference;
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
