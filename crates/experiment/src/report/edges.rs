//! Every edge with its verdict.

use fedcdi_core::belief::sigmoid;
use fedcdi_core::{Belief, Dag, Shares, VarId};
use maud::{Markup, html};

use super::content::Content;
use super::reliability::most_trusted;
use super::text::Names;

/// Longer tables are folded.
const FOLD_ABOVE: usize = 12;

/// What the truth says about an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Correct,
    Reversed,
    Extra,
    Missing,
}

impl Verdict {
    pub(super) const ALL: [Self; 4] = [Self::Correct, Self::Reversed, Self::Extra, Self::Missing];

    /// As a word, and as a class of the style sheet.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Correct => "correct",
            Self::Reversed => "reversed",
            Self::Extra => "extra",
            Self::Missing => "missing",
        }
    }

    pub(super) fn explanation(self) -> &'static str {
        match self {
            Self::Correct => "found, and true",
            Self::Reversed => "found, but true the other way round",
            Self::Extra => "found, but not true",
            Self::Missing => "true, but not found",
        }
    }
}

/// An edge that was found or should have been.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub(super) cause: VarId,
    pub(super) effect: VarId,
    pub(super) probability: f64,
    existence: f64,
    orientation: f64,
    /// If the truth is known.
    pub(super) verdict: Option<Verdict>,
}

/// The edges of the graph, likeliest first, then true ones between pairs that it leaves apart.
pub(super) fn edges(dag: &Dag, belief: &Belief, truth: Option<&Dag>) -> Vec<Edge> {
    let edge = |(cause, effect): (VarId, VarId), verdict| {
        let at = (cause.index(), effect.index());
        Edge {
            cause,
            effect,
            probability: belief.probability(cause, effect),
            existence: sigmoid(belief.existence()[at]),
            orientation: sigmoid(belief.orientation()[at]),
            verdict,
        }
    };
    let verdict = |(cause, effect): (VarId, VarId)| {
        let truth = truth?;
        Some(if truth.has_edge(cause, effect) {
            Verdict::Correct
        } else if truth.has_edge(effect, cause) {
            Verdict::Reversed
        } else {
            Verdict::Extra
        })
    };
    let mut all: Vec<Edge> = dag.edges().map(|e| edge(e, verdict(e))).collect();
    all.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    let missing = truth.into_iter().flat_map(|truth| truth.edges());
    let missing = missing.filter(|(cause, effect)| !dag.adjacent(*cause, *effect));
    all.extend(missing.map(|e| edge(e, Some(Verdict::Missing))));
    all
}

/// The edges as a table, folded if it is long.
pub(super) fn edge_table(content: &Content, edges: &[Edge]) -> Markup {
    let names = Names(content.schema);
    let table = html! {
        div.scroll tabindex="0" role="region" aria-label="Edge list" {
            table {
                caption { "Edges, likeliest first" }
                thead { tr {
                    th scope="col" { "cause" }
                    th scope="col" { "effect" }
                    th.number scope="col" { "probability" }
                    th.number scope="col" { "existence" }
                    th.number scope="col" { "orientation" }
                    @if content.shares.is_some() { th scope="col" { "direction decided by" } }
                    @if content.truth.is_some() { th scope="col" { "verdict" } }
                } }
                tbody { @for edge in edges { (row(content, names, edge)) } }
            }
        }
    };
    html! {
        @if edges.is_empty() { p { "There is no edge." } }
        @else { p.hint { "The probability of an edge is that of its existence times that of its orientation." } }
        @if edges.len() > FOLD_ABOVE { details { summary { "Edge list (" (edges.len()) ")" } (table) } }
        @else if !edges.is_empty() { (table) }
    }
}

fn row(content: &Content, names: Names, edge: &Edge) -> Markup {
    html! { tr {
        th scope="row" { (names.of(edge.cause)) }
        td { (names.of(edge.effect)) }
        td.number { (format!("{:.3}", edge.probability)) }
        td.number { (format!("{:.3}", edge.existence)) }
        td.number { (format!("{:.3}", edge.orientation)) }
        @if let Some(shares) = content.shares { td { (decided_by(content, shares, edge)) } }
        @if let Some(verdict) = edge.verdict {
            td { span class={ "verdict " (verdict.name()) } { (verdict.name()) } }
        }
    } }
}

fn decided_by(content: &Content, shares: &Shares, edge: &Edge) -> String {
    let at = (edge.cause.index(), edge.effect.index());
    let Some(place) = most_trusted(&shares.orientation, at) else {
        return "all alike".to_owned();
    };
    let client = content.clients.iter().find(|c| c.share == Some(place));
    let name = client.map_or("", |client| client.name);
    format!("{name} ({:.0} %)", 100.0 * shares.orientation[place][at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_has_one_verdict() {
        // Truth 0 -> 1, 2 -> 1, 0 -> 3; found 0 -> 1, 1 -> 2, 2 -> 3.
        let graph = |edges: &[(usize, usize)]| {
            let edges = edges.iter().map(|(c, e)| (VarId(*c), VarId(*e)));
            Dag::try_from(fedcdi_core::Digraph::from_edges(4, edges)).unwrap()
        };
        let truth = graph(&[(0, 1), (2, 1), (0, 3)]);
        let found = graph(&[(0, 1), (1, 2), (2, 3)]);
        let edges = edges(&found, &Belief::uninformed(4), Some(&truth));
        let verdicts: Vec<_> = edges.iter().map(|e| e.verdict.unwrap()).collect();
        let [correct, reversed, extra, missing] = Verdict::ALL;
        assert_eq!(verdicts, [correct, reversed, extra, missing]);
        assert_eq!((edges[3].cause, edges[3].effect), (VarId(0), VarId(3)));
    }
}
