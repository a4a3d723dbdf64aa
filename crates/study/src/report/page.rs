//! The document: head, navigation, sections in order.

use fedcdi_core::VarId;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use ndarray::Array2;

use super::compare::compare;
use super::content::{Combined, Content};
use super::edges::{edge_table, edges};
use super::graph_svg::{Drawing, graph};
use super::heat_map::{HeatMap, Size, scale};
use super::reliability::reliability;
use super::repeat::{repeat, what_left};
use super::strength::Strength;
use super::sufficiency::sufficiency;
use super::summary::{cards, sentence};
use super::targets::targets;
use super::text::{Names, sentence_of};
use crate::result::{Comparison, RunResult};
use crate::spec::Spec;

/// Colours and layout that every page of ours shares.
const STYLE: &str = include_str!("style.css");

/// Head of a page: its title, and styles of its own beside the shared one.
pub fn head(title: &str, styles: &[&str]) -> Markup {
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

/// The page of a run.
pub(crate) fn page(spec: &Spec, run: &RunResult, comparison: Option<&Comparison>) -> String {
    let content = &Content::of(spec, run, comparison);
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
                    @for warning in &content.warnings { p.warning role="note" { strong { "Note. " } (sentence_of(warning)) } }
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

/// The order of rows and columns in every heat map.
struct Order {
    variables: Vec<VarId>,
    whose: &'static str,
}

impl Order {
    /// As drawn; without a drawing any order that has causes before effects.
    fn of(content: &Content, drawing: Option<&Drawing>) -> Self {
        match drawing {
            Some(drawing) => Self {
                variables: drawing.order(),
                whose: "the order of the drawing, from top to bottom and left to right",
            },
            None => Self {
                variables: content.dag.topological_order().to_vec(),
                whose: "an order that has causes before effects",
            },
        }
    }
}

fn sections(content: &Content) -> Vec<Section> {
    let edges = edges(content.dag, content.strength, content.class, content.truth);
    let drawing = Drawing::of(content.schema, &edges);
    let order = Order::of(content, drawing.as_ref());
    let graph =
        html! { (graph(drawing.as_ref(), &edges, content.strength)) (edge_table(content, &edges)) };
    let mut sections = vec![
        Section::new("result", "Result", "Result", cards(content)),
        Section::new("graph", "Graph", "The graph", graph),
    ];
    sections.extend(pairs(content, &order));
    if !content.charts.is_empty() {
        let body = charts(content);
        sections.push(Section::new(
            "rounds",
            "Rounds",
            "From round to round",
            body,
        ));
    }
    if content.compared.len() > 1 {
        let body = compare(&content.compared);
        sections.push(Section::new("compare", "Compared", "Compared with", body));
    }
    if !content.targets.is_empty() {
        let (title, body) = ("What was intervened on", targets(&content.targets));
        sections.push(Section::new("targets", "Targets", title, body));
    }
    if !content.clients.is_empty() {
        let title = match content.combined {
            Combined::Aggregate { .. } => "Who was trusted for what",
            _ => "The sites",
        };
        let body = reliability(content, &order.variables);
        sections.push(Section::new("sites", "Sites", title, body));
    }
    let data = sufficiency(&content.sufficiency);
    sections.extend([
        Section::new("data", "Data", "Is the data enough?", data),
        Section::new(
            "privacy",
            "Privacy",
            "What left each site",
            what_left(content),
        ),
        Section::new("repeat", "Repeat", "Run it again", repeat(content)),
    ]);
    sections
}

/// What is known about every ordered pair, as a picture.
fn pairs(content: &Content, order: &Order) -> Option<Section> {
    match content.strength {
        Strength::Belief(confidence, _) => {
            let (title, unit) = ("Probability of every edge", "1, probability of the edge");
            let body = heat_map(content, order, confidence, ("belief", title, unit));
            let title = "How likely every edge is";
            Some(Section::new("belief", "Belief", title, body))
        }
        Strength::Votes(shares) => {
            let (title, unit) = ("Votes for every edge", "1, all rows vote for the edge");
            let body = heat_map(content, order, shares, ("votes", title, unit));
            Some(Section::new("votes", "Votes", "How the sites voted", body))
        }
        Strength::Weights(_) | Strength::Unknown => None,
    }
}

fn heat_map(
    content: &Content,
    order: &Order,
    values: &Array2<f64>,
    (what, title, unit): (&str, &str, &str),
) -> Markup {
    let map = HeatMap {
        names: Names(content.schema),
        order: &order.variables,
        values,
        dots: content.truth,
        id: format!("{what}-map"),
        title: format!("{title}; rows are causes, columns effects"),
        size: Size::Full,
    };
    html! {
        figure {
            (scale("0", unit, content.truth.map(|_| "edge of the true graph")))
            div.scroll.drawing tabindex="0" role="region" aria-label={ "Heat map of the " (what) } { (map.svg()) }
            figcaption {
                "Rows are causes, columns effects, both in " (order.whose) ": every edge of the graph lies above the diagonal."
                @if content.truth.is_some() { " A true edge below it was missed, or found the other way round." }
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
