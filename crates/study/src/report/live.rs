//! Components for a page about a study that still runs: the graph as it stands, and curves.

use fedcdi_core::graph::confidence;
use fedcdi_core::{Belief, Dag};
use fedcdi_protocol::{RoundRecord, StudyPlan};
use maud::{Markup, html};

use super::curves::{Chart, Line, Role, Unit};
use super::edges::{edge_list, edges};
use super::graph_svg::{Drawing, graph};
use super::repeat::list_of_numbers;
use super::strength::Strength;
use crate::spec::Spec;

/// A graph as a drawing and as a list; nothing if it is not one over the variables of the plan.
///
/// The probabilities take time: see [`confidence`].
pub fn so_far(plan: &StudyPlan, belief: &Belief, dag: &Dag) -> Option<Markup> {
    let schema = plan.outline().ok()?;
    let sizes = [belief.n_vars(), dag.n_vars()];
    if sizes != [schema.n_vars(); 2] {
        return None;
    }
    let likely = confidence(belief, &plan.knowledge.check(&schema).ok()?);
    let strength = Strength::Belief(&likely, belief);
    let edges = edges(dag, strength, None, None);
    let drawing = Drawing::of(&schema, &edges);
    Some(html! {
        (graph(drawing.as_ref(), &edges, strength))
        (edge_list(&schema, strength, &edges))
    })
}

/// Edges, agreement and movement, round by round.
pub fn round_curves(rounds: &[RoundRecord]) -> Markup {
    let line = |name: &str, of: fn(&RoundRecord) -> f64| {
        let values = rounds.iter().map(of).collect();
        vec![Line::new(name.to_owned(), Role::Main, values)]
    };
    let charts = [
        Chart {
            unit: Unit::Measure("bits"),
            title: "Disagreement of the sites per round",
            note: "Mean entropy over ordered pairs of the sites\u{2019} votes on an edge, in bits: 0 if all agree.",
            lines: line("disagreement", |round| round.consensus_entropy),
        },
        Chart {
            unit: Unit::Measure("change"),
            title: "Largest change of a probability per round",
            note: "How far the least settled edge still moved. It is near 0 when the belief is settled.",
            lines: line("change", |round| round.belief_change),
        },
        Chart {
            unit: Unit::Count("edges"),
            title: "Edges per round",
            note: "Edges of the graph after each round.",
            lines: line("edges", |round| round.n_edges as f64),
        },
    ];
    html! {
        div.charts {
            @for (at, chart) in charts.iter().enumerate() { (chart.figure(&format!("chart-{}", at + 1))) }
        }
    }
}

/// What a site sends in each round of a plan.
pub fn in_each_round(plan: &StudyPlan) -> Markup {
    list_of_numbers(&Spec::of_plan(plan), plan.variables.len())
}

#[cfg(test)]
mod tests {
    use fedcdi_core::{Choice, Digraph, KnowledgeFile, RoundParams, SchemaHash, VarId};
    use fedcdi_protocol::{Disclosure, Exchange, Moves, PlannedVariable, VERSION};

    use super::*;

    fn plan(names: [&str; 2]) -> StudyPlan {
        let variable = |name: &str| PlannedVariable {
            name: name.to_owned(),
            n_categories: Some(2),
        };
        StudyPlan {
            protocol: VERSION,
            name: "s".to_owned(),
            sites: vec!["a".to_owned()],
            variables: names.map(variable).into(),
            schema: SchemaHash::from_bytes([0; 32]),
            seed: 0,
            local: Choice::named("enco"),
            rule: Choice::named("naive"),
            exchange: Exchange::default(),
            rounds: RoundParams::default(),
            knowledge: KnowledgeFile::default(),
            disclosure: Disclosure::default(),
            score: None,
            moves: Moves::Ignore,
        }
    }

    #[test]
    fn a_graph_has_its_edges_and_escaped_names() {
        let dag = Dag::try_from(Digraph::from_edges(2, [(VarId(0), VarId(1))])).unwrap();
        let belief = Belief::uninformed(2);
        let page = so_far(&plan(["<i>", "b"]), &belief, &dag).unwrap();
        let page = page.into_string();
        assert!(
            page.contains("&lt;i&gt; \u{2192} b, probability 0.25"),
            "{page}"
        );
        assert!(!page.contains("<i>"));
        assert!(so_far(&plan(["a", "b"]), &Belief::uninformed(3), &dag).is_none());
    }
}
