//! The page of a site's part in a study.

use std::time::Duration;

use fedcdi_study::report::{Heading, NUMBERS, WORDS, count, sentence_of, table};
use maud::{Markup, html};
use time::OffsetDateTime;

use super::board::{Section, Shown};
use super::metrics::of_part;
use super::part::{Connection, Left, Part};
use super::plan::plan_in_words;
use super::study::{Ending, short};
use super::study_page::graph;
use super::words::{card, left, since, size};

impl Shown for Part {
    fn heading(&self) -> (&'static str, String) {
        let study = self.plan.as_ref().map_or("", |plan| &plan.name);
        (
            "fedcdi site, live",
            format!("{} in study {study}", self.name),
        )
    }

    fn lead(&self, now: Duration) -> Markup {
        html! {
            @match (&self.ending, &self.connection) {
                (Some(Ending::Failed(why)), _) => p.warning role="alert" { strong { "This site cannot go on. " } (sentence_of(why)) },
                (Some(Ending::Result(words)), _) => p.lead { (sentence_of(words)) },
                (None, Connection::New) => p.lead { "Connecting to the coordinator." },
                (None, Connection::Lost(why, then, again)) => {
                    p.warning role="alert" {
                        "The coordinator has not been reached for " (since(*then, now)) " (" (why) "). The next try is in " (left(*again, now)) "."
                    }
                    p.more { "Answers are kept on the disk, and nothing is lost." }
                }
                (None, Connection::Up) => p.lead {
                    @match &self.at_work {
                        Some((question, then)) => { "Connected. This site was asked to " (to_do(question)) ". It has worked on the answer for " (since(*then, now)) "." },
                        None => "Connected. This site waits for the next question.",
                    }
                },
            }
        }
    }

    fn sections(&self, now: Duration) -> Vec<Section> {
        let section = |id, short, title, body| Section {
            id,
            short,
            title,
            body,
        };
        let result = html! {
            @if self.result.is_some() { (graph(self.result.as_deref())) }
            @else { p.none { "The study has no result yet." } }
        };
        vec![
            section("state", "State", "How it stands", self.cards(now)),
            section("left", "What left", "What left this site", self.what_left()),
            section(
                "declined",
                "Declined",
                "What was declined",
                self.declined(now),
            ),
            section("result", "Result", "The result", result),
            section(
                "plan",
                "Plan",
                "What all sites agreed on",
                html! {
                    @if let Some(plan) = &self.plan { (plan_in_words(plan, &self.digest)) }
                },
            ),
        ]
    }

    fn metrics(&self, now: Duration) -> String {
        of_part(self, now)
    }

    fn trouble(&self) -> Option<&'static str> {
        match (&self.ending, &self.connection) {
            (Some(Ending::Failed(_)), _) => Some("failed"),
            (None, Connection::Lost(..)) => Some("disconnected"),
            _ => None,
        }
    }

    fn refresh(&mut self) -> bool {
        false
    }
}

/// `answer round 3`, but `join` as it is.
fn to_do(question: &str) -> String {
    if question.starts_with("round") {
        format!("answer {question}")
    } else {
        question.to_owned()
    }
}

impl Part {
    fn cards(&self, now: Duration) -> Markup {
        let connection = match self.connection {
            Connection::New => "new",
            Connection::Up => "up",
            Connection::Lost(..) => "lost",
        };
        let bytes: usize = self.left.iter().map(|left| left.n_bytes).sum();
        let dash = "\u{2013}";
        html! {
            dl.cards {
                (card("Connection", html! { (connection) }, "to the coordinator"))
                (card("Last question", html! { @match &self.last_question { Some((words, _)) => { (words) }, None => (dash) } }, "that came"))
                (card("Asked", html! { @match &self.last_question { Some((_, then)) => { (since(*then, now)) }, None => (dash) } }, "since the last question came"))
                (card("Answers", html! { (self.left.len()) }, "that left, each listed below"))
                (card("Bytes", html! { (size(bytes as u64)) }, "in these answers"))
            }
        }
    }

    fn what_left(&self) -> Markup {
        let headings: [Heading; 6] = [
            (WORDS, "question"),
            (WORDS, "answer"),
            (NUMBERS, "size"),
            (WORDS, "first sent"),
            (WORDS, "state"),
            (WORDS, "digest"),
        ];
        let rows = html! { @for left in &self.left { (row(left)) } };
        html! {
            @if self.left.is_empty() { p.none { "Nothing yet." } }
            @else {
                (table("What left", "Every answer, in the order of the questions", &headings, &rows))
                p.hint { "The digest begins the SHA-256 of the bytes that left. The same question always gets the same bytes." }
            }
        }
    }

    fn declined(&self, now: Duration) -> Markup {
        html! {
            @if self.declined.is_empty() { p.none { "No question since this process started." } }
            @else {
                p { (count(self.declined.len(), "question")) " since this process started. The coordinator was told a code and no words." }
                ul.plain { @for (then, why) in self.declined.iter().rev().take(20) { li { (since(*then, now)) " ago: " (why) } } }
            }
        }
    }
}

fn row(left: &Left) -> Markup {
    html! { tr {
        th scope="row" { (left.question) }
        td { (left.what) }
        td.number { (size(left.n_bytes as u64)) }
        td { @match left.at { Some(at) => { (moment(at)) }, None => "before this start" } }
        td { @match (left.acknowledged, left.at) {
            (true, _) => span.state.done { "acknowledged" },
            (false, Some(_)) => span.state.busy { "sent" },
            (false, None) => span.state.away { "kept" },
        } }
        td { code.digest { (short(&left.digest)) } }
    } }
}

/// `2026-03-01 09:05:00 UTC`.
fn moment(at: OffsetDateTime) -> String {
    let (date, time) = (at.date(), at.time());
    format!(
        "{}-{:02}-{:02} {:02}:{:02}:{:02} UTC",
        date.year(),
        u8::from(date.month()),
        date.day(),
        time.hour(),
        time.minute(),
        time.second()
    )
}

#[cfg(test)]
mod tests {
    use fedcdi_protocol::Digest;

    use super::super::document::document;
    use super::super::samples::{EVIL, plan, so_far};
    use super::*;

    const NOW: Duration = Duration::from_secs(100);

    fn left(question: &str, acknowledged: bool, at: Option<OffsetDateTime>) -> Left {
        Left {
            at,
            question: question.to_owned(),
            what: "42 numbers to add up".to_owned(),
            n_bytes: 1_234,
            digest: Digest::of(question.as_bytes()),
            acknowledged,
        }
    }

    fn part() -> Part {
        let plan = plan("hearts", &["basel", "bern"], &["smoke", "cancer"]);
        Part {
            digest: plan.digest().to_string(),
            plan: Some(plan),
            name: "basel".to_owned(),
            connection: Connection::Up,
            at_work: Some(("round 3".to_owned(), Duration::from_secs(88))),
            last_question: Some(("round 3".to_owned(), Duration::from_secs(88))),
            left: vec![
                left("round 1", false, None),
                left("round 2", true, Some(OffsetDateTime::UNIX_EPOCH)),
            ],
            ..Part::default()
        }
    }

    #[test]
    fn everything_that_left_is_listed() {
        let part = part();
        let page = document(&part, NOW);
        let digests: Vec<String> = part.left.iter().map(|left| short(&left.digest)).collect();
        let parts = [
            "basel in study hearts",
            "asked to answer round 3. It has worked on the answer for",
            "12 s",
            "42 numbers to add up",
            "1.2 kB",
            "2.5 kB",
            "1970-01-01 00:00:00 UTC",
            "before this start",
            "acknowledged",
            "smoke, cancer",
            &digests[0],
            &digests[1],
            &part.digest,
        ];
        for part in parts {
            assert!(page.contains(part), "{part} is not in {page}");
        }
    }

    #[test]
    fn a_lost_connection_is_reported_with_its_reason() {
        let mut part = part();
        assert_eq!(part.trouble(), None);
        let (then, again) = (Duration::from_secs(90), Duration::from_secs(104));
        part.connection = Connection::Lost(EVIL.to_owned(), then, again);
        let page = document(&part, NOW);
        assert!(
            page.contains("10 s</span> (&lt;script&gt;") && !page.contains(EVIL),
            "{page}"
        );
        assert!(page.contains("data-s=\"4\" data-down>4 s"), "{page}");
        assert_eq!(part.trouble(), Some("disconnected"));
        part.end(Ending::Failed("the disk is full".to_owned()));
        assert_eq!(part.trouble(), Some("failed"));
        let page = document(&part, NOW);
        assert!(
            page.contains("cannot go on. </strong>The disk is full."),
            "{page}"
        );
    }

    #[test]
    fn the_result_is_drawn_when_it_is_there() {
        let mut part = part();
        assert!(document(&part, NOW).contains("The study has no result yet."));
        part.result = part.plan.as_ref().map(so_far);
        part.end(Ending::Result("the study is over".to_owned()));
        let page = document(&part, NOW);
        assert!(page.contains("The study is over.") && page.contains("smoke \u{2192} cancer"));
    }
}
