//! Published curves by experiment, panel and line.

use super::{
    aggregation, dividing, entropy, growing, horizontal, rounds, vertical_10_10, vertical_16_4,
};

/// A point hidden behind another curve.
pub(super) const H: f64 = f64::NAN;

/// How a published number was obtained, and whether to rely on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Printed in the paper.
    Published,
    /// Read off a plot.
    Digitised,
    /// Not to be relied on, and why.
    NotTrustworthy(&'static str),
}

impl Trust {
    /// The word that marks it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Digitised => "digitised",
            Self::NotTrustworthy(_) => "not trustworthy",
        }
    }
}

/// One published number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    /// The number.
    pub value: f64,
    /// Where it comes from.
    pub trust: Trust,
}

/// One line of one panel.
#[derive(Clone, Copy, Debug)]
pub struct Curve {
    /// As our panels are called.
    pub panel: &'static str,
    /// As our lines are called.
    pub line: &'static str,
    x: &'static [f64],
    y: &'static [f64],
    /// Where it comes from.
    pub trust: Trust,
}

pub(super) const fn digitised(
    panel: &'static str,
    line: &'static str,
    x: &'static [f64],
    y: &'static [f64],
) -> Curve {
    Curve {
        panel,
        line,
        x,
        y,
        trust: Trust::Digitised,
    }
}

pub(super) const fn distrusted(
    panel: &'static str,
    line: &'static str,
    x: &'static [f64],
    y: &'static [f64],
    why: &'static str,
) -> Curve {
    Curve {
        panel,
        line,
        x,
        y,
        trust: Trust::NotTrustworthy(why),
    }
}

impl Curve {
    /// The points that can be seen.
    pub fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        let points = self.x.iter().copied().zip(self.y.iter().copied());
        points.filter(|(_, y)| !y.is_nan())
    }

    /// The value at `x`, if there is one.
    pub fn at(&self, x: f64) -> Option<Value> {
        let (_, value) = self.points().find(|(at, _)| *at == x)?;
        let trust = self.trust;
        Some(Value { value, trust })
    }
}

/// The published curves of an experiment.
pub fn curves(experiment: &str) -> &'static [Curve] {
    match experiment {
        "horizontal-data" => horizontal::CURVES,
        "rounds" => rounds::CURVES,
        "aggregation" => aggregation::CURVES,
        "clients-growing" => growing::CURVES,
        "clients-dividing" => dividing::CURVES,
        "vertical-10-10" => vertical_10_10::CURVES,
        "vertical-16-4" => vertical_16_4::CURVES,
        "entropy" => entropy::CURVES,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::experiment::Size;
    use crate::experiments;

    #[test]
    fn every_published_curve_stands_beside_a_line_of_ours() {
        for experiment in experiments::all() {
            let points = experiment.points(Size::Paper, 1);
            let ours: BTreeSet<(&str, &str)> = points
                .iter()
                .map(|point| (&*point.panel, &*point.line))
                .collect();
            for curve in curves(experiment.name) {
                let place = (curve.panel, curve.line);
                assert!(ours.contains(&place), "{} {place:?}", experiment.name);
                assert_eq!(curve.x.len(), curve.y.len(), "{place:?}");
                let seen = curve.points().count();
                assert!(seen > 0, "{place:?}");
            }
        }
    }

    #[test]
    fn hidden_points_have_no_value() {
        let curve = digitised("a", "b", &[1.0, 2.0], &[3.5, H]);
        assert_eq!(curve.at(1.0).map(|value| value.value), Some(3.5));
        assert_eq!(curve.at(2.0), None);
        assert_eq!(curve.at(3.0), None);
    }
}
