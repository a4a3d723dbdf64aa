//! A matrix over variables as a picture: rows are causes, columns effects.
//!
//! Shades are one ink over the page at ten strengths, so the scale runs from the background to the
//! ink in light and in dark. Cells of one shade are one path: a picture of 100 variables stays
//! below 200 kB.

use std::fmt::Write as _;

use fedcdi_core::{Dag, Schema, VarId};
use maud::{Markup, html};
use ndarray::Array2;

use super::labels::{labels, width};
use super::text::edge_name;

/// Room between a name and its row or column, and beyond its other end.
const LABEL_GAP: f64 = 5.0;
/// Above this, cells have no titles of their own.
const MAX_TITLED: usize = 60;
const SHADES: usize = 10;
const LONGEST_LABEL: usize = 14;
/// A picture shrinks to this part of its size before it scrolls: names must stay readable.
const SMALLEST: f64 = 0.7;

pub(crate) struct HeatMap<'a> {
    pub(crate) schema: &'a Schema,
    /// Variables from left to right and from top to bottom.
    pub(crate) order: &'a [VarId],
    /// `[cause, effect]`, 0..=1.
    pub(crate) values: &'a Array2<f64>,
    /// Edges that get a dot.
    pub(crate) dots: Option<&'a Dag>,
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) size: Size,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Size {
    Full,
    /// One of many side by side: cells only.
    Small,
}

impl HeatMap<'_> {
    pub(crate) fn svg(&self) -> Markup {
        let n_vars = self.order.len();
        let names = self.order.iter().map(|var| self.schema.name(*var));
        let labels = labels(names, LONGEST_LABEL);
        let (cell, left) = self.measures(&labels);
        let side = left + cell * n_vars as f64 + 2.0;
        let style = match self.size {
            Size::Full => format!("max-width:{side:.0}px;min-width:{:.0}px", SMALLEST * side),
            Size::Small => String::new(),
        };
        html! {
            svg.heat viewBox=(format!("0 0 {side:.0} {side:.0}")) style=(style) role="img" aria-labelledby={ (self.id) "-title" } {
                title id={ (self.id) "-title" } { (self.title) }
                @let (left_px, cells_px) = (format!("{left:.0}"), format!("{:.0}", cell * n_vars as f64));
                rect.ground x=(left_px) y=(left_px) width=(cells_px) height=(cells_px) {}
                g transform=(format!("translate({left:.0} {left:.0}) scale({cell:.2})")) {
                    @for shade in 1..=SHADES { (self.shade(shade)) }
                    path.diagonal d={ @for at in 0..n_vars { "M" (at) " " (at) "l1 1" } } {}
                    @if let Some(graph) = self.dots { (self.draw_dots(graph)) }
                    @if self.size == Size::Full && n_vars <= MAX_TITLED { (self.titles()) }
                }
                @if self.size == Size::Full { (self.draw_labels(&labels, cell, left)) }
            }
        }
    }

    fn measures(&self, labels: &[String]) -> (f64, f64) {
        let n_vars = self.order.len().max(1) as f64;
        if self.size == Size::Small {
            return (200.0 / n_vars, 1.0);
        }
        let cell = (720.0 / n_vars).clamp(8.0, 28.0);
        let widest = labels.iter().map(|label| width(label)).fold(0.0, f64::max);
        (cell, widest * font(cell) + 2.0 * LABEL_GAP)
    }

    fn value(&self, row: usize, column: usize) -> f64 {
        self.values[(self.order[row].index(), self.order[column].index())]
    }

    /// The cells of one shade; neighbours in a row are one rectangle.
    fn shade(&self, shade: usize) -> Markup {
        let n_vars = self.order.len();
        let mut d = String::new();
        for row in 0..n_vars {
            let is_in = |column: usize| row != column && shade_of(self.value(row, column)) == shade;
            let mut column = 0;
            while column < n_vars {
                let run = (column..n_vars).take_while(|c| is_in(*c)).count();
                if run > 0 {
                    let _ = write!(d, "M{column} {row}h{run}v1h-{run}z");
                }
                column += run.max(1);
            }
        }
        html! { @if !d.is_empty() { path class={ "cell s" (shade) } d=(d) {} } }
    }

    fn draw_dots(&self, graph: &Dag) -> Markup {
        let place =
            |var: VarId| self.order.iter().position(|v| *v == var).unwrap_or(0) as f64 + 0.5;
        html! {
            @for (cause, effect) in graph.edges() {
                circle.dot cx=(place(effect)) cy=(place(cause)) r="0.17" {}
            }
        }
    }

    fn titles(&self) -> Markup {
        let places = || self.order.iter().copied().enumerate();
        html! {
            @for (row, cause) in places() { @for (column, effect) in places().filter(|(column, _)| *column != row) {
                rect.hit x=(column) y=(row) width="1" height="1" {
                    title {
                        (edge_name(self.schema, cause, effect)) ": " (format!("{:.2}", self.value(row, column)))
                        @if self.dots.is_some_and(|t| t.has_edge(cause, effect)) { ", true" }
                    }
                }
            } }
        }
    }

    /// The names, each with its whole length as a title where it is shortened.
    fn draw_labels(&self, labels: &[String], cell: f64, left: f64) -> Markup {
        let middle = |at: usize| left + cell * (at as f64 + 0.5) + 0.35 * font(cell);
        let size = format!("font-size:{:.1}px", font(cell));
        html! {
            g.labels style=(size) {
                @for (at, (var, label)) in self.order.iter().zip(labels).enumerate() {
                    @let name = self.schema.name(*var);
                    @let whole = html! { @if label != name { title { (name) } } };
                    text text-anchor="end" x=(format!("{:.1}", left - LABEL_GAP)) y=(format!("{:.1}", middle(at))) { (whole) (label) }
                    text transform=(format!("translate({:.1} {:.1}) rotate(-90)", middle(at), left - LABEL_GAP)) { (whole) (label) }
                }
            }
        }
    }
}

fn font(cell: f64) -> f64 {
    (cell * 0.85).min(12.0)
}

/// From 0, the background, to [`SHADES`].
fn shade_of(value: f64) -> usize {
    (value * SHADES as f64).round() as usize
}

/// The scale from 0 to 1, and what a dot means if there are any.
pub(crate) fn scale(zero: &str, one: &str, dot: Option<&str>) -> Markup {
    html! {
        div.scale {
            span { (zero) }
            svg.ramp viewBox="0 0 110 12" aria-hidden="true" {
                rect.ground x="0.5" y="0.5" width="109" height="11" {}
                @for shade in 1..=SHADES {
                    rect class={ "cell s" (shade) } x=(10 * shade) y="0.5" width="10" height="11" {}
                }
            }
            span { (one) }
            @if let Some(dot) = dot {
                span.key {
                    svg.mark viewBox="0 0 12 12" aria-hidden="true" { circle.dot cx="6" cy="6" r="4" {} }
                    " " (dot)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedcdi_core::Variable;

    fn picture(n_vars: usize) -> String {
        picture_of((0..n_vars).map(|v| format!("<{v}>")).collect())
    }

    fn picture_of(names: Vec<String>) -> String {
        let n_vars = names.len();
        let variables = names.into_iter().map(|n| Variable::with_codes(n, 2));
        let schema = Schema::new(variables.collect()).unwrap();
        let order: Vec<VarId> = schema.ids().collect();
        let values = Array2::from_shape_fn((n_vars, n_vars), |(i, j)| {
            ((7 * i + 3 * j) % 11) as f64 / 10.0
        });
        let map = HeatMap {
            schema: &schema,
            order: &order,
            values: &values,
            dots: None,
            id: "map".into(),
            title: "map".into(),
            size: Size::Full,
        };
        map.svg().into_string()
    }

    #[test]
    fn cells_of_one_shade_in_a_row_are_one_rectangle() {
        let svg = picture(2);
        // Off the diagonal: 3/10 at row 0, column 1 and 7/10 at row 1, column 0.
        assert!(
            svg.contains("class=\"cell s3\" d=\"M1 0h1v1h-1z\""),
            "{svg}"
        );
        assert!(svg.contains("class=\"cell s7\" d=\"M0 1h1v1h-1z\""));
        assert!(svg.contains("&lt;0&gt; \u{2192} &lt;1&gt;: 0.30"));
    }

    #[test]
    fn capitals_have_room_within_the_frame() {
        let svg = picture_of(vec!["ERRLOWOUTPUT".into(), "X".into()]);
        let (_, rest) = svg.split_once("text-anchor=\"end\" x=\"").unwrap();
        let (end, _) = rest.split_once('"').unwrap();
        // The name is 8.43 ems long in DejaVu Sans, and ends here.
        let end: f64 = end.parse().unwrap();
        assert!(end > 8.43 * font(28.0), "{end}");
        assert!(
            !svg.contains("<title>ERRLOWOUTPUT</title>"),
            "not shortened"
        );
    }

    #[test]
    fn a_shortened_name_is_whole_in_its_title() {
        let names = ["blood_pressure_systolic", "blood_pressure_diastolic"];
        let svg = picture_of(names.map(str::to_owned).to_vec());
        for name in names {
            let label = svg.split_once(&format!("<title>{name}</title>")).unwrap().1;
            assert!(label.starts_with("blood_p\u{2026}"), "{label}");
        }
    }

    #[test]
    fn a_hundred_variables_stay_small() {
        let svg = picture(100);
        assert!(svg.len() < 250_000, "{} bytes", svg.len());
        assert!(!svg.contains("class=\"hit\""));
    }
}
