//! The account as a page, for a data officer: what would leave, in words.

use fedcdi_core::{EdgeTest, VarId};
use fedcdi_protocol::moves::MOST;
use fedcdi_protocol::{Believed, Digest, Exchanged, Moves, Told};
use maud::{DOCTYPE, Markup, html};

use super::sums::asked;
use super::{Account, file_name};
use crate::profile::SiteProfile;
use crate::report::{HeatMap, Size, count, head, scale};

pub(super) fn page(account: &Account) -> String {
    let (plan, name) = (account.plan(), account.site_name());
    let title = format!("What would leave {name}");
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&title, &[]))
            body {
                header {
                    p.brand { "fedcdi rehearsal" }
                    h1 { (title) }
                    p.lead {
                        "These are the answers of " strong { (name) } " to the questions of study " strong { (plan.name) } ", computed here from its own table. "
                        "A coordinator on this machine asked the questions. No connection was opened, and nothing was sent."
                    }
                    p.warning role="note" {
                        strong { "Note. " }
                        "This study is clear: the coordinator sees the answer of every single site. Whoever runs the coordinator can read what is listed here."
                    }
                }
                main {
                    section id="answers" { h2 { "All answers" } (answers(account)) (differences(account)) }
                    section id="stays" { h2 { "What stays at the site" } (stays(plan.score.is_some())) }
                    @for exchanged in &account.exchanged { (section(account, exchanged)) }
                    section id="plan" { h2 { "The plan" }
                        p { "Plan " code { (plan.digest()) } ". The site answers questions of this plan and of no other." }
                        details { summary { "The plan as text" } pre tabindex="0" { code { (plan.to_text()) } } }
                    }
                }
            }
        }
    };
    document.into_string() + "\n"
}

/// After the name of a table of numbers.
const IN_STEPS: &str = ": its value, and the whole number that is sent for it. A number that is no count is sent as a multiple of a small step.";

/// The name of an answer, for people.
fn title(exchanged: &Exchanged) -> String {
    match &exchanged.told {
        Told::Joined(_) => "When it joins".to_owned(),
        Told::Moved(_) => "What moves what".to_owned(),
        Told::Believed(believed) => format!("Round {}", believed.round),
        Told::Refused(..) => format!("Question {}", exchanged.number),
        Told::Summed(..) => format!("Question {}, about sums", exchanged.number),
        Told::Finished => "At the end".to_owned(),
    }
}

fn answers(account: &Account) -> Markup {
    let all = &account.exchanged;
    let n_bytes: usize = all.iter().map(|e| e.answer.len()).sum();
    html! {
        div.scroll tabindex="0" role="region" aria-label="All answers" {
            table {
                caption { (count(all.len(), "answer")) ", " (count(n_bytes, "byte")) " in all. The files lie beside this page; each SHA-256 is that of its file." }
                thead { tr { th scope="col" { "answer" } th.number scope="col" { "bytes" } th scope="col" { "file" } th scope="col" { "SHA-256" } } }
                tbody {
                    @for exchanged in all {
                        tr {
                            td { (title(exchanged)) }
                            td.number { (exchanged.answer.len()) }
                            td { code { (file_name(exchanged, "bin")) } }
                            td { code { (Digest::of(&exchanged.answer)) } }
                        }
                    }
                }
            }
        }
    }
}

/// How the study itself will differ from the rehearsal.
fn differences(account: &Account) -> Markup {
    let plan = account.plan();
    let rounds = plan.most_rounds();
    html! {
        p { "In the study itself:" }
        ul {
            li { "The other sites take part. The coordinator then sends other beliefs, and the numbers in the answers to later rounds are other ones, of the same kinds." }
            @if plan.has_rounds() { li { "There are at most " (count(rounds as usize, "round")) "." } }
            @if plan.moves == Moves::Use { li { "The answer about what moves what is the same to the byte." } }
            @if let Some(score) = &plan.score {
                li { "There are at most " (count(score.search.questions as usize, "question")) " about sums. Which tables and models are asked for follows from the sums of all sites together." }
            }
            li { @if account.same_first_round() { "The answers to join and to round 1 are the same to the byte. " } "The number of tests in later rounds follows from the beliefs that the coordinator sends." }
            li { "Every answer also carries the digests of plan and question and the number of the site, and its message the number and hash of the records in the site\u{2019}s journal." }
        }
    }
}

fn stays(counts_leave: bool) -> Markup {
    html! {
        ul {
            @if counts_leave {
                li { "Every row. But tables of counts leave: a count of 1 says that one row of the site has these values." }
            } @else {
                li { "Every row, and every value in it." }
            }
            li { "The labels of categories." }
            @if !counts_leave { li { "Counts of values and of combinations of values. Belief and tests are made from them, and tests come closest to revealing them." } }
            li { "The networks that the site trains." }
            li { "Texts of errors: the coordinator gets one of three codes." }
        }
    }
}

fn section(account: &Account, exchanged: &Exchanged) -> Markup {
    let id = format!("answer-{}", exchanged.number);
    html! {
        section id=(id) {
            h2 { (title(exchanged)) }
            @match &exchanged.told {
                Told::Joined(joined) => {
                    ul {
                        li { "A fingerprint of variables and categories: " code { (joined.schema) } ". It says whether the site uses the study\u{2019}s dictionary. Without the study\u{2019}s secret, nobody can find a label from it." }
                        @if joined.largest > 0 { li { "Its largest number of rows under one intervention: " (joined.largest) "." } }
                        @if let Some(profile) = SiteProfile::from_bytes(&joined.profile) { li { "A description of its data: " (described(&profile)) } }
                        @else { li { "No description of its data: the plan does not ask for one." } }
                    }
                }
                Told::Moved(numbers) => (moved(account, exchanged, numbers)),
                Told::Believed(believed) => (round(account, exchanged, believed)),
                Told::Summed(ask, numbers) => {
                    p { (count(numbers.len(), "number")) ", sums over rows: " (asked(ask)) ". Each number with its meaning is in " code { (file_name(exchanged, "csv")) } (IN_STEPS) }
                }
                Told::Finished => { p { "An acknowledgement without content: the site has the result." } }
                Told::Refused(_, words) => {
                    p { "The site has no answer. One of three codes would leave. These words stay here: " (words) "." }
                }
            }
        }
    }
}

fn described(profile: &SiteProfile) -> Markup {
    html! {
        (profile.n_samples) " rows, " (profile.n_observational) " of them without an intervention; interventions on "
        @if profile.targets.is_empty() { "nothing" } @else { (profile.targets.join(", ")) }
        @if !profile.arms.is_empty() { "; for " (count(profile.arms.len(), "group")) " of rows that set the same variables, how many rows, and which variables always have the same value" }
        @if let Some(verdicts) = &profile.verdicts {
            "; rows for edges: " (verdicts.existence) ", for directions: " (verdicts.orientation)
        }
        "."
    }
}

fn moved(account: &Account, exchanged: &Exchanged, numbers: &[i64]) -> Markup {
    let n_told = numbers.iter().filter(|number| **number != 0).count();
    html! {
        p { (count(numbers.len(), "number")) ", one for each ordered pair of variables: how strongly the site\u{2019}s rows say that the second moves when the first is set. " (n_told) " of them are not 0." }
        ul {
            li { "Each is twice a log-odds, as one whole number between " (-2.0 * MOST) " and " (2.0 * MOST) ". It summarises all rows under interventions on the first variable; no count is sent." }
            li { "A row of zeros says that the site has no rows under an intervention on that variable alone, or too few to tell anything." }
            @if account.plan().sites.len() == 2 { li { "The sum goes to both sites with the result: the other one can subtract its own numbers." } }
            li { "Each number with its meaning is in " code { (file_name(exchanged, "csv")) } "." }
        }
    }
}

fn round(account: &Account, exchanged: &Exchanged, believed: &Believed) -> Markup {
    let (schema, told) = (&account.schema, account.site.told());
    let by_target = schema.ids().zip(&told.n_interventional);
    let by_target: Vec<String> = (by_target.filter(|(_, n)| **n > 0))
        .map(|(var, n)| format!("{} {n}", schema.name(var)))
        .collect();
    let order: Vec<VarId> = schema.ids().collect();
    let psi = believed.belief.psi();
    let map = HeatMap {
        schema,
        order: &order,
        values: &psi,
        dots: None,
        id: format!("belief-{}", exchanged.number),
        title: "Belief of the site; rows are causes, columns effects".to_owned(),
        size: Size::Full,
    };
    let votes: Vec<String> = (believed.votes.edges())
        .map(|(cause, effect)| format!("{} \u{2192} {}", schema.name(cause), schema.name(effect)))
        .collect();
    html! {
        p { (count(believed.addends.len(), "number")) ". From them the coordinator can tell:" }
        ul {
            li { "The site\u{2019}s belief about every pair of variables, and the weight of that belief (" (count(believed.n_terms, "number")) "). The picture shows it." }
            li {
                "The weights follow from numbers of rows, as multiples of " (account.plan().disclosure.row_band) ": " (told.n_samples) " in all, " (told.n_observational) " without an intervention"
                @if !by_target.is_empty() { "; with an intervention: " (by_target.join(", ")) }
                "."
            }
            li { "The site\u{2019}s own graph, one number per ordered pair: " @if votes.is_empty() { "no edge" } @else { (votes.join(", ")) } "." }
            li { (tests(account, believed)) }
        }
        details {
            summary { "The belief as a picture" }
            figure {
                (scale("0", "1, probability of the edge", None))
                div.scroll.drawing tabindex="0" role="region" aria-label="Heat map of the belief" { (map.svg()) }
            }
        }
        p { "Each number with its meaning is in " code { (file_name(exchanged, "csv")) } (IN_STEPS) }
    }
}

fn tests(account: &Account, believed: &Believed) -> Markup {
    let disclosure = account.plan().disclosure;
    let name = |test: &EdgeTest| {
        let (a, b) = (
            account.schema.name(test.cause),
            account.schema.name(test.effect),
        );
        format!(
            "{a} and {b}: {} at {} degrees of freedom",
            test.statistic, test.degrees
        )
    };
    let told: Vec<String> = believed.tests.iter().map(name).collect();
    html! {
        @match (believed.n_asked, told.len()) {
            (0, _) => "No independence test: none was asked for.",
            (asked, made) => {
                "How strongly its rows contradict independence, for " (made) " of " (count(asked, "pair")) " that are asked about. Cells with fewer than " (disclosure.smallest_cell) " expected rows are left out. "
                @if !told.is_empty() { details { summary { "The tests" } ul { @for test in &told { li { (test) } } } } }
            }
        }
    }
}
