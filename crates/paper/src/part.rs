//! A part of the experiments: some panels, lines, points. The grids of the paper cost weeks; most
//! questions are about a few of their points.

use std::collections::BTreeSet;

use super::experiment::Point;

/// Which points of the experiments are run; an empty list means all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// Panels by name.
    pub panels: Vec<String>,
    /// Lines by name.
    pub lines: Vec<String>,
    /// Positions on the x axis.
    pub at: Vec<f64>,
}

impl Part {
    pub(crate) fn has(&self, point: &Point) -> bool {
        let named = |names: &[String], name: &str| {
            names.is_empty() || names.iter().any(|n| n.eq_ignore_ascii_case(name))
        };
        let at = self.at.is_empty() || self.at.contains(&point.x);
        at && named(&self.panels, &point.panel) && named(&self.lines, &point.line)
    }

    /// Whether every entry names something in `points`.
    pub(crate) fn check(&self, points: &[&Point]) -> Result<(), UnknownPart> {
        let panels = points.iter().map(|point| point.panel.as_str());
        let lines = points.iter().map(|point| point.line.as_str());
        UnknownPart::find("panel", &self.panels, panels)?;
        UnknownPart::find("line", &self.lines, lines)?;
        let known: BTreeSet<String> = points.iter().map(|p| p.x.to_string()).collect();
        let asked: Vec<String> = self.at.iter().map(f64::to_string).collect();
        UnknownPart::find("point", &asked, known.iter().map(String::as_str))
    }
}

/// The experiments have no such panel, line or point.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("these experiments have no {what} {name:?}; they have {known}")]
pub struct UnknownPart {
    what: &'static str,
    name: String,
    known: String,
}

impl UnknownPart {
    fn find<'a>(
        what: &'static str,
        asked: &[String],
        known: impl Iterator<Item = &'a str>,
    ) -> Result<(), Self> {
        let mut names: Vec<&str> = Vec::new();
        for name in known {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let is_known = |name: &&String| names.iter().any(|n| n.eq_ignore_ascii_case(name));
        let Some(name) = asked.iter().find(|name| !is_known(name)) else {
            return Ok(());
        };
        // In quotes: some names hold commas.
        let known: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
        Err(Self {
            what,
            name: name.clone(),
            known: known.join(", "),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Plan, Size};

    fn jobs(part: Part) -> Result<usize, UnknownPart> {
        let plan = Plan::new(&["clients-dividing"], Size::Quick, 2).unwrap();
        Ok(plan.only(part)?.jobs().len())
    }

    #[test]
    fn a_part_is_what_all_its_lists_name() {
        let all = jobs(Part::default()).unwrap();
        let plan = Plan::new(&["clients-dividing"], Size::Quick, 2).unwrap();
        let first = &plan.experiments[0].points[0];
        let panels = vec![first.panel.to_uppercase()];
        let lines = vec![first.line.clone()];
        let at = vec![first.x];
        let part = Part { panels, lines, at };
        assert_eq!(jobs(part).unwrap(), 2);
        assert!(all > 2);
    }

    #[test]
    fn what_is_not_there_is_named_with_what_is() {
        let part = Part {
            at: vec![0.5],
            ..Part::default()
        };
        let error = jobs(part).unwrap_err().to_string();
        assert!(error.contains("no point \"0.5\"; they have "), "{error}");
        let part = Part {
            panels: vec!["ER-99".into()],
            ..Part::default()
        };
        assert!(jobs(part).unwrap_err().to_string().contains("\"ER-99\""));
    }
}
