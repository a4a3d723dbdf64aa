//! The page of a coordinator's study.

use std::time::Duration;

use fedcdi_protocol::RoundRecord;
use fedcdi_protocol::coordinator::RefusalKind;
use fedcdi_study::report::{
    Heading, NUMBERS, WORDS, count, number, round_curves, sentence_of, table,
};
use maud::{Markup, PreEscaped, html};

use super::board::{Section, Shown};
use super::metrics::of_study;
use super::plan::plan_in_words;
use super::study::{Asked, Door, Ending, PartIn, Reason, Running, SiteRow, SoFar, Study};
use super::words::{card, left, since, size};

/// With more sites than this, those that are well are folded away.
const FOLD_ABOVE: usize = 30;

impl Shown for Study {
    fn heading(&self) -> (&'static str, String) {
        let name = self.plan.as_ref().map_or("", |plan| &plan.name);
        ("fedcdi coordinator, live", format!("Study {name}"))
    }

    fn lead(&self, now: Duration) -> Markup {
        html! {
            @match (&self.ending, self.running) {
                (Some(Ending::Failed(why)), _) => p.warning role="alert" { strong { "The study failed. " } (sentence_of(why)) },
                (Some(Ending::Result(place)), _) => (self.over(place)),
                (None, Some(running)) => {
                    p.lead { (self.now(running)) }
                    (self.progress())
                    @if self.overdue {
                        p.warning role="alert" { "The time for this question is over, and too few sites have answered. The study waits for more." }
                    } @else if running.asked != Asked::Finish {
                        p.more { (left(running.since + self.deadline, now)) " left for this question. It needs " (count(self.quorum, "answer")) "." }
                    }
                    @if let Some(lost) = self.lost() { p.warning { "Not connected any more: " (lost) "." } }
                }
                (None, None) => p.lead { "The study begins." },
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
        vec![
            section("state", "State", "How it stands", self.cards(now)),
            section("sites", "Sites", "The sites", self.site_table(now)),
            section(
                "graph",
                "Graph",
                "The graph so far",
                graph(self.so_far.as_deref()),
            ),
            section(
                "rounds",
                "Rounds",
                "From round to round",
                rounds(&self.rounds),
            ),
            section("refused", "Refused", "What was refused", self.refused()),
            section("ledger", "Ledger", "The ledger", self.ledger()),
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
        of_study(self, now)
    }

    fn trouble(&self) -> Option<&'static str> {
        match &self.ending {
            Some(Ending::Failed(_)) => Some("failed"),
            _ if self.overdue => Some("stalled"),
            _ => None,
        }
    }

    fn refresh(&mut self) -> bool {
        self.look_again()
    }
}

/// The graph of a study, as far as there is one.
pub(super) fn graph(so_far: Option<&SoFar>) -> Markup {
    html! {
        @match so_far.map(SoFar::drawn) {
            Some(Some(drawn)) => (PreEscaped(drawn)),
            Some(None) => p.none { "The graph cannot be drawn." },
            None => p.none { "There is no graph before the first round is over." },
        }
    }
}

pub(super) fn rounds(rounds: &[RoundRecord]) -> Markup {
    html! {
        @if rounds.is_empty() { p.none { "No round is over yet." } }
        @else { (round_curves(rounds)) }
    }
}

impl Study {
    pub(super) fn n_sites(&self, of: impl Fn(&SiteRow) -> bool) -> usize {
        self.sites.iter().filter(|row| of(row)).count()
    }

    fn has_result(&self) -> bool {
        self.running.is_none() && !matches!(self.ending, Some(Ending::Failed(_)))
    }

    fn n_answered(&self) -> usize {
        self.n_sites(|row| row.part == PartIn::Answered)
    }

    fn n_asked(&self) -> usize {
        self.n_sites(|row| row.part != PartIn::None)
    }

    fn now(&self, running: Running) -> String {
        let (answered, asked) = (self.n_answered(), self.n_asked());
        let most = self.plan.as_ref().map_or(0, |plan| plan.most_rounds());
        match running.asked {
            Asked::Join => format!("Sites are asked to join: {answered} of {asked} have."),
            Asked::Moves => {
                format!("Sites are asked what moves what: {answered} of {asked} have answered.")
            }
            Asked::Round(round) => {
                format!(
                    "Round {round} of at most {most}: {answered} of {asked} sites have answered."
                )
            }
            Asked::Sums => format!(
                "Question {}, about sums over the sites' rows, to score graphs: {answered} of {asked} sites have answered.",
                running.number
            ),
            Asked::Finish => format!(
                "The study has its result after {}; {answered} of {asked} sites have it too.",
                count(self.rounds.len(), "round")
            ),
        }
    }

    fn over(&self, place: &str) -> Markup {
        let edges = self.so_far.as_ref().map_or(0, |so_far| so_far.n_edges());
        html! {
            p.lead {
                "The study is over after " (count(self.rounds.len(), "round")) ": " (count(edges, "edge")) ". "
                "The result is in " code { (place) } "; report.html there shows it."
            }
        }
    }

    /// Sites that were here and are not, by name.
    fn lost(&self) -> Option<String> {
        const MOST: usize = 5;
        let lost = |row: &&SiteRow| !row.connected && row.heard.is_some();
        let names: Vec<&str> = (self.sites.iter().filter(lost))
            .map(|row| &*row.name)
            .collect();
        let shown = names[..names.len().min(MOST)].join(", ");
        match names.len().saturating_sub(MOST) {
            0 => (!names.is_empty()).then_some(shown),
            more => Some(format!("{shown} and {more} more")),
        }
    }

    fn progress(&self) -> Markup {
        let share = self.n_answered() as f64 / self.n_asked().max(1) as f64;
        html! {
            div.bar {
                svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true" {
                    rect width=(format!("{:.1}", 100.0 * share)) height="1" {}
                }
            }
        }
    }

    fn cards(&self, now: Duration) -> Markup {
        let of = |n: usize, all: usize| html! { (n) " / " (all) };
        let most = self
            .plan
            .as_ref()
            .map_or(0, |plan| plan.most_rounds() as usize);
        let (connected, refused) = (self.n_sites(|row| row.connected), self.n_refused());
        let last = self.rounds.last();
        html! {
            dl.cards {
                (card("Rounds", of(self.rounds.len(), most), "that are over, of at most so many"))
                (card("Answers", of(self.n_answered(), self.n_asked()), "to the question asked last"))
                (card("Connected", html! { @if self.has_result() && self.plan.is_some() { "\u{2013}" } @else { (of(connected, self.sites.len())) } }, "sites whose connection is up"))
                (card("Edges", html! { (last.map_or("\u{2013}".to_owned(), |r| r.n_edges.to_string())) }, "of the graph after the last round"))
                (card("Disagreement", html! { (last.map_or("\u{2013}".to_owned(), |r| number(r.consensus_entropy))) }, "of the sites, in bits; 0 if all agree"))
                (card("Last answer", html! { @match self.last_answer { Some(then) => { (since(then, now)) }, None => "\u{2013}" } }, "since it was taken"))
                (card("Refused", html! { (refused) }, "messages and connections since the start"))
            }
        }
    }

    fn site_table(&self, now: Duration) -> Markup {
        let all: Vec<&SiteRow> = self.sites.iter().collect();
        let (well, other): (Vec<&SiteRow>, _) = all.iter().partition(|row| {
            row.connected && matches!(row.part, PartIn::Answered | PartIn::Waiting)
        });
        let kinds = [
            (self.n_answered(), "answered"),
            (
                self.n_sites(|row| row.part == PartIn::Waiting && row.connected),
                "at work",
            ),
            (
                self.n_sites(|row| matches!(row.part, PartIn::Absent(_))),
                "absent",
            ),
            (self.n_sites(|row| !row.connected), "not connected"),
        ];
        let kinds: Vec<String> = (kinds.iter().filter(|(n, _)| *n > 0))
            .map(|(n, word)| format!("{n} {word}"))
            .collect();
        html! {
            @if self.sites.len() <= FOLD_ABOVE { (self.rows("Sites", &all, now)) }
            @else {
                p { (count(self.sites.len(), "site")) ": " (kinds.join(", ")) "." }
                @if !other.is_empty() { (self.rows("Sites to look at", &other[..other.len().min(FOLD_ABOVE)], now)) }
                @if other.len() > FOLD_ABOVE { p.none { "and " (other.len() - FOLD_ABOVE) " more" } }
                @if !well.is_empty() { details { summary { "All others (" (well.len()) ")" } (self.rows("All others", &well, now)) } }
            }
        }
    }

    fn rows(&self, label: &str, rows: &[&SiteRow], now: Duration) -> Markup {
        let headings: [Heading; 5] = [
            (WORDS, "site"),
            (WORDS, "state"),
            (NUMBERS, "last heard"),
            (WORDS, "connection"),
            (NUMBERS, "sent"),
        ];
        let body = html! { @for row in rows { tr {
            th scope="row" { (row.name) }
            td { (self.state(row)) }
            td.number { @match row.heard { Some(then) => { (since(then, now)) " ago" }, None => "\u{2013}" } }
            td { @match (row.connected, row.heard) { (true, _) => "up", (false, Some(_)) if self.running.is_none() => "closed", (false, Some(_)) => span.lost { "lost" }, (false, None) => "\u{2013}" } }
            td.number { (size(row.bytes_in)) }
        } } };
        table(label, "Since this process started", &headings, &body)
    }

    /// What a site does, in a mark, a word and, where something is wrong, a reason.
    fn state(&self, row: &SiteRow) -> Markup {
        let asked = self.running.map(|running| running.asked);
        let (class, word) = match (row.part, row.connected) {
            (PartIn::Answered, _) => match asked {
                Some(Asked::Join) => ("done", "joined"),
                Some(Asked::Finish) => ("done", "has the result"),
                None if self.has_result() => ("done", "has the result"),
                _ => ("done", "answered"),
            },
            (PartIn::Absent(_), _) => ("absent", "absent"),
            (PartIn::Waiting, true) => (
                "busy",
                if asked == Some(Asked::Join) {
                    "joining"
                } else {
                    "answering"
                },
            ),
            (PartIn::None, true) if self.running.is_none() => ("done", "connected"),
            (PartIn::None, true) if row.joined && asked == Some(Asked::Sums) => {
                ("away", "not in this search")
            }
            (PartIn::None, true) if row.joined => ("busy", "from the next round"),
            (PartIn::None, true) => ("busy", "joining late"),
            (_, false) if row.heard.is_some() => ("away", "not connected"),
            (_, false) => ("away", "not heard of yet"),
        };
        html! {
            span.state.(class) { (word) }
            @if let PartIn::Absent(why) = row.part { span.why { ": " (why) } }
            @if matches!(row.part, PartIn::Absent(_)) && row.connected { span.why { "; connected" } }
        }
    }

    pub(super) fn n_refused(&self) -> u64 {
        self.refused.values().sum()
    }

    fn refused(&self) -> Markup {
        let rows = html! { @for (reason, n) in &self.refused { tr {
            th scope="row" { (reason.words()) }
            td.number { (n) }
        } } };
        let headings = [(WORDS, "reason"), (NUMBERS, "times")];
        html! {
            @if self.refused.is_empty() { p.none { "Nothing since this process started." } }
            @else {
                (table("Refused", "Since this process started", &headings, &rows))
                p.hint { "What is refused changes nothing. A site may send a better answer until the question is closed." }
            }
        }
    }

    fn ledger(&self) -> Markup {
        html! {
            dl.facts {
                div { dt { "records" } dd { (self.n_records) } }
                div { dt { "head" } dd { code.digest { (self.head) } } }
            }
            p.hint { "The head stands for all records. Whoever notes it can show later that none was changed or removed." }
        }
    }
}

impl Reason {
    /// In words, without anything of the message.
    fn words(self) -> String {
        match self {
            Self::Door(Door::Handshake) => {
                "no handshake: not a party of this study, or not TLS 1.3".to_owned()
            }
            Self::Door(Door::Slow) => "a handshake that took too long".to_owned(),
            Self::Door(Door::Crowd) => "a site with too many connections".to_owned(),
            Self::Door(Door::Stranger) => "a certificate that is not in the roster".to_owned(),
            Self::Door(Door::Second) => "a second process with the kit of a site".to_owned(),
            Self::Answer(RefusalKind::OtherSite) => {
                "a site sent a message that says it is from another".to_owned()
            }
            Self::Answer(kind) => {
                let text = format!("a site {kind}");
                text.trim_end_matches([' ', ':']).to_owned()
            }
        }
    }

    /// As a label of a counter.
    pub(super) fn label(self) -> String {
        match self {
            Self::Door(Door::Handshake) => "handshake".to_owned(),
            Self::Door(Door::Slow) => "slow_handshake".to_owned(),
            Self::Door(Door::Crowd) => "too_many_connections".to_owned(),
            Self::Door(Door::Stranger) => "not_in_roster".to_owned(),
            Self::Door(Door::Second) => "second_process".to_owned(),
            Self::Answer(kind) => {
                let label = serde_json::to_value(kind).ok();
                let label = label.as_ref().and_then(|label| label.as_str());
                label.unwrap_or("other").to_owned()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use fedcdi_core::ClientId;
    use fedcdi_protocol::Absence;

    use super::super::document::{document, pieces};
    use super::super::samples::{EVIL, plan, so_far, study};
    use super::*;

    const NOW: Duration = Duration::from_secs(100);

    /// The text of a page, without its styles.
    fn page(study: &Study) -> String {
        let page = document(study, NOW);
        let (_, body) = page.split_once("<body>").unwrap();
        body.to_owned()
    }

    fn assert_all(page: &str, parts: &[&str]) {
        for part in parts {
            assert!(page.contains(part), "{part} is not in {page}");
        }
    }

    #[test]
    fn the_page_shows_everything_that_is_known() {
        let mut study = study();
        study.refused.insert(Reason::Door(Door::Second), 3);
        study
            .refused
            .insert(Reason::Answer(RefusalKind::Conflict), 4);
        study.sites[0].bytes_in = 5_400;
        study.last_answer = Some(Duration::from_secs(70));
        let page = page(&study);
        let plan = study.plan.clone().unwrap();
        assert_all(
            &page,
            &plan.sites.iter().map(String::as_str).collect::<Vec<_>>(),
        );
        assert_all(
            &page,
            &[
                &study.digest,
                &study.head,
                "<dd>17</dd>",
                "hearts",
                "enco",
                "evidence",
            ],
        );
        assert_all(
            &page,
            &[
                "Round 2 of at most 10: 1 of 3 sites have answered.",
                "It needs 2 answers.",
            ],
        );
        // 60 s + 600 s - 100 s.
        assert_all(
            &page,
            &["data-s=\"560\" data-down>9 min 20 s</span> left for this question"],
        );
        assert_all(
            &page,
            &["a second process with the kit of a site</th><td class=\"number\">3<"],
        );
        assert_all(
            &page,
            &[
                "a site sent another answer before; the first one counts</th><td class=\"number\">4<",
            ],
        );
        assert_all(&page, &["<dd class=\"value word\">7</dd>", "5.4 kB"]);
        assert_all(
            &page,
            &["smoke \u{2192} cancer, probability", "0.375", "0.125"],
        );
        assert_all(
            &page,
            &["data-s=\"30\">30 s</span>", "data-s=\"25\">25 s</span> ago"],
        );
    }

    #[test]
    fn every_state_of_a_site_has_its_words() {
        let mut study = study();
        let state = |study: &Study, at: usize| study.state(&study.sites[at]).into_string();
        assert!(state(&study, 0).contains("done\">answered"));
        assert!(state(&study, 1).contains("busy\">answering"));
        let absent = state(&study, 2);
        assert_all(
            &absent,
            &["absent\">absent", "it failed; its own log says why"],
        );
        assert!(!absent.contains("connected"));
        assert!(state(&study, 3).contains("away\">not heard of yet"));
        study.sites[1].connected = false;
        assert!(state(&study, 1).contains("away\">not connected"));
        study.sites[2].connected = true;
        study.sites[2].part = PartIn::Absent(Absence::Late);
        assert_all(&state(&study, 2), &["no answer in time", "; connected"]);
        study.sites[3].connected = true;
        assert!(state(&study, 3).contains("joining late"));
        study.sites[3].joined = true;
        assert!(state(&study, 3).contains("from the next round"));
        let asked = |study: &mut Study, asked| study.running.as_mut().unwrap().asked = asked;
        asked(&mut study, Asked::Join);
        assert!(state(&study, 0).contains("joined"));
        asked(&mut study, Asked::Finish);
        assert!(state(&study, 0).contains("has the result"));
    }

    #[test]
    fn names_are_escaped() {
        let mut study = study();
        let plan = plan(EVIL, &[EVIL, "b"], &[EVIL, "y"]);
        study.so_far = Some(so_far(&plan));
        study.plan = Some(plan);
        EVIL.clone_into(&mut study.sites[0].name);
        study.end(Ending::Failed(EVIL.to_owned()));
        let page = page(&study);
        assert!(!page.contains("<script>"), "{page}");
        assert!(page.matches("&lt;script&gt;").count() > 6, "{page}");
    }

    #[test]
    fn a_page_has_the_same_pieces_from_the_beginning_to_the_end() {
        let ids = |study: &Study| -> Vec<String> {
            let page = page(study);
            let pieces = pieces(study, NOW);
            for (id, html) in &pieces {
                assert!(
                    page.contains(&format!("<div id=\"{id}\">{html}</div>")),
                    "{id}"
                );
            }
            pieces.into_iter().map(|(id, _)| id).collect()
        };
        let running = study();
        let mut over = study();
        over.running = None;
        over.absent(ClientId(3), 2, Absence::Late);
        over.absent(ClientId(1), 1, Absence::Late);
        over.end(Ending::Result("ledger/result".to_owned()));
        let all: BTreeSet<_> = [ids(&Study::default()), ids(&running), ids(&over)].into();
        assert_eq!(all.len(), 1, "{all:?}");
        assert_all(
            &page(&over),
            &["over after 1 round: 1 edge", "<code>ledger/result</code>"],
        );
    }

    #[test]
    fn at_the_end_closed_connections_are_no_news() {
        let mut study = study();
        study.running = None;
        study.look_again();
        let page = page(&study);
        assert_all(
            &page,
            &["closed", "done\">has the result", "absent\">absent"],
        );
        assert!(!page.contains("class=\"lost\"") && !page.contains("Not connected"));
    }

    #[test]
    fn trouble_has_a_word_and_the_study_its_own_reason() {
        let mut study = study();
        assert_eq!(study.trouble(), None);
        study.no_quorum();
        assert_eq!(study.trouble(), Some("stalled"));
        assert_all(
            &page(&study),
            &["too few sites have answered. The study waits"],
        );
        study.end(Ending::Failed("round 2 has too few: chur".to_owned()));
        study.end(Ending::Failed("site 3".to_owned()));
        assert_eq!(study.trouble(), Some("failed"));
        assert_all(
            &page(&study),
            &["<strong>The study failed. </strong>Round 2 has too few: chur."],
        );
    }

    #[test]
    fn of_many_sites_those_in_trouble_are_in_sight() {
        let mut study = study();
        for at in 0..50 {
            let mut row = study.sites[0].clone();
            row.name = format!("clinic-{at}");
            study.sites.push(row);
        }
        let text = study.site_table(NOW).into_string();
        let (seen, folded) = text.split_once("<details>").unwrap();
        assert_all(
            seen,
            &[
                "54 sites: 51 answered, 1 at work, 1 absent, 2 not connected.",
                "chur",
                "genf",
            ],
        );
        assert!(!seen.contains("basel") && folded.contains("All others (52)"));
        assert_all(folded, &["basel", "bern", "clinic-49"]);
    }
}
