//! Numbers of the paper, from `published.toml`, which also says where they come from.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

static PUBLISHED: LazyLock<Published> = LazyLock::new(|| {
    toml::from_str(include_str!("../published.toml")).expect("a test reads this file")
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Published {
    table: Vec<Row>,
    figure: Vec<Figure>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    pub(crate) method: String,
    /// Our row of the same method.
    pub(crate) line: String,
    pub(crate) values: BTreeMap<String, (f64, f64)>,
    doubt: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Figure {
    experiment: String,
    /// The axis of all panels that have none of their own.
    #[serde(default)]
    x: Vec<f64>,
    /// Why not to rely on a line, by its name.
    #[serde(default)]
    doubts: BTreeMap<String, String>,
    panel: Vec<Panel>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Panel {
    name: String,
    x: Option<Vec<f64>>,
    /// By name; a hidden point is not a number.
    lines: BTreeMap<String, Vec<f64>>,
}

/// How a published number was obtained, and whether to rely on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    Published,
    Digitised,
    /// Not to be relied on, and why.
    NotTrustworthy(&'static str),
}

impl Trust {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Digitised => "digitised",
            Self::NotTrustworthy(_) => "not trustworthy",
        }
    }

    pub(crate) fn doubt(self) -> Option<&'static str> {
        match self {
            Self::Published | Self::Digitised => None,
            Self::NotTrustworthy(why) => Some(why),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Value {
    pub(crate) value: f64,
    pub(crate) trust: Trust,
}

pub(crate) struct Curve {
    x: &'static [f64],
    y: &'static [f64],
    pub(crate) trust: Trust,
}

impl Row {
    pub(crate) fn trust(&'static self) -> Trust {
        let doubt = self.doubt.as_deref();
        doubt.map_or(Trust::Published, Trust::NotTrustworthy)
    }
}

impl Curve {
    pub(crate) fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        let points = self.x.iter().copied().zip(self.y.iter().copied());
        points.filter(|(_, y)| !y.is_nan())
    }

    pub(crate) fn at(&self, x: f64) -> Option<Value> {
        let (_, value) = self.points().find(|(at, _)| *at == x)?;
        let trust = self.trust;
        Some(Value { value, trust })
    }
}

pub(crate) fn table() -> &'static [Row] {
    &PUBLISHED.table
}

pub(crate) fn curve(experiment: &str, panel: &str, line: &str) -> Option<Curve> {
    let mut figures = PUBLISHED.figure.iter();
    let figure = figures.find(|figure| figure.experiment == experiment)?;
    let panel = figure.panel.iter().find(|known| known.name == panel)?;
    let doubt = figure.doubts.get(line);
    Some(Curve {
        x: panel.x.as_ref().unwrap_or(&figure.x),
        y: panel.lines.get(line)?,
        trust: doubt.map_or(Trust::Digitised, |why| Trust::NotTrustworthy(why)),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::experiment::{Point, Size};
    use crate::experiments::named;

    #[test]
    fn every_published_curve_stands_beside_a_line_of_ours() {
        for figure in &PUBLISHED.figure {
            let points = named(&figure.experiment).unwrap().points(Size::Paper, 1);
            let ours: BTreeSet<(&str, &str)> = points
                .iter()
                .map(|point| (&*point.panel, &*point.line))
                .collect();
            for panel in &figure.panel {
                for line in panel.lines.keys() {
                    let place = (&*panel.name, &**line);
                    assert!(ours.contains(&place), "{} {place:?}", figure.experiment);
                    let curve = curve(&figure.experiment, place.0, place.1).unwrap();
                    assert_eq!(curve.x.len(), curve.y.len(), "{place:?}");
                    assert!(curve.points().count() > 0, "{place:?}");
                }
            }
        }
    }

    #[test]
    fn every_row_of_the_table_stands_beside_a_row_of_ours() {
        let points = named("table").unwrap().points(Size::Paper, 1);
        for row in table() {
            assert_eq!(row.values.len(), 7, "{}", row.method);
            for column in row.values.keys() {
                let has = |p: &Point| p.panel == *column && p.line == row.line;
                assert!(points.iter().any(has), "{} {column}", row.line);
            }
        }
    }

    #[test]
    fn numbers_are_found_by_their_place() {
        // Figure 2, ER-1, one client alone: 38.4 at 2 rows; the point at 18 rows is hidden.
        let curve = curve("horizontal-data", "ER-1", "isolated").unwrap();
        let value = |x| curve.at(x).map(|at| (at.value, at.trust));
        assert_eq!(value(2.0), Some((38.4, Trust::Digitised)));
        assert_eq!(value(18.0), None);
        assert_eq!(value(3.0), None);
        assert_eq!(table()[7].values["alarm"], (8.0, 3.1));
    }
}
