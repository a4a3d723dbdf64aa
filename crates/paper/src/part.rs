//! A part of the experiments: some panels, lines, points. The grids of the paper cost weeks; most
//! questions are about a few of their points.

use std::collections::BTreeSet;

use super::experiment::{Point, Unknown};

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

    pub(crate) fn check(&self, points: &[&Point]) -> Result<(), Unknown> {
        let at: Vec<String> = self.at.iter().map(f64::to_string).collect();
        find(
            "panel",
            &self.panels,
            points.iter().map(|p| p.panel.clone()),
        )?;
        find("line", &self.lines, points.iter().map(|p| p.line.clone()))?;
        let places: BTreeSet<String> = points.iter().map(|p| p.x.to_string()).collect();
        find("point", &at, places.into_iter())
    }
}

fn find(what: &str, asked: &[String], known: impl Iterator<Item = String>) -> Result<(), Unknown> {
    let mut names: Vec<String> = Vec::new();
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
    let known = known.join(", ");
    let problem = format!("these experiments have no {what} {name:?}; they have {known}");
    Err(Unknown(problem))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Plan, Size};

    fn jobs(part: Part) -> Result<usize, Unknown> {
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
