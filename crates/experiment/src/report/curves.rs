//! Numbers per round as lines.
//!
//! Written as SVG by hand: `plotters` puts fixed colours into every element and has no place for
//! classes, titles or descriptions, so its pictures could neither follow a dark page nor be read
//! aloud.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::text::short;

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 260.0;
/// Room for ticks and labels: left, top, right, bottom.
const ROOM: [f64; 4] = [52.0, 14.0, 16.0, 42.0];

/// Lines over the same rounds.
pub(super) struct Chart {
    /// What the vertical axis counts.
    unit: &'static str,
    pub(super) title: &'static str,
    note: &'static str,
    /// The last is drawn on top.
    pub(super) lines: Vec<Line>,
}

/// One line.
pub(super) struct Line {
    name: String,
    role: Role,
    /// From round 1 on.
    values: Vec<f64>,
}

/// Whose line it is; each has its own colour and dashes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The run of this page.
    Main,
    /// All rows in one place.
    Together,
    /// A client alone.
    Alone,
}

impl Role {
    fn class(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Together => "together",
            Self::Alone => "alone",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Self::Main => "this run",
            Self::Together => "all rows in one place",
            Self::Alone => "each client alone",
        }
    }
}

impl Line {
    pub(super) fn new(name: String, role: Role, values: Vec<f64>) -> Self {
        Self { name, role, values }
    }
}

impl Chart {
    pub(super) fn new(unit: &'static str, title: &'static str, note: &'static str) -> Self {
        let lines = Vec::new();
        Self {
            unit,
            title,
            note,
            lines,
        }
    }

    /// The picture, its legend, and the numbers as a folded table.
    pub(super) fn figure(&self, id: &str) -> Markup {
        let roles = [Role::Main, Role::Together, Role::Alone];
        let used = |role: &Role| self.lines.iter().any(|line| line.role == *role);
        let used: Vec<Role> = roles.into_iter().filter(used).collect();
        html! {
            figure.chart {
                h3 { (self.title) }
                (self.svg(id))
                @if used.len() > 1 {
                    ul.legend {
                        @for role in used {
                            li {
                                svg.sample viewBox="0 0 44 12" aria-hidden="true" { path class={ "curve " (role.class()) } d="M1 6H43" {} }
                                (role.meaning())
                            }
                        }
                    }
                }
                figcaption { (self.note) }
                (self.table())
            }
        }
    }

    fn n_rounds(&self) -> usize {
        let rounds = self.lines.iter().map(|line| line.values.len());
        rounds.max().unwrap_or(0)
    }

    fn svg(&self, id: &str) -> Markup {
        let values = self.lines.iter().flat_map(|line| &line.values);
        let ticks = ticks(values.copied().fold(0.0, f64::max));
        let top = ticks[ticks.len() - 1];
        let y = |value: f64| HEIGHT - ROOM[3] - value / top * (HEIGHT - ROOM[1] - ROOM[3]);
        let last = self.n_rounds().max(2) as f64;
        let x = |round: usize| {
            ROOM[0] + (round as f64 - 1.0) / (last - 1.0) * (WIDTH - ROOM[0] - ROOM[2])
        };
        let every = self.n_rounds().div_ceil(12).max(1);
        let base = y(0.0);
        html! {
            svg.plot viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-labelledby={ (id) "-title " (id) "-desc" } {
                title id={ (id) "-title" } { (self.title) }
                desc id={ (id) "-desc" } { (self.note) " The numbers are in the table below." }
                @for tick in &ticks {
                    path.grid d=(format!("M{} {:.1}H{}", ROOM[0], y(*tick), WIDTH - ROOM[2])) {}
                    text.end x=(ROOM[0] - 7.0) y=(format!("{:.1}", y(*tick) + 4.0)) { (number(*tick)) }
                }
                @for round in (1..=self.n_rounds()).step_by(every) {
                    text.middle x=(format!("{:.1}", x(round))) y=(base + 18.0) { (round) }
                }
                text.middle x=(format!("{:.0}", f64::midpoint(ROOM[0], WIDTH - ROOM[2]))) y=(HEIGHT - 6.0) { "round" }
                text.middle transform=(format!("translate(13 {:.0}) rotate(-90)", f64::midpoint(ROOM[1], base))) { (self.unit) }
                @for line in &self.lines { (curve(line, &x, &y)) }
            }
        }
    }

    fn table(&self) -> Markup {
        html! {
            details {
                summary { "Numbers" }
                div.scroll tabindex="0" role="region" aria-label=(self.title) {
                    table {
                        caption { (self.title) }
                        thead { tr {
                            th scope="col" { "round" }
                            @for line in self.lines.iter().rev() { th.number scope="col" { (short(&line.name, 40)) } }
                        } }
                        tbody { @for round in 0..self.n_rounds() { tr {
                            th scope="row" { (round + 1) }
                            @for line in self.lines.iter().rev() {
                                td.number { (line.values.get(round).map_or("-".to_owned(), |value| number(*value))) }
                            }
                        } } }
                    }
                }
            }
        }
    }
}

fn curve(line: &Line, x: &impl Fn(usize) -> f64, y: &impl Fn(f64) -> f64) -> Markup {
    let mut d = String::new();
    for (at, value) in line.values.iter().enumerate() {
        let command = if at == 0 { 'M' } else { 'L' };
        let _ = write!(d, "{command}{:.1} {:.1}", x(at + 1), y(*value));
    }
    html! {
        g {
            path class={ "curve " (line.role.class()) } d=(d) { title { (line.name) } }
            @for (at, value) in line.values.iter().enumerate() {
                circle class={ "point " (line.role.class()) } cx=(format!("{:.1}", x(at + 1))) cy=(format!("{:.1}", y(*value))) r=(if line.role == Role::Main { "3.5" } else { "2.5" }) {
                    title { (line.name) ", round " (at + 1) ": " (number(*value)) }
                }
            }
        }
    }
}

/// Whole numbers whole, others with three digits.
pub(crate) fn number(value: f64) -> String {
    if value.fract() == 0.0 {
        format!("{value:.0}")
    } else {
        let text = format!("{value:.3}");
        text.trim_end_matches('0').to_owned()
    }
}

/// Round numbers from 0 to at least `largest`, four to six of them.
pub(crate) fn ticks(largest: f64) -> Vec<f64> {
    if largest <= 0.0 {
        return vec![0.0, 1.0];
    }
    let rough = largest / 4.0;
    let ten = 10f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|step| step * ten);
    let step = steps.into_iter().find(|step| *step >= rough);
    let step = step.unwrap_or(10.0 * ten);
    let n_steps = (largest / step).ceil() as usize;
    (0..=n_steps).map(|at| at as f64 * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_reach_the_largest() {
        assert_eq!(ticks(18.0), [0.0, 5.0, 10.0, 15.0, 20.0]);
        assert_eq!(ticks(4.0), [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(ticks(0.0), [0.0, 1.0]);
        for largest in [1e-6, 0.013, 0.3, 7.0, 41.0, 999.0] {
            let ticks = ticks(largest);
            assert!(ticks[ticks.len() - 1] >= largest && (4..=6).contains(&ticks.len()));
        }
    }

    #[test]
    fn a_chart_of_one_round_has_a_point() {
        let mut chart = Chart::new("edges", "Edges", "Edges per round.");
        chart
            .lines
            .push(Line::new("a <b>".into(), Role::Main, vec![3.0]));
        let text = chart.figure("c").into_string();
        assert!(
            text.contains("<title>a &lt;b&gt;, round 1: 3</title>"),
            "{text}"
        );
        assert!(!text.contains("NaN"));
    }
}
