//! Every edge with its verdict.

use std::collections::BTreeMap;

use fedcdi_core::{Cpdag, Dag, Schema, VarId};
use fedcdi_protocol::rules::Shares;
use maud::{Markup, html};

use super::content::Content;
use super::deciders::{Deciders, shares_at};
use super::strength::{Strength, Words};
use super::text::{Heading, NUMBERS, WORDS, table};

const FOLD_ABOVE: usize = 12;

/// Gains of edges, in nats.
type Gains = BTreeMap<(VarId, VarId), f64>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Correct,
    Reversed,
    Extra,
    Missing,
}

impl Verdict {
    pub(super) const ALL: [Self; 4] = [Self::Correct, Self::Reversed, Self::Extra, Self::Missing];

    pub(super) fn name(self) -> &'static str {
        self.words().0
    }

    pub(super) fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Correct => ("correct", "found, and true"),
            Self::Reversed => ("reversed", "found, but true the other way round"),
            Self::Extra => ("extra", "found, but not true"),
            Self::Missing => ("missing", "true, but not found"),
        }
    }
}

/// An edge that was found or should have been.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub(super) cause: VarId,
    pub(super) effect: VarId,
    pub(super) strength: f64,
    pub(super) title: Option<String>,
    cells: Vec<String>,
    pub(super) open: bool,
    pub(super) verdict: Option<Verdict>,
}

/// The edges of the graph, strongest first, then true ones between pairs that it leaves apart.
pub(super) fn edges(
    dag: &Dag,
    strength: Strength,
    class: Option<&Cpdag>,
    truth: Option<&Dag>,
) -> Vec<Edge> {
    let edge = |(cause, effect): (VarId, VarId), verdict| {
        let found = dag.has_edge(cause, effect);
        let open = found && class.is_some_and(|class| !class.has_directed(cause, effect));
        Edge {
            cause,
            effect,
            strength: if open {
                strength.of_either(cause, effect)
            } else {
                strength.of(cause, effect)
            },
            title: strength.title(cause, effect, open),
            cells: strength.cells(cause, effect, open),
            open,
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
    all.sort_by(|a, b| b.strength.total_cmp(&a.strength));
    let missing = truth.into_iter().flat_map(|truth| truth.edges());
    let missing = missing.filter(|(cause, effect)| !dag.adjacent(*cause, *effect));
    all.extend(missing.map(|e| edge(e, Some(Verdict::Missing))));
    all
}

pub(super) fn edge_table(content: &Content, edges: &[Edge]) -> Markup {
    let any_open = edges.iter().any(|edge| edge.open);
    let words = content.strength.words();
    let numbers = content.strength.headings().into_iter();
    let mut headings: Vec<Heading> = vec![(WORDS, "cause"), (WORDS, "effect")];
    headings.extend(numbers.map(|heading| (NUMBERS, heading)));
    let gains = content.run.gains();
    headings.extend((!gains.is_empty()).then_some((NUMBERS, "gain in nats")));
    let known = content.known();
    if known.is_some() {
        headings.push((Some("long"), "direction known from"));
    } else {
        headings.extend(any_open.then_some((WORDS, "direction")));
    }
    headings.extend((content.shares()).map(|_| (Some("long"), "direction decided by")));
    headings.extend(content.truth().map(|_| (WORDS, "verdict")));
    let caption = html! { "Edges" @if let Some(words) = &words { ", " (words.first) } };
    let open = |edge: &Edge| match known {
        Some(known) => {
            let sentence = known.get(&(edge.cause, edge.effect));
            Some(sentence.map_or("", String::as_str))
        }
        None => any_open.then_some(if edge.open { "open" } else { "" }),
    };
    let rows = html! { @for edge in edges { (row(content, edge, &gains, open(edge))) } };
    let table = table("Edge list", caption, &headings, &rows);
    html! {
        (meaning(edges, words.as_ref()))
        @if !gains.is_empty() { p.hint { "The gain of an edge is what the score of all rows loses without it, in nats: each nat multiplies the odds of the edge by 2.7." } }
        @if any_open { p.hint { "Where the direction is open, the data fit both directions. The graph listed is one of several that fit equally well." } }
        (folded(edges, &table))
    }
}

/// The edges alone, with what is known of each.
pub(super) fn edge_list(schema: &Schema, strength: Strength, edges: &[Edge]) -> Markup {
    let words = strength.words();
    let numbers = strength.headings().into_iter();
    let mut headings: Vec<Heading> = vec![(WORDS, "cause"), (WORDS, "effect")];
    headings.extend(numbers.map(|heading| (NUMBERS, heading)));
    let caption = html! { "Edges" @if let Some(words) = &words { ", " (words.first) } };
    let rows = html! { @for edge in edges { tr {
        th scope="row" { (schema.name(edge.cause)) }
        td { (schema.name(edge.effect)) }
        @for cell in &edge.cells { td.number { (cell) } }
    } } };
    let table = table("Edge list", caption, &headings, &rows);
    html! { (meaning(edges, words.as_ref())) (folded(edges, &table)) }
}

fn meaning(edges: &[Edge], words: Option<&Words>) -> Markup {
    html! {
        @if edges.is_empty() { p { "There is no edge." } }
        @else if let Some(words) = words { p.hint { (words.meaning) } }
    }
}

/// A long table is opened by those who want it.
fn folded(edges: &[Edge], table: &Markup) -> Markup {
    html! {
        @if edges.len() > FOLD_ABOVE { details { summary { "Edge list (" (tally(edges)) ")" } (table) } }
        @else if !edges.is_empty() { (table) }
    }
}

/// `256 found, 179 missed`; without a truth nothing can be missed.
fn tally(edges: &[Edge]) -> String {
    let is_missing = |edge: &&Edge| edge.verdict == Some(Verdict::Missing);
    let n_missing = edges.iter().filter(is_missing).count();
    let found = edges.len() - n_missing;
    if edges.iter().all(|edge| edge.verdict.is_none()) {
        return format!("{found} found");
    }
    format!("{found} found, {n_missing} missed")
}

fn row(content: &Content, edge: &Edge, gains: &Gains, direction: Option<&str>) -> Markup {
    let name = |var| content.run.schema.name(var);
    let gain = gains.get(&(edge.cause, edge.effect));
    let gain = gain.map_or_else(String::new, |gain| format!("{gain:.1}"));
    html! { tr {
        th scope="row" { (name(edge.cause)) }
        td { (name(edge.effect)) }
        @for cell in &edge.cells { td.number { (cell) } }
        @if !gains.is_empty() { td.number { (gain) } }
        @if let Some(direction) = direction { td { (direction) } }
        @if let Some(shares) = content.shares() { td { (decided_by(content, shares, edge)) } }
        @if let Some(verdict) = edge.verdict {
            td { span class={ "verdict " (verdict.name()) } { (verdict.name()) } }
        }
    } }
}

fn decided_by(content: &Content, shares: &Shares, edge: &Edge) -> String {
    let at = (edge.cause.index(), edge.effect.index());
    let name = |place: usize| {
        let site = content.run.sites.iter().find(|s| s.share == Some(place));
        site.map_or("", |site| &site.name)
    };
    let shares = shares_at(&shares.orientation, at);
    Deciders::of(&shares).in_words(&shares, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Over four variables.
    fn graph(edges: &[(usize, usize)]) -> Dag {
        let edges = edges.iter().map(|(c, e)| (VarId(*c), VarId(*e)));
        Dag::try_from(fedcdi_core::Digraph::from_edges(4, edges)).unwrap()
    }

    #[test]
    fn each_pair_has_one_verdict() {
        // Truth 0 -> 1, 2 -> 1, 0 -> 3; found 0 -> 1, 1 -> 2, 2 -> 3.
        let truth = graph(&[(0, 1), (2, 1), (0, 3)]);
        let found = graph(&[(0, 1), (1, 2), (2, 3)]);
        let edges = edges(&found, Strength::Unknown, None, Some(&truth));
        let verdicts: Vec<_> = edges.iter().map(|e| e.verdict.unwrap()).collect();
        let [correct, reversed, extra, missing] = Verdict::ALL;
        assert_eq!(verdicts, [correct, reversed, extra, missing]);
        assert_eq!((edges[3].cause, edges[3].effect), (VarId(0), VarId(3)));
    }

    #[test]
    fn missed_edges_are_counted_apart() {
        // Of 0 -> 1, 0 -> 3, 1 -> 3 one is found the other way round and two are not.
        let truth = graph(&[(0, 1), (0, 3), (1, 3)]);
        let found = graph(&[(1, 0), (1, 2)]);
        let tally_with =
            |truth: Option<&Dag>| tally(&edges(&found, Strength::Unknown, None, truth));
        assert_eq!(tally_with(Some(&truth)), "2 found, 2 missed");
        assert_eq!(tally_with(None), "2 found");
    }

    #[test]
    fn what_the_class_leaves_open_is_marked() {
        // 0 -> 1 -> 2 without interventions: all of it may be turned; with one on 1, nothing.
        let pairs = [(VarId(0), VarId(1)), (VarId(1), VarId(2))];
        let chain = Dag::try_from(fedcdi_core::Digraph::from_edges(3, pairs)).unwrap();
        let open = |class: &Cpdag| {
            let edges = edges(&chain, Strength::Unknown, Some(class), None);
            edges.iter().filter(|edge| edge.open).count()
        };
        assert_eq!(open(&Cpdag::of(&chain)), 2);
        let target = fedcdi_core::VarSet::from_members(3, [VarId(1)]);
        assert_eq!(open(&Cpdag::interventional(&chain, &[target])), 0);
    }
}
