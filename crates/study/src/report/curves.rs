//! Numbers per round as lines.
//!
//! Written as SVG by hand: `plotters` puts fixed colours into every element and has no place for
//! classes, titles or descriptions, so its pictures could neither follow a dark page nor be read
//! aloud.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::labels::labels;
use super::text::{Heading, LONG, WORDS, count, table};

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 260.0;
/// Room for ticks and labels: left, top, right, bottom.
const ROOM: [f64; 4] = [52.0, 14.0, 16.0, 42.0];

const LONGEST_NAME: usize = 40;

pub(super) struct Chart {
    pub(super) unit: Unit,
    pub(super) title: &'static str,
    pub(super) note: &'static str,
    pub(super) lines: Vec<Line>,
}

#[derive(Clone, Copy)]
pub(super) enum Unit {
    Count(&'static str),
    Measure(&'static str),
}

pub(super) struct Line {
    name: String,
    role: Role,
    values: Vec<f64>,
}

/// Whose line it is; each has its own colour, width and dashes, such that lines and points which
/// lie on each other all remain in sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Main,
    Together,
    Alone,
}

impl Role {
    const ALL: [Self; 3] = [Self::Main, Self::Together, Self::Alone];
    /// From the widest line, at the bottom, to the one that must never be covered.
    const LINES_UPWARDS: [Self; 3] = [Self::Together, Self::Alone, Self::Main];
    /// From the largest point to the smallest.
    const POINTS_UPWARDS: [Self; 3] = [Self::Together, Self::Main, Self::Alone];

    fn look(self) -> (&'static str, &'static str) {
        match self {
            Self::Main => ("main", "4"),
            Self::Together => ("together", "6"),
            Self::Alone => ("alone", "2.2"),
        }
    }

    /// What the legend says of so many lines of the kind.
    fn meaning(self, n_lines: usize) -> String {
        match self {
            Self::Main => "this run".to_owned(),
            Self::Together => "all rows in one place".to_owned(),
            Self::Alone => format!("each site alone ({})", count(n_lines, "line")),
        }
    }
}

impl Line {
    pub(super) fn new(name: String, role: Role, values: Vec<f64>) -> Self {
        Self { name, role, values }
    }
}

impl Chart {
    pub(super) fn figure(&self, id: &str) -> Markup {
        let used = |role: &Role| self.of_role(*role).next().is_some();
        let used: Vec<Role> = Role::ALL.into_iter().filter(used).collect();
        html! {
            figure.chart {
                h3 { (self.title) }
                (self.svg(id))
                @if used.len() > 1 {
                    ul.legend {
                        @for role in used {
                            @let (class, radius) = role.look();
                            li {
                                svg.sample viewBox="0 0 44 12" aria-hidden="true" {
                                    path class={ "curve " (class) } d="M1 6H43" {}
                                    circle class={ "point " (class) } cx="22" cy="6" r=(radius) {}
                                }
                                (role.meaning(self.of_role(role).count()))
                            }
                        }
                    }
                }
                figcaption { (self.note) }
                details { summary { "Numbers" } (self.table()) }
            }
        }
    }

    fn of_role(&self, role: Role) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(move |line| line.role == role)
    }

    fn n_rounds(&self) -> usize {
        let rounds = self.lines.iter().map(|line| line.values.len());
        rounds.max().unwrap_or(0)
    }

    fn svg(&self, id: &str) -> Markup {
        let values = self.lines.iter().flat_map(|line| &line.values);
        let largest = values.copied().fold(0.0, f64::max);
        let (unit, ticks) = match self.unit {
            Unit::Count(name) => (name, whole_ticks(largest)),
            Unit::Measure(name) => (name, ticks(largest)),
        };
        let axes = Axes {
            last: self.n_rounds().max(2) as f64,
            top: ticks[ticks.len() - 1],
        };
        let every = self.n_rounds().div_ceil(12).max(1);
        let base = axes.y(0.0);
        html! {
            svg.plot viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-labelledby={ (id) "-title " (id) "-desc" } {
                title id={ (id) "-title" } { (self.title) }
                desc id={ (id) "-desc" } { (self.note) " The numbers are in the table below." }
                @for tick in &ticks {
                    path.grid d=(format!("M{} {:.1}H{}", ROOM[0], axes.y(*tick), WIDTH - ROOM[2])) {}
                    text.end x=(ROOM[0] - 7.0) y=(format!("{:.1}", axes.y(*tick) + 4.0)) { (number(*tick)) }
                }
                @for round in (1..=self.n_rounds()).step_by(every) {
                    text.middle x=(format!("{:.1}", axes.x(round))) y=(base + 18.0) { (round) }
                }
                text.middle x=(format!("{:.0}", f64::midpoint(ROOM[0], WIDTH - ROOM[2]))) y=(HEIGHT - 6.0) { "round" }
                text.middle transform=(format!("translate(13 {:.0}) rotate(-90)", f64::midpoint(ROOM[1], base))) { (unit) }
                @for role in Role::LINES_UPWARDS { @for line in self.of_role(role) { (curve(line, &axes)) } }
                @for role in Role::POINTS_UPWARDS { @for line in self.of_role(role) { (points(line, &axes)) } }
            }
        }
    }

    fn table(&self) -> Markup {
        let names = self.lines.iter().map(|line| line.name.as_str());
        let names = labels(names, LONGEST_NAME);
        let names = names.iter().map(|name| (LONG, &**name));
        let headings: Vec<Heading> = std::iter::once((WORDS, "round")).chain(names).collect();
        let rows = html! { @for round in 0..self.n_rounds() { tr {
            th scope="row" { (round + 1) }
            @for line in &self.lines {
                td.number { (line.values.get(round).map_or("-".to_owned(), |value| number(*value))) }
            }
        } } };
        table(self.title, self.title, &headings, &rows)
    }
}

struct Axes {
    last: f64,
    top: f64,
}

impl Axes {
    fn x(&self, round: usize) -> f64 {
        ROOM[0] + (round as f64 - 1.0) / (self.last - 1.0) * (WIDTH - ROOM[0] - ROOM[2])
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - ROOM[3] - value / self.top * (HEIGHT - ROOM[1] - ROOM[3])
    }
}

fn curve(line: &Line, axes: &Axes) -> Markup {
    let values = line.values.iter().enumerate();
    let points = values.map(|(at, value)| (axes.x(at + 1), axes.y(*value)));
    html! { path class={ "curve " (line.role.look().0) } d=(path(points)) { title { (line.name) } } }
}

fn points(line: &Line, axes: &Axes) -> Markup {
    let (class, radius) = line.role.look();
    html! {
        @for (at, value) in line.values.iter().enumerate() {
            circle class={ "point " (class) } cx=(format!("{:.1}", axes.x(at + 1))) cy=(format!("{:.1}", axes.y(*value))) r=(radius) {
                title { (line.name) ", round " (at + 1) ": " (number(*value)) }
            }
        }
    }
}

/// Straight lines from point to point, as the `d` of an SVG path.
pub fn path(points: impl Iterator<Item = (f64, f64)>) -> String {
    let mut d = String::new();
    for (at, (x, y)) in points.enumerate() {
        let command = if at == 0 { 'M' } else { 'L' };
        let _ = write!(d, "{command}{x:.1} {y:.1}");
    }
    d
}

/// Whole numbers whole, others with three digits.
pub fn number(value: f64) -> String {
    if value.fract() == 0.0 {
        format!("{value:.0}")
    } else {
        let text = format!("{value:.3}");
        text.trim_end_matches('0').to_owned()
    }
}

/// Round numbers from 0 to at least `largest`, four to six of them.
pub fn ticks(largest: f64) -> Vec<f64> {
    if largest <= 0.0 {
        return vec![0.0, 1.0];
    }
    steps(largest, largest / 4.0, &[1.0, 2.0, 2.5, 5.0])
}

/// The same in whole numbers, at most six of them.
fn whole_ticks(largest: f64) -> Vec<f64> {
    steps(largest, (largest / 5.0).max(1.0), &[1.0, 2.0, 5.0])
}

/// Steps of at least `least`, each a round one times a power of ten.
fn steps(largest: f64, least: f64, round: &[f64]) -> Vec<f64> {
    let ten = 10f64.powf(least.log10().floor());
    let mut steps = round.iter().map(|step| step * ten);
    let step = steps.find(|step| *step >= least).unwrap_or(10.0 * ten);
    let n_steps = (largest / step).ceil().max(1.0) as usize;
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
    fn counts_have_whole_ticks() {
        assert_eq!(whole_ticks(0.0), [0.0, 1.0]);
        assert_eq!(whole_ticks(2.0), [0.0, 1.0, 2.0]);
        assert_eq!(whole_ticks(10.0), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        for largest in 1..2000 {
            let ticks = whole_ticks(f64::from(largest));
            assert!(ticks.iter().all(|tick| tick.fract() == 0.0), "{ticks:?}");
            assert!(ticks[ticks.len() - 1] >= f64::from(largest) && ticks.len() <= 6);
        }
    }

    fn chart(lines: Vec<Line>) -> Chart {
        Chart {
            unit: Unit::Count("SHD"),
            title: "SHD",
            note: "SHD per round.",
            lines,
        }
    }

    /// A run that does as well as all rows in one place and as client 1 alone, and better than 2.
    fn compared() -> Chart {
        let lines = [
            ("federation", Role::Main, 3.0),
            ("all rows in one place", Role::Together, 3.0),
            ("client-1 alone", Role::Alone, 3.0),
            ("client-2 alone", Role::Alone, 5.0),
        ];
        let lines = lines.map(|(name, role, shd)| Line::new(name.into(), role, vec![shd, 0.0]));
        chart(lines.into())
    }

    #[test]
    fn the_numbers_stand_in_the_order_of_the_clients() {
        let text = compared().figure("c").into_string();
        let heads = text
            .split("<th class=\"number long\" scope=\"col\">")
            .skip(1);
        let heads: Vec<&str> = heads.map(|rest| rest.split_once('<').unwrap().0).collect();
        let expected = [
            "federation",
            "all rows in one place",
            "client-1 alone",
            "client-2 alone",
        ];
        assert_eq!(heads, expected);
        let row = "<td class=\"number\">3</td>".repeat(3) + "<td class=\"number\">5</td>";
        assert!(text.contains(&row), "{text}");
    }

    #[test]
    fn what_lies_on_what_is_smaller() {
        let svg = compared().svg("c").into_string();
        let at = |part: &str| svg.find(part).unwrap();
        assert!(at("curve together") < at("curve alone") && at("curve alone") < at("curve main"));
        let mut largest = f64::INFINITY;
        let mut before = 0;
        for role in ["together", "main", "alone"] {
            let place = at(&format!("point {role}"));
            assert!(place > before, "{role}");
            let (_, rest) = svg[place..].split_once(" r=\"").unwrap();
            let radius: f64 = rest.split_once('"').unwrap().0.parse().unwrap();
            assert!(radius < largest, "{role}");
            (largest, before) = (radius, place);
        }
    }

    #[test]
    fn the_legend_names_clients_alone_as_a_group() {
        let text = compared().figure("c").into_string();
        assert!(text.contains("each site alone (2 lines)"), "{text}");
    }

    #[test]
    fn a_chart_of_one_round_has_a_point() {
        let chart = chart(vec![Line::new("a <b>".into(), Role::Main, vec![3.0])]);
        let text = chart.figure("c").into_string();
        assert!(
            text.contains("<title>a &lt;b&gt;, round 1: 3</title>"),
            "{text}"
        );
        assert!(!text.contains("NaN"));
    }
}
