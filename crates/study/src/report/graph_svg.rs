//! The graph as a drawing, causes above effects.
//!
//! What an edge is worth shows in its width and shade, what the truth says about it in its colour
//! and its dashes, so that nothing hangs on colour alone.

use std::fmt::Write as _;

use fedcdi_core::{Digraph, Schema, VarId};
use maud::{Markup, html};

use super::edges::{Edge, Verdict};
use super::labels::{self, labels};
use super::layout::{Layout, NODE_HEIGHT, Point, lay_out};
use super::strength::Strength;
use super::text::{count, edge_name};

/// More edges than this are a black square.
const MAX_EDGES: usize = 700;
const LONGEST_NAME: usize = 20;
/// Size of the names, as in the style sheet.
const FONT: f64 = 13.0;
/// A drawing shrinks to this part of its size before it scrolls: names must stay readable.
const SMALLEST: f64 = 0.65;
/// Length and half the width of an arrow's head.
const HEAD: (f64, f64) = (8.0, 4.0);

pub(super) fn graph(drawing: Option<&Drawing>, edges: &[Edge], strength: Strength) -> Markup {
    let Some(drawing) = drawing else {
        return html! { p { (count(edges.len(), "line")) " are too many to draw; the edge list shows them." } };
    };
    html! {
        figure {
            (legend(edges))
            div.scroll.drawing tabindex="0" role="region" aria-label="Drawing of the graph" { (drawing.sheet()) }
            figcaption {
                "Causes above effects."
                @if let Some(words) = strength.words() { " A wider, darker line is " (words.wider) "; the edge list below has the numbers." }
                @if edges.iter().any(|edge| edge.open) { " A line without a head may point either way: the data leave its direction open." }
            }
        }
    }
}

pub(super) struct Drawing<'a> {
    schema: &'a Schema,
    labels: Vec<String>,
    edges: &'a [Edge],
    widths: Vec<f64>,
    /// Whether an edge is laid out against its direction: a missing one may close a cycle.
    turned: Vec<bool>,
    layout: Layout,
}

impl<'a> Drawing<'a> {
    /// The variables as they appear in the drawing, from top to bottom and from left to right. All
    /// edges of the graph point downwards, so causes come before their effects.
    pub(super) fn order(&self) -> Vec<VarId> {
        let place = |var: &VarId| self.layout.nodes[var.index()];
        let mut order: Vec<VarId> = (0..self.widths.len()).map(VarId).collect();
        order.sort_by(|a, b| {
            let (a, b) = (place(a), place(b));
            a.y.total_cmp(&b.y).then(a.x.total_cmp(&b.x))
        });
        order
    }

    /// None if there are too many edges to see.
    pub(super) fn of(schema: &'a Schema, edges: &'a [Edge]) -> Option<Self> {
        if edges.len() > MAX_EDGES {
            return None;
        }
        let labels = labels(schema.ids().map(|var| schema.name(var)), LONGEST_NAME);
        let width = |var: VarId| {
            let name = FONT * labels::width(&labels[var.index()]);
            let [causes, effects] = [|e: &Edge| e.effect, |e: &Edge| e.cause]
                .map(|end| edges.iter().filter(|edge| end(edge) == var).count());
            // Room for the name, and for the ends of its edges side by side.
            let ends = 16.0 + 7.0 * causes.max(effects) as f64;
            (name + 16.0).max(ends).max(42.0)
        };
        let widths: Vec<f64> = schema.ids().map(width).collect();
        let mut laid_out = Digraph::empty(schema.n_vars());
        let (mut turned, mut pairs) = (Vec::new(), Vec::new());
        for edge in edges {
            let turn = laid_out.reachable_from(edge.effect).contains(edge.cause);
            let ends = [edge.cause, edge.effect];
            let (top, bottom) = (ends[usize::from(turn)], ends[usize::from(!turn)]);
            laid_out.add_edge(top, bottom);
            pairs.push((top.index(), bottom.index()));
            turned.push(turn);
        }
        let layout = lay_out(&widths, &pairs);
        Some(Self {
            schema,
            labels,
            edges,
            widths,
            turned,
            layout,
        })
    }

    /// As wide as the page, within what is readable. Where it scrolls it starts at the first node:
    /// the upper left corner of a wide drawing is empty.
    pub(super) fn sheet(&self) -> Markup {
        let width = self.layout.width;
        let largest = if width < 500.0 { 1.25 } else { 1.0 };
        let (most, least) = (largest * width, SMALLEST * width);
        let size = format!("max-width:{most:.0}px;min-width:{least:.0}px");
        let order = self.order();
        let start = order.first().map(|var| self.layout.nodes[var.index()].x);
        html! {
            div.sheet style=(size) {
                @if let Some(x) = start { span.start style=(format!("left:{:.1}%", 100.0 * x / width)) {} }
                (self.svg())
            }
        }
    }

    fn svg(&self) -> Markup {
        let (width, height) = (self.layout.width, self.layout.height);
        html! {
            svg.graph viewBox=(format!("0 0 {width:.0} {height:.0}")) role="img" aria-labelledby="graph-title graph-desc" {
                title id="graph-title" { "The graph" }
                desc id="graph-desc" {
                    (count(self.widths.len(), "variable")) ", " (count(self.edges.len(), "line")) "; the edge list below has the same in words."
                }
                @for at in self.wrong_last() { (self.edge(at)) }
                @for node in 0..self.widths.len() { (self.node(node)) }
            }
        }
    }

    /// Edges in the order of drawing: what is wrong must not be hidden.
    fn wrong_last(&self) -> Vec<usize> {
        let wrong = |at: &usize| match self.edges[*at].verdict {
            None | Some(Verdict::Correct) => 0,
            Some(Verdict::Missing) => 1,
            Some(Verdict::Extra | Verdict::Reversed) => 2,
        };
        let mut order: Vec<usize> = (0..self.edges.len()).collect();
        order.sort_by_key(wrong);
        order
    }

    fn edge(&self, at: usize) -> Markup {
        let edge = &self.edges[at];
        let class = edge.verdict.map_or("unknown", Verdict::name);
        let likely = match edge.verdict {
            Some(Verdict::Missing) => 0.5,
            _ => edge.strength,
        };
        let (wide, dark) = (0.9 + 1.7 * likely, 0.4 + 0.6 * likely);
        let style = format!("--w:{wide:.1};--o:{dark:.2}");
        let path = &self.layout.paths[at];
        let curve = curve(path, self.turned[at]);
        html! {
            g class={ "edge " (class) } style=(style) {
                title { (edge_title(self.schema, edge)) }
                path.hit d=(curve) {}
                path.line d=(curve) {}
                @if !edge.open { path.head d=(head(path, self.turned[at])) {} }
            }
        }
    }

    fn node(&self, node: usize) -> Markup {
        let (at, width) = (self.layout.nodes[node], self.widths[node]);
        let name = self.schema.name(VarId(node));
        html! {
            g.node {
                title { (name) }
                rect x=(px(at.x - width / 2.0)) y=(px(at.y - NODE_HEIGHT / 2.0)) width=(px(width)) height=(px(NODE_HEIGHT)) rx="8" {}
                text x=(px(at.x)) y=(px(at.y + 4.5)) { (self.labels[node]) }
            }
        }
    }
}

/// `smoke -> cancer, probability 0.98, reversed`.
fn edge_title(schema: &Schema, edge: &Edge) -> String {
    let open = edge.open.then_some("open direction");
    let verdict = edge.verdict.map(Verdict::name);
    let parts = edge.title.as_deref().into_iter().chain(open).chain(verdict);
    let name = edge_name(schema, edge.cause, edge.effect);
    parts.fold(name, |title, part| title + ", " + part)
}

fn px(value: f64) -> String {
    format!("{value:.1}")
}

/// From point to point, upright at each; it stops short of the arrow's head.
fn curve(path: &[Point], turned: bool) -> String {
    let mut points = path.to_vec();
    let last = points.len() - 1;
    if turned {
        points[0].y += HEAD.0 - 1.0;
    } else {
        points[last].y -= HEAD.0 - 1.0;
    }
    let mut d = format!("M{:.1} {:.1}", points[0].x, points[0].y);
    for link in points.windows(2) {
        let (a, b) = (link[0], link[1]);
        let reach = (b.y - a.y) * 0.45;
        let (leave, arrive) = (a.y + reach, b.y - reach);
        let _ = write!(
            d,
            "C{:.1} {leave:.1} {:.1} {arrive:.1} {:.1} {:.1}",
            a.x, b.x, b.x, b.y
        );
    }
    d
}

/// The arrow's head: at the lower end, or at the upper one of an edge that is laid out turned.
fn head(path: &[Point], turned: bool) -> String {
    let (mut tip, mut back) = (path[path.len() - 1], -HEAD.0);
    if turned {
        (tip, back) = (path[0], HEAD.0);
    }
    let (left, base) = (-HEAD.1, 2.0 * HEAD.1);
    format!("M{:.1} {:.1}l{left:.1} {back:.1}h{base:.1}z", tip.x, tip.y)
}

pub(super) fn legend(edges: &[Edge]) -> Markup {
    let sample = |class: &str| {
        html! {
            svg.sample viewBox="0 0 44 12" aria-hidden="true" {
                g class={ "edge " (class) } style="--w:2.4;--o:1" {
                    path.line d="M1 6H35" {}
                    path.head d="M43 6l-8 -4v8z" {}
                }
            }
        }
    };
    let of = |verdict| edges.iter().filter(|e| e.verdict == Some(verdict)).count();
    html! {
        @if edges.iter().any(|edge| edge.verdict.is_some()) {
            ul.legend aria-label="Legend" {
                @for verdict in Verdict::ALL {
                    @let (name, meaning) = verdict.words();
                    li { (sample(name)) span { strong { (of(verdict)) " " (name) } ": " (meaning) } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedcdi_core::{Belief, Dag, Variable};

    fn schema(names: &[&str]) -> Schema {
        let variables = names.iter().map(|name| Variable::with_codes(*name, 2));
        Schema::new(variables.collect()).unwrap()
    }

    fn dag(n_vars: usize, edges: &[(usize, usize)]) -> Dag {
        let edges = edges.iter().map(|(c, e)| (VarId(*c), VarId(*e)));
        Dag::try_from(Digraph::from_edges(n_vars, edges)).unwrap()
    }

    #[test]
    fn names_are_escaped() {
        let found = dag(2, &[(0, 1)]);
        let belief = Belief::uninformed(2);
        let confidence = belief.psi();
        let strength = Strength::Belief(&confidence, &belief);
        let edges = super::super::edges::edges(&found, strength, None, None);
        let schema = schema(&["<b>&\"", "plain"]);
        let drawing = Drawing::of(&schema, &edges);
        let svg = graph(drawing.as_ref(), &edges, strength).into_string();
        assert!(!svg.contains("<b>"), "{svg}");
        assert!(
            svg.contains("<title>&lt;b&gt;&amp;&quot; \u{2192} plain, probability 0.25</title>")
        );
    }

    #[test]
    fn causes_come_before_effects_and_missed_edges_do_not_matter() {
        // Found 3 -> 2 -> 0 and 3 -> 1, true 0 -> 3: layers 3, then 1 and 2, then 0; 4 has no edge.
        let found = dag(5, &[(3, 2), (2, 0), (3, 1)]);
        let truth = dag(5, &[(0, 3)]);
        let edges = super::super::edges::edges(&found, Strength::Unknown, None, Some(&truth));
        let schema = schema(&["a", "b", "c", "d", "e"]);
        let drawing = Drawing::of(&schema, &edges).unwrap();
        let order = drawing.order();
        let at = |var: usize| order.iter().position(|v| *v == VarId(var)).unwrap();
        assert!(found.edges().all(|(c, e)| at(c.index()) < at(e.index())));
        let x = |var: usize| drawing.layout.nodes[var].x;
        assert_eq!((at(3), at(0), at(4)), (0, 3, 4));
        assert_eq!(at(1) < at(2), x(1) < x(2), "left to right within a layer");
    }

    #[test]
    fn a_missing_edge_that_closes_a_cycle_points_up() {
        // Found 0 -> 1 -> 2, true 2 -> 0: that edge has its head at the top.
        let edges = super::super::edges::edges(
            &dag(3, &[(0, 1), (1, 2)]),
            Strength::Unknown,
            None,
            Some(&dag(3, &[(2, 0)])),
        );
        let schema = schema(&["a", "b", "c"]);
        let drawing = Drawing::of(&schema, &edges).unwrap();
        assert_eq!(drawing.turned, [false, false, true]);
        let path = &drawing.layout.paths[2];
        assert!(head(path, true).starts_with(&format!("M{:.1} {:.1}", path[0].x, path[0].y)));
    }
}
