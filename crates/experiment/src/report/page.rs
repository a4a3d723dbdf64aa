//! The document: head, navigation, sections in order.

use fedcdi_core::VarId;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::content::Content;
use super::edges::{edge_table, edges};
use super::graph_svg::graph;
use super::heat_map::{HeatMap, Size, scale};
use super::reliability::reliability;
use super::repeat::{repeat, what_left};
use super::sufficiency::sufficiency;
use super::summary::{cards, sentence};
use super::text::Names;

/// Colours and layout that every page of ours shares.
const STYLE: &str = include_str!("style.css");

/// Head of a page: its title, and styles of its own beside the shared one.
pub(crate) fn head(title: &str, styles: &[&str]) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (title) }
            style { (PreEscaped(STYLE)) @for style in styles { (PreEscaped(style)) } }
        }
    }
}

/// The whole page.
pub(crate) fn page(content: &Content) -> String {
    let sections = sections(content);
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&format!("{}: fedcdi report", content.heading), &[]))
            body {
                a.skip href="#result" { "Skip to the result" }
                header {
                    p.brand { "fedcdi report" }
                    h1 { (content.heading) }
                    p.lead { (sentence(content)) }
                    @if let Some(warning) = content.warning { p.warning role="note" { strong { "Note. " } (warning) } }
                    nav aria-label="Sections" {
                        ul { @for section in &sections { li { a href={ "#" (section.id) } { (section.short) } } } }
                    }
                }
                main {
                    @for section in sections {
                        section id=(section.id) aria-labelledby={ (section.id) "-heading" } {
                            h2 id={ (section.id) "-heading" } { (section.title) }
                            (section.body)
                        }
                    }
                }
            }
        }
    };
    document.into_string() + "\n"
}

struct Section {
    id: &'static str,
    /// In the navigation.
    short: &'static str,
    title: &'static str,
    body: Markup,
}

impl Section {
    fn new(id: &'static str, short: &'static str, title: &'static str, body: Markup) -> Self {
        Self {
            id,
            short,
            title,
            body,
        }
    }
}

fn sections(content: &Content) -> Vec<Section> {
    let edges = edges(content.dag, content.belief, content.truth);
    let order = content.dag.topological_order();
    let drawing = html! { (graph(content.schema, &edges)) (edge_table(content, &edges)) };
    let mut sections = vec![
        Section::new("result", "Result", "Result", cards(content)),
        Section::new("graph", "Graph", "The graph", drawing),
        Section::new(
            "belief",
            "Belief",
            "How likely every edge is",
            belief(content, order),
        ),
        Section::new("rounds", "Rounds", "From round to round", charts(content)),
    ];
    if !content.clients.is_empty() {
        let title = "Who was trusted for what";
        sections.push(Section::new(
            "clients",
            "Clients",
            title,
            reliability(content, order),
        ));
    }
    let privacy = "What left each client";
    let data = sufficiency(&content.sufficiency);
    sections.extend([
        Section::new("data", "Data", "Is the data enough?", data),
        Section::new("privacy", "Privacy", privacy, what_left(content)),
        Section::new("repeat", "Repeat", "Run it again", repeat(content)),
    ]);
    sections
}

fn belief(content: &Content, order: &[VarId]) -> Markup {
    let map = HeatMap {
        names: Names(content.schema),
        order,
        values: &content.belief.psi(),
        dots: content.truth,
        id: "belief-map".to_owned(),
        title: "Probability of every edge; rows are causes, columns effects".to_owned(),
        size: Size::Full,
    };
    html! {
        figure {
            (scale("0", "1, probability of the edge", content.truth.map(|_| "edge of the true graph")))
            div.scroll.drawing tabindex="0" role="region" aria-label="Heat map of the belief" { (map.svg()) }
            figcaption {
                "Rows are causes, columns effects, both in the order of the graph: what lies below the diagonal would point backwards."
            }
        }
    }
}

fn charts(content: &Content) -> Markup {
    html! {
        div.charts {
            @for (at, chart) in content.charts.iter().enumerate() { (chart.figure(&format!("chart-{}", at + 1))) }
        }
    }
}
