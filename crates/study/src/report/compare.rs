//! A run beside the same rows without a federation, as a table: edges in common, and scores where the
//! truth is known.

use fedcdi_core::Dag;
use fedcdi_core::graph::GraphScores;
use maud::{Markup, html};

use super::text::{NUMBERS, WORDS, table};

/// A run and its scores.
pub(super) struct Compared<'a> {
    pub(super) name: String,
    pub(super) scores: Option<&'a GraphScores>,
    /// Beside the first of the table.
    pub(super) common: Option<Common>,
}

/// The edges of a graph beside those of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Common {
    n_edges: usize,
    same: usize,
    turned: usize,
}

impl Common {
    /// `dag` beside `first`.
    pub(super) fn of(first: &Dag, dag: &Dag) -> Self {
        let same = dag.edges().filter(|(c, e)| first.has_edge(*c, *e));
        let turned = dag.edges().filter(|(c, e)| first.has_edge(*e, *c));
        Self {
            n_edges: dag.n_edges(),
            same: same.count(),
            turned: turned.count(),
        }
    }

    /// Edges that the first one has nothing for.
    fn only_here(self) -> usize {
        self.n_edges - self.same - self.turned
    }
}

/// The table.
pub(super) fn compare(runs: &[Compared]) -> Markup {
    let is_scored = runs.iter().any(|run| run.scores.is_some());
    let is_common = runs.iter().any(|run| run.common.is_some());
    let mut headings = vec![(WORDS, "run")];
    let mut add = |names: [&'static str; 4]| headings.extend(names.map(|name| (NUMBERS, name)));
    if is_common {
        add(["edges", "in common", "turned", "only here"]);
    }
    if is_scored {
        add(["SHD", "SID", "precision", "recall"]);
    }
    let caption = if is_scored {
        "Compared, and against the truth"
    } else {
        "Compared"
    };
    let rows = html! { @for run in runs { tr {
        th scope="row" { (run.name) }
        @if let Some(common) = run.common {
            @for n in [common.n_edges, common.same, common.turned, common.only_here()] { td.number { (n) } }
        }
        @if let Some(scores) = run.scores {
            td.number { (scores.shd) }
            td.number { (scores.sid.map_or("-".to_owned(), |sid| sid.to_string())) }
            td.number { (format!("{:.3}", scores.precision)) }
            td.number { (format!("{:.3}", scores.recall)) }
        }
    } } };
    html! {
        @if is_common {
            p { "Edges are compared with those of the first row: the same, the same pair turned round, or a pair that the first row leaves unconnected." }
        }
        (table("Comparison", caption, &headings, &rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedcdi_core::{Digraph, VarId};

    #[test]
    fn edges_are_the_same_turned_or_only_here() {
        let dag = |edges: &[(usize, usize)]| {
            let edges = edges.iter().map(|&(c, e)| (VarId(c), VarId(e)));
            Dag::try_from(Digraph::from_edges(4, edges)).unwrap()
        };
        let (first, other) = (dag(&[(0, 1), (1, 2)]), dag(&[(0, 1), (2, 1), (0, 3)]));
        let common = Common::of(&first, &other);
        assert_eq!((common.same, common.turned, common.only_here()), (1, 1, 1));
    }
}
