//! Panels of a figure as SVG: on the page one by one, as a file all together.
//!
//! Whiskers (over x) and bands (over rounds) are intervals of the mean; hollow points are the
//! paper's.

use maud::{Markup, PreEscaped, html};

use super::published::curve;
use super::statistics::Stat;
use super::summary::{Entry, Panel, Summary};
use fedcdi_study::report::{number, path, ticks};

pub(crate) const STYLE: &str = include_str!("figure.css");
/// What a file needs besides: the page has these already.
const FILE_STYLE: &str = include_str!("figure_file.css");

const WIDTH: f64 = 350.0;
const HEIGHT: f64 = 250.0;
/// Room for ticks and labels: left, top, right, bottom.
const ROOM: [f64; 4] = [44.0, 28.0, 14.0, 40.0];
const COLUMNS: usize = 4;
/// Colours and dashes; further lines begin again.
const N_STYLES: usize = 6;

fn class(line: usize) -> String {
    format!("l{}", line % N_STYLES)
}

pub(crate) fn panel(summary: &Summary, panel: &Panel, id: &str) -> Markup {
    html! {
        svg.panel viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-labelledby={ (id) "-title " (id) "-desc" } {
            title id={ (id) "-title" } { (panel.name) }
            desc id={ (id) "-desc" } {
                "Mean " (summary.measure().name()) " over " (summary.experiment.x_label) ", one line for each of: "
                (summary.lines.join("; ")) ". The numbers are in the table below."
            }
            (content(summary, panel))
        }
    }
}

pub(crate) fn file(summary: &Summary) -> String {
    let panels: Vec<&Panel> = drawn(summary).collect();
    let columns = panels.len().clamp(1, COLUMNS);
    let (gap, top) = (12.0, 44.0);
    let below = 24.0 * (summary.lines.len() + 1) as f64;
    let width = columns as f64 * (WIDTH + gap) + gap;
    let plots = panels.len().div_ceil(columns) as f64 * (HEIGHT + gap);
    let height = top + plots + below;
    let picture = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {width} {height}")) width=(width) height=(height) role="img" aria-labelledby="title desc" {
            title id="title" { (summary.experiment.title) }
            desc id="desc" { (summary.experiment.about) }
            style { (PreEscaped(FILE_STYLE)) (PreEscaped(STYLE)) }
            rect.ground width=(width) height=(height) {}
            text.heading x=(gap * 2.0) y="30" { (summary.experiment.title) }
            @for (at, panel) in panels.iter().enumerate() {
                svg.panel x=(gap + (at % columns) as f64 * (WIDTH + gap)) y=(top + (at / columns) as f64 * (HEIGHT + gap)) width=(WIDTH) height=(HEIGHT) {
                    (content(summary, panel))
                }
            }
            @for (at, (class, name)) in legend(summary).into_iter().enumerate() {
                g transform=(format!("translate({} {})", gap * 2.0, top + plots + 12.0 + 24.0 * at as f64)) {
                    (sample(&class))
                    text.key x="54" y="4" { (name) }
                }
            }
        }
    };
    picture.into_string() + "\n"
}

pub(crate) fn drawn(summary: &Summary) -> impl Iterator<Item = &Panel> {
    let panels = summary.panels.iter();
    panels.filter(|panel| !panel.entries.is_empty())
}

/// Class and name of our lines, and of the paper's points if there are any.
pub(crate) fn legend(summary: &Summary) -> Vec<(String, &str)> {
    let lines = summary.lines.iter().enumerate();
    let mut keys: Vec<_> = lines.map(|(at, name)| (class(at), &**name)).collect();
    let mut entries = summary.panels.iter().flat_map(|panel| &panel.entries);
    if entries.any(|entry| entry.published.is_some()) {
        let name = "hollow, in the colour of its line: the paper";
        keys.push(("paper".to_owned(), name));
    }
    keys
}

/// A piece of line, 44 wide, around height 0.
pub(crate) fn sample(class: &str) -> Markup {
    html! {
        @if class == "paper" {
            path.paper.l0 d="M1 0H43" {}
            circle.hollow.l0 cx="22" cy="0" r="3.5" {}
        } @else {
            path class={ "line " (class) } d="M1 0H43" {}
            circle class={ "dot " (class) } cx="22" cy="0" r="3" {}
        }
    }
}

struct Scale {
    first: f64,
    last: f64,
    log: bool,
    top: f64,
}

impl Scale {
    /// With the ticks of the vertical axis, which hold all of a panel.
    fn of(panel: &Panel, first: f64, last: f64) -> (Self, Vec<f64>) {
        let highest = |entry: &Entry| {
            let paper = entry.published.map_or(0.0, |paper| paper.value);
            entry.main().high.max(paper)
        };
        let ticks = ticks(panel.entries.iter().map(highest).fold(0.0, f64::max));
        let scale = Self {
            first,
            last,
            log: first > 0.0 && last > 12.0 * first,
            top: ticks[ticks.len() - 1],
        };
        (scale, ticks)
    }

    fn x(&self, value: f64) -> f64 {
        let scaled = |v: f64| if self.log { v.ln() } else { v };
        let span = scaled(self.last) - scaled(self.first);
        let part = if span > 0.0 {
            (scaled(value) - scaled(self.first)) / span
        } else {
            0.5
        };
        // Some room at both ends, so that whiskers stay off the axis.
        ROOM[0] + 10.0 + part * (WIDTH - ROOM[0] - ROOM[2] - 20.0)
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - ROOM[3] - value / self.top * (HEIGHT - ROOM[1] - ROOM[3])
    }

    fn at(&self, x: f64, y: f64) -> (f64, f64) {
        (self.x(x), self.y(y))
    }
}

fn content(summary: &Summary, panel: &Panel) -> Markup {
    let mut places: Vec<f64> = panel.entries.iter().map(|entry| entry.x).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let (scale, ticks) = Scale::of(panel, places[0], places[places.len() - 1]);
    let base = HEIGHT - ROOM[3];
    let middle = f64::midpoint(ROOM[0], WIDTH - ROOM[2]);
    html! {
        text.name x=(ROOM[0]) y="17" { (panel.name) }
        @for tick in &ticks {
            path.rule d=(format!("M{} {:.1}H{}", ROOM[0], scale.y(*tick), WIDTH - ROOM[2])) {}
            text.end x=(ROOM[0] - 6.0) y=(format!("{:.1}", scale.y(*tick) + 4.0)) { (number(*tick)) }
        }
        @for place in labels(&places, &scale) {
            text.middle x=(format!("{:.1}", scale.x(place))) y=(base + 16.0) { (number(place)) }
        }
        text.middle x=(format!("{middle:.0}")) y=(HEIGHT - 6.0) { (summary.experiment.x_label) }
        text.middle transform=(format!("translate(11 {:.0}) rotate(-90)", f64::midpoint(ROOM[1], base))) { (summary.measure().name()) }
        @for (at, line) in summary.lines.iter().enumerate() {
            (published(summary, panel, line, &class(at), &scale))
        }
        // The first line is the one that matters: it is drawn last, on top.
        @for (at, line) in summary.lines.iter().enumerate().rev() {
            (measured(summary, panel, at, line, &scale))
        }
    }
}

fn labels(places: &[f64], scale: &Scale) -> Vec<f64> {
    let mut kept: Vec<f64> = Vec::new();
    for place in places {
        let room = |last: &f64| scale.x(*place) - scale.x(*last) >= 22.0;
        if kept.last().is_none_or(room) {
            kept.push(*place);
        }
    }
    kept
}

fn published(summary: &Summary, panel: &Panel, line: &str, class: &str, scale: &Scale) -> Markup {
    let Some(curve) = curve(&summary.experiment.name, &panel.name, line) else {
        return html! {};
    };
    let points: Vec<(f64, f64)> = curve
        .points()
        .filter(|(x, y)| (scale.first..=scale.last).contains(x) && *y <= scale.top)
        .collect();
    let word = curve.trust.word();
    html! {
        path class={ "paper " (class) } d=(path(points.iter().map(|(x, y)| scale.at(*x, *y)))) {}
        @for (x, y) in points {
            circle class={ "hollow " (class) } cx=(format!("{:.1}", scale.x(x))) cy=(format!("{:.1}", scale.y(y))) r="3" {
                title { (line) ", the paper (" (word) ") at " (number(x)) ": " (number(y)) }
            }
        }
    }
}

fn measured(summary: &Summary, panel: &Panel, at: usize, line: &str, scale: &Scale) -> Markup {
    let entries = panel.entries.iter().filter(|entry| entry.line == line);
    let points: Vec<(f64, Stat)> = entries.map(|entry| (entry.x, *entry.main())).collect();
    let class = class(at);
    let per_round = summary.experiment.view.is_per_round();
    // Whiskers of several lines would hide each other at the same place.
    let aside = if per_round {
        0.0
    } else {
        (at as f64 - (summary.lines.len() as f64 - 1.0) / 2.0) * 2.5
    };
    html! {
        g transform=(format!("translate({aside} 0)")) {
            @if per_round && points.len() > 1 { path class={ "band " (class) } d=(band(&points, scale)) {} }
            path class={ "line " (class) } d=(path(points.iter().map(|(x, stat)| scale.at(*x, stat.mean)))) {}
            @for (x, stat) in &points {
                @if !per_round || points.len() == 1 {
                    path class={ "whisker " (class) } d=(format!("M{:.1} {:.1}V{:.1}", scale.x(*x), scale.y(stat.low), scale.y(stat.high))) {}
                }
                circle class={ "dot " (class) } cx=(format!("{:.1}", scale.x(*x))) cy=(format!("{:.1}", scale.y(stat.mean))) r="2.8" {
                    title { (line) " at " (number(*x)) ": " (format!("{:.2} [{:.2}, {:.2}]", stat.mean, stat.low, stat.high)) }
                }
            }
        }
    }
}

/// Along the lower ends and back along the upper ones.
fn band(points: &[(f64, Stat)], scale: &Scale) -> String {
    let low = points.iter().map(|(x, stat)| scale.at(*x, stat.low));
    let high = points.iter().rev().map(|(x, stat)| scale.at(*x, stat.high));
    path(low.chain(high)) + "Z"
}
