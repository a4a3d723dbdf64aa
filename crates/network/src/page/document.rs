//! The whole page, and the pieces of it that may change.

use std::time::Duration;

use fedcdi_study::report::head;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::board::Shown;

const STYLE: &str = include_str!("live.css");
/// Without the script a page is loaded again after so many seconds.
const RELOAD: u32 = 15;

/// Pieces of a page by the id of the element that holds them.
pub(super) type Pieces = Vec<(String, String)>;

/// The page as it is now.
pub(super) fn document(shown: &impl Shown, now: Duration) -> String {
    let (brand, heading) = shown.heading();
    let sections = shown.sections(now);
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&format!("{heading}: live"), &[STYLE]))
            body {
                noscript { meta http-equiv="refresh" content=(RELOAD); }
                a.skip href="#state" { "Skip to the state" }
                header {
                    p.brand { (brand) }
                    h1 { (heading) }
                    p #line role="status" hidden {}
                    noscript { p.more { "Scripts are off: the page is loaded again every " (RELOAD) " seconds." } }
                    div #now { (shown.lead(now)) }
                    nav aria-label="Sections" {
                        ul { @for section in &sections { li { a href={ "#" (section.id) } { (section.short) } } } }
                    }
                }
                main {
                    @for section in &sections {
                        section id=(section.id) aria-labelledby={ (section.id) "-heading" } {
                            h2 id={ (section.id) "-heading" } { (section.title) }
                            div id=(body_of(section.id)) { (section.body) }
                        }
                    }
                }
                script src="live.js" {}
            }
        }
    };
    document.into_string() + "\n"
}

/// Everything that may change.
pub(super) fn pieces(shown: &impl Shown, now: Duration) -> Pieces {
    let lead: Markup = shown.lead(now);
    let sections = shown.sections(now).into_iter();
    let bodies = sections.map(|section| (body_of(section.id), section.body.into_string()));
    let lead = ("now".to_owned(), lead.into_string());
    std::iter::once(lead).chain(bodies).collect()
}

fn body_of(section: &str) -> String {
    format!("{section}-body")
}

/// A page for somebody who may not read the other.
pub(super) fn refusal(text: &str) -> String {
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            (head("fedcdi", &[]))
            body { header { p.brand { "fedcdi, live" } p.lead { (PreEscaped(text)) } } }
        }
    };
    document.into_string() + "\n"
}
