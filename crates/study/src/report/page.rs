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
use super::rounds::rounds;
use super::strength::Strength;
use super::sufficiency::sufficiency;
use super::summary::{cards, certainty, sentence};
use super::targets::targets;
use super::text::sentence_of;
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
                    p.lead { (sentence(content)) @if let Some(text) = run.refinement() { " " (text) } }
                    @if let Some(text) = certainty(content) { p.lead { (text) } }
                    @for warning in content.warnings() { p.warning role="note" { strong { "Note. " } (sentence_of(warning)) } }
                    nav aria-label="Sections" {
                        ul { @for (id, short, ..) in &sections { li { a href={ "#" (id) } { (short) } } } }
                    }
                }
                main {
                    @for (id, _, title, body) in &sections {
                        section id=(id) aria-labelledby={ (id) "-heading" } {
                            h2 id={ (id) "-heading" } { (title) }
                            @if let Some(body) = body { (body) }
                        }
                    }
                }
            }
        }
    };
    document.into_string() + "\n"
}

/// Id, name in the navigation, title and, if there is something to show, the body.
type Section = (&'static str, &'static str, &'static str, Option<Markup>);

/// The order of rows and columns in every heat map, and whose it is.
type Order = (Vec<VarId>, &'static str);

fn order_of(content: &Content, drawing: Option<&Drawing>) -> Order {
    let drawn = "the order of the drawing, from top to bottom and left to right";
    let causal = "an order that has causes before effects";
    match drawing {
        Some(drawing) => (drawing.order(), drawn),
        None => (content.run.dag.topological_order().to_vec(), causal),
    }
}

fn sections(content: &Content) -> Vec<Section> {
    let (run, truth, class) = (content.run, content.truth(), content.run.class.as_ref());
    let edges = edges(&run.dag, content.strength, class, truth);
    let drawing = Drawing::of(&run.schema, &edges);
    let order = order_of(content, drawing.as_ref());
    let graph =
        html! { (graph(drawing.as_ref(), &edges, content.strength)) (edge_table(content, &edges)) };
    let compared = content.comparison.map(|_| compare(content));
    let estimated = run.estimated_targets();
    let targets = (!estimated.is_empty()).then(|| targets(&estimated));
    let sites = run.is_federation();
    let sites = sites.then(|| reliability(content, &order.0));
    let trust = match content.combined {
        Combined::Aggregate(_) => "Who was trusted for what",
        _ => "The sites",
    };
    let enough = sufficiency(&run.sites);
    let left = what_left(content);
    let mut sections = vec![
        ("result", "Result", "Result", Some(cards(content))),
        ("graph", "Graph", "The graph", Some(graph)),
        pairs(content, &order),
        ("rounds", "Rounds", "From round to round", rounds(content)),
        ("compare", "Compared", "Compared with", compared),
        ("targets", "Targets", "What was intervened on", targets),
        ("sites", "Sites", trust, sites),
        ("data", "Data", "Is the data enough?", Some(enough)),
        ("privacy", "Privacy", "What left each site", Some(left)),
        ("repeat", "Repeat", "Run it again", Some(repeat(content))),
    ];
    sections.retain(|(.., body)| body.is_some());
    sections
}

/// What is known about every ordered pair, as a picture.
fn pairs(content: &Content, order: &Order) -> Section {
    match content.strength {
        Strength::Belief(confidence, _) => {
            let words = ("Probability of every edge", "1, probability of the edge");
            let body = heat_map(content, order, confidence, "belief", words);
            ("belief", "Belief", "How likely every edge is", Some(body))
        }
        Strength::Votes(shares) => {
            let words = ("Votes for every edge", "1, all rows vote for the edge");
            let body = heat_map(content, order, shares, "votes", words);
            ("votes", "Votes", "How the sites voted", Some(body))
        }
        Strength::Weights(_) | Strength::Unknown => ("pairs", "", "", None),
    }
}

fn heat_map(
    content: &Content,
    order: &Order,
    values: &Array2<f64>,
    what: &str,
    (title, unit): (&str, &str),
) -> Markup {
    let map = HeatMap {
        schema: &content.run.schema,
        order: &order.0,
        values,
        dots: content.truth(),
        id: format!("{what}-map"),
        title: format!("{title}; rows are causes, columns effects"),
        size: Size::Full,
    };
    html! {
        figure {
            (scale("0", unit, content.truth().map(|_| "edge of the true graph")))
            div.scroll.drawing tabindex="0" role="region" aria-label={ "Heat map of the " (what) } { (map.svg()) }
            figcaption {
                "Rows are causes, columns effects, both in " (order.1) ": every edge of the graph lies above the diagonal."
                @if content.truth().is_some() { " A true edge below it was missed, or found the other way round." }
            }
        }
    }
}
