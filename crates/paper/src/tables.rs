//! `runs.csv` and `summary.csv`.

use std::collections::BTreeMap;

use super::experiment::Planned;
use super::job::Arm;
use super::result::JobResult;
use super::statistics::Stat;
use super::summary::Summary;

const RUNS: &str = "experiment,panel,line,x,seed,arm,clients,shd_raw,shd,sid,true_edges,precision,\
    recall,f1,auroc,missing,extra,reversed,rounds,stop,seconds,fingerprint";

const SUMMARY: &str = "experiment,panel,line,axis,x,measure,seeds,mean,sd,low,high,compared_with,\
    difference,difference_low,difference_high,published,published_kind";

/// Every run, one row for each place that it has in an experiment.
pub(super) fn runs(experiments: &[Planned], results: &BTreeMap<String, JobResult>) -> String {
    let mut table = Table::new(RUNS);
    for planned in experiments {
        for point in &planned.points {
            let Some(result) = results.get(point.job.fingerprint()) else {
                continue;
            };
            let per_round = planned.experiment.view.is_per_round();
            table.row([
                planned.experiment.name.clone(),
                point.panel.clone(),
                point.line.clone(),
                if per_round {
                    String::new()
                } else {
                    point.x.to_string()
                },
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
            ]);
        }
    }
    table.text()
}

/// Means, intervals and differences, one row per measure.
pub(super) fn summary(summaries: &[Summary]) -> String {
    let mut table = Table::new(SUMMARY);
    for summary in summaries {
        let experiment = summary.experiment;
        for panel in &summary.panels {
            for entry in &panel.entries {
                for (at, measured) in entry.measured.iter().enumerate() {
                    let stat = measured.stat;
                    let difference =
                        |of: fn(&Stat) -> f64| optional(measured.difference.map(|d| of(&d)));
                    let compared = measured.difference.and(experiment.reference.clone());
                    // Published numbers are about the first measure.
                    let published = entry.published.filter(|_| at == 0);
                    table.row([
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
                        compared.unwrap_or_default(),
                        difference(|d| d.mean),
                        difference(|d| d.low),
                        difference(|d| d.high),
                        optional(published.map(|p| p.value)),
                        optional(published.map(|p| p.trust.word())),
                    ]);
                }
            }
        }
    }
    table.text()
}

fn optional(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

struct Table(csv::Writer<Vec<u8>>);

const IN_MEMORY: &str = "writing to memory does not fail";

impl Table {
    fn new(headings: &str) -> Self {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(headings.split(',')).expect(IN_MEMORY);
        Self(writer)
    }

    fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.0.write_record(cells).expect(IN_MEMORY);
    }

    fn text(self) -> String {
        let bytes = self.0.into_inner().expect(IN_MEMORY);
        String::from_utf8(bytes).expect("every cell is text")
    }
}
