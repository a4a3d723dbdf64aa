//! From round to round: SHD, or edges where the truth is unknown, and how far the sites disagree.

use fedcdi_protocol::RoundRecord;
use maud::{Markup, html};

use super::content::Content;
use super::curves::{Chart, Line, Unit};
use crate::result::RunResult;

pub(super) fn rounds(content: &Content) -> Option<Markup> {
    content.run.belief()?;
    let charts = [first(content), second(content)];
    Some(html! {
        div.charts {
            @for (at, chart) in charts.iter().enumerate() { (chart.figure(&format!("chart-{}", at + 1))) }
        }
    })
}

fn first(content: &Content) -> Chart {
    let lines = |of: fn(&RunResult) -> Option<Vec<f64>>| -> Vec<Line> {
        let line = |(name, role, run)| Some(Line::new(name, role, of(run)?));
        content.runs().into_iter().filter_map(line).collect()
    };
    let shd = |run: &RunResult| {
        let shd = run.shd_per_round()?;
        Some(shd.into_iter().map(|shd| shd as f64).collect())
    };
    if content.truth().is_some() {
        return Chart {
            unit: Unit::Count("SHD"),
            title: "SHD per round",
            note: "Edges to add, remove or turn around until the graph is the true one. Lower is better, 0 is perfect.",
            lines: lines(shd),
        };
    }
    Chart {
        unit: Unit::Count("edges"),
        title: "Edges per round",
        note: "Edges of the graph after each round.",
        lines: lines(|run| Some(per_round(run, |round| round.n_edges as f64))),
    }
}

/// How far the sites disagree; on one table, how far the belief still moves.
fn second(content: &Content) -> Chart {
    let values = |of| {
        let (name, role, run) = content.runs().swap_remove(0);
        vec![Line::new(name, role, per_round(run, of))]
    };
    if content.run.is_federation() {
        return Chart {
            unit: Unit::Measure("bits"),
            title: "Disagreement of the sites per round",
            note: "Mean entropy over ordered pairs of the sites\u{2019} votes on an edge, in bits: 0 if all agree.",
            lines: values(|round| round.consensus_entropy),
        };
    }
    Chart {
        unit: Unit::Measure("change"),
        title: "Largest change of a probability per round",
        note: "How far the least settled edge still moved; near 0 when settled.",
        lines: values(|round| round.belief_change),
    }
}

fn per_round(run: &RunResult, of: fn(&RoundRecord) -> f64) -> Vec<f64> {
    run.rounds().iter().map(of).collect()
}
