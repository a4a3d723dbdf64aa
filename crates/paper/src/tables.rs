//! `runs.csv` and `summary.csv`.

use std::collections::BTreeMap;

use super::experiment::{Experiment, Planned, Point};
use super::job::Arm;
use super::result::JobResult;
use super::summary::{Entry, Measured, Panel, Summary};

const RUNS: &str = "experiment,panel,line,x,seed,arm,clients,shd_raw,shd,sid,true_edges,precision,\
    recall,f1,auroc,missing,extra,reversed,rounds,stop,seconds,fingerprint";

const SUMMARY: &str = "experiment,panel,line,axis,x,measure,seeds,mean,sd,low,high,compared_with,\
    difference,difference_low,difference_high,published,published_kind";

pub(crate) fn runs(experiments: &[Planned], results: &BTreeMap<String, JobResult>) -> String {
    let rows = experiments.iter().flat_map(|planned| {
        let row = |point: &Point| {
            let result = results.get(point.job.fingerprint())?;
            Some(run(planned.experiment, point, result))
        };
        planned.points.iter().filter_map(row)
    });
    csv(RUNS, rows)
}

fn run(experiment: &Experiment, point: &Point, result: &JobResult) -> Vec<String> {
    let x = Some(point.x).filter(|_| !experiment.view.is_per_round());
    vec![
        experiment.name.clone(),
        point.panel.clone(),
        point.line.clone(),
        optional(x),
        point.seed.to_string(),
        match point.job.arm {
            Arm::Federated => "federated".to_owned(),
            Arm::Centralised => "centralised".to_owned(),
            Arm::Isolated(client) => format!("client {} alone", client + 1),
        },
        point.job.n_clients().to_string(),
        result.shd_raw.to_string(),
        result.shd.to_string(),
        optional(result.sid),
        result.true_edges.to_string(),
        result.precision.to_string(),
        result.recall.to_string(),
        result.f1.to_string(),
        optional(result.auroc),
        result.missing.to_string(),
        result.extra.to_string(),
        result.reversed.to_string(),
        result.rounds.len().to_string(),
        result.stop.clone(),
        format!("{:.3}", result.seconds),
        point.job.fingerprint().to_owned(),
    ]
}

pub(crate) fn summary(summaries: &[Summary]) -> String {
    let mut rows = Vec::new();
    for summary in summaries {
        for panel in &summary.panels {
            for entry in &panel.entries {
                for measured in &entry.measured {
                    rows.push(measure(summary, panel, entry, measured));
                }
            }
        }
    }
    csv(SUMMARY, rows.into_iter())
}

fn measure(summary: &Summary, panel: &Panel, entry: &Entry, measured: &Measured) -> Vec<String> {
    let (experiment, stat) = (summary.experiment, measured.stat);
    let difference = measured.difference;
    // Published numbers are about the measure that is drawn.
    let published = entry.published;
    let published = published.filter(|_| measured.measure == summary.measure());
    vec![
        experiment.name.clone(),
        panel.name.clone(),
        entry.line.clone(),
        experiment.x_label.clone(),
        entry.x.to_string(),
        measured.measure.name().to_owned(),
        stat.n.to_string(),
        stat.mean.to_string(),
        stat.sd.to_string(),
        stat.low.to_string(),
        stat.high.to_string(),
        optional(difference.and(experiment.reference.as_ref())),
        optional(difference.map(|d| d.mean)),
        optional(difference.map(|d| d.low)),
        optional(difference.map(|d| d.high)),
        optional(published.map(|p| p.value)),
        optional(published.map(|p| p.trust.word())),
    ]
}

fn optional(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

fn csv(headings: &str, rows: impl Iterator<Item = Vec<String>>) -> String {
    const IN_MEMORY: &str = "writing to memory does not fail";
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(headings.split(',')).expect(IN_MEMORY);
    rows.for_each(|row| writer.write_record(row).expect(IN_MEMORY));
    let bytes = writer.into_inner().expect(IN_MEMORY);
    String::from_utf8(bytes).expect("every cell is text")
}
