//! Counters as Prometheus reads them. No name of a site or variable is among them.

use std::fmt::{Display, Write as _};
use std::time::Duration;

use super::part::{Connection, Part};
use super::study::{Ending, Study};

/// Lines of text, a family of samples after another.
#[derive(Default)]
struct Families(String);

impl Families {
    /// A family with one sample for each label, `name="value"` or none.
    fn add(
        &mut self,
        (name, kind): (&str, &str),
        help: &str,
        samples: impl IntoIterator<Item = (String, impl Display)>,
    ) {
        let _ = writeln!(
            self.0,
            "# HELP fedcdi_{name} {help}\n# TYPE fedcdi_{name} {kind}"
        );
        for (label, value) in samples {
            let _ = match label.as_str() {
                "" => writeln!(self.0, "fedcdi_{name} {value}"),
                label => writeln!(self.0, "fedcdi_{name}{{{label}}} {value}"),
            };
        }
    }

    fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.add((name, "gauge"), help, [(String::new(), value)]);
    }

    fn counter(&mut self, name: &str, help: &str, value: impl Display) {
        self.add((name, "counter"), help, [(String::new(), value)]);
    }
}

pub(super) fn of_study(study: &Study, now: Duration) -> String {
    let mut to = Families::default();
    let seconds = |time: Duration| time.as_secs();
    to.gauge("sites", "Sites of the plan.", study.sites.len());
    let connected = study.n_sites(|row| row.connected);
    to.gauge(
        "sites_connected",
        "Sites whose connection is up.",
        connected,
    );
    let joined = study.n_sites(|row| row.joined);
    to.gauge("sites_joined", "Sites that take part.", joined);
    to.gauge("rounds", "Rounds that are over.", study.rounds.len());
    if let Some(running) = study.running {
        to.gauge(
            "question",
            "Number of the running question: 0 to join, then one for every round, then the result.",
            running.number,
        );
        let left = (running.since + study.deadline).saturating_sub(now);
        to.gauge(
            "question_seconds_left",
            "Time left for the running question.",
            seconds(left),
        );
    }
    let traffic = study.traffic;
    let outcome = |word: &str| format!("outcome=\"{word}\"");
    to.add(
        ("answers_total", "counter"),
        "Answers since the start that were taken, or were known already.",
        [
            (outcome("taken"), traffic.taken),
            (outcome("repeated"), traffic.repeated),
        ],
    );
    let reasons = study.refused.iter();
    let reasons = reasons.map(|(reason, n)| (format!("reason=\"{}\"", reason.label()), n));
    to.add(
        ("refused_total", "counter"),
        "Messages and connections since the start that were refused.",
        reasons,
    );
    let direction = |word: &str| format!("direction=\"{word}\"");
    to.add(
        ("bytes_total", "counter"),
        "Bytes of questions and answers since the start.",
        [
            (direction("in"), traffic.bytes_in),
            (direction("out"), traffic.bytes_out),
        ],
    );
    to.gauge("ledger_records", "Records of the ledger.", study.n_records);
    if let Some(then) = study.last_answer {
        to.gauge(
            "seconds_since_answer",
            "Time since the last answer was taken.",
            seconds(now.saturating_sub(then)),
        );
    }
    let failed = matches!(study.ending, Some(Ending::Failed(_)));
    to.gauge(
        "stalled",
        "1 if the time for the question is over and too few have answered.",
        u8::from(study.overdue),
    );
    to.gauge("failed", "1 if the study has failed.", u8::from(failed));
    to.0
}

pub(super) fn of_part(part: &Part, now: Duration) -> String {
    let mut to = Families::default();
    let connected = u8::from(part.connection == Connection::Up);
    to.gauge(
        "site_connected",
        "1 if the coordinator can be reached.",
        connected,
    );
    to.counter(
        "site_questions_total",
        "Questions since the start.",
        part.n_questions,
    );
    to.counter(
        "site_answers_total",
        "Answers since the start that the coordinator acknowledged.",
        part.n_acknowledged,
    );
    to.counter(
        "site_declined_total",
        "Questions since the start that were declined.",
        part.declined.len(),
    );
    to.counter(
        "site_refused_total",
        "Answers since the start that the coordinator did not take.",
        part.n_refused,
    );
    let direction = |word: &str| format!("direction=\"{word}\"");
    to.add(
        ("site_bytes_total", "counter"),
        "Bytes of questions and answers since the start.",
        [
            (direction("in"), part.bytes_in),
            (direction("out"), part.bytes_out),
        ],
    );
    if let Some(then) = part.last_answer {
        let seconds = now.saturating_sub(then).as_secs();
        to.gauge(
            "site_seconds_since_answer",
            "Time since the last answer was acknowledged.",
            seconds,
        );
    }
    let failed = matches!(part.ending, Some(Ending::Failed(_)));
    to.gauge(
        "site_failed",
        "1 if the site cannot go on.",
        u8::from(failed),
    );
    to.0
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use fedcdi_protocol::coordinator::RefusalKind;

    use super::super::samples::study;
    use super::super::study::{Door, Reason};
    use super::*;

    #[test]
    fn counters_are_what_prometheus_reads_and_name_nobody() {
        let mut study = study();
        study.refused.insert(Reason::Door(Door::Stranger), 2);
        study
            .refused
            .insert(Reason::Answer(RefusalKind::Addends), 1);
        study.traffic.taken = 9;
        let text = of_study(&study, Duration::from_secs(100));
        for line in [
            "fedcdi_sites 4",
            "fedcdi_sites_connected 2",
            "fedcdi_question 2",
            "fedcdi_question_seconds_left 560",
            "fedcdi_answers_total{outcome=\"taken\"} 9",
            "fedcdi_refused_total{reason=\"not_in_roster\"} 2",
            "fedcdi_refused_total{reason=\"addends\"} 1",
            "fedcdi_ledger_records 17",
            "fedcdi_failed 0",
        ] {
            assert!(
                text.lines().any(|found| found == line),
                "{line} is not in {text}"
            );
        }
        let mut families = BTreeSet::new();
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# TYPE ") {
                assert!(families.insert(rest.split(' ').next().unwrap()), "{line}");
            } else if !line.starts_with('#') {
                let (name, value) = line.rsplit_once(' ').unwrap();
                let family = name.split('{').next().unwrap();
                assert!(
                    families.contains(family) && value.parse::<f64>().is_ok(),
                    "{line}"
                );
            }
        }
        for name in ["basel", "smoke", "hearts"] {
            assert!(!text.contains(name), "{name}");
        }
        let text = of_part(&Part::default(), Duration::ZERO);
        assert!(text.contains("\nfedcdi_site_connected 0\n"), "{text}");
    }
}
