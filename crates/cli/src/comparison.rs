//! What a federation is compared with: the same rows in one place, and every client alone.

use fedcdi_core::Dag;
use fedcdi_core::graph::Confusion;
use serde::Serialize;

use crate::output::Grid;

/// The comparison, as `--json` prints it.
#[derive(Serialize)]
pub(crate) struct CompareRows<'a, S> {
    centralised: CompareRow<'a, S>,
    isolated: Vec<CompareRow<'a, S>>,
    #[serde(skip)]
    n_edges: usize,
}

/// One run beside the federated one.
#[derive(Serialize)]
pub(crate) struct CompareRow<'a, S> {
    /// The client that is alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<&'a str>,
    edges: usize,
    /// Edges that the federated graph has too.
    common: usize,
    /// Edges that it has the other way round.
    turned: usize,
    /// Where the truth is known.
    #[serde(flatten)]
    pub(crate) scores: Option<&'a S>,
}

/// A graph, and its scores if the truth is known.
type Scored<'a, S> = (&'a Dag, Option<&'a S>);

impl<'a, S> CompareRows<'a, S> {
    /// The federated graph beside that of all rows in one place and those of the named clients.
    pub(crate) fn new(
        federated: &Dag,
        centralised: Scored<'a, S>,
        isolated: impl Iterator<Item = (&'a str, Scored<'a, S>)>,
    ) -> Self {
        let row = |client, (dag, scores): Scored<'a, S>| {
            let shared = Confusion::of(federated, dag);
            CompareRow {
                client,
                edges: dag.n_edges(),
                common: shared.true_positives,
                turned: shared.reversed,
                scores,
            }
        };
        Self {
            centralised: row(None, centralised),
            isolated: isolated
                .map(|(client, scored)| row(Some(client), scored))
                .collect(),
            n_edges: federated.n_edges(),
        }
    }

    /// The rows with what they are called.
    pub(crate) fn named(&self) -> impl Iterator<Item = (String, &CompareRow<'a, S>)> {
        let alone = |row: &CompareRow<'a, S>| format!("{} alone", row.client.unwrap_or_default());
        let isolated = self.isolated.iter().map(move |row| (alone(row), row));
        std::iter::once(("all rows in one place".to_owned(), &self.centralised)).chain(isolated)
    }

    /// Where no truth is known: how much of the federated graph is found without the federation.
    pub(crate) fn common_text(&self, federated: &str) -> String {
        let mut grid = Grid::new(["without a known truth", "edges", "in common", "turned"]);
        let mut line = |name: String, counts: [usize; 3]| {
            let [edges, common, turned] = counts.map(|n| n.to_string());
            grid.row([name, edges, common, turned]);
        };
        line(federated.to_owned(), [self.n_edges, self.n_edges, 0]);
        for (name, row) in self.named() {
            line(name, [row.edges, row.common, row.turned]);
        }
        grid.render()
    }
}

#[cfg(test)]
mod tests {
    use fedcdi_core::{Digraph, VarId};

    use super::*;

    fn dag(edges: &[(usize, usize)]) -> Dag {
        let edges = edges.iter().map(|&(a, b)| (VarId(a), VarId(b)));
        Dag::try_from(Digraph::from_edges(3, edges)).unwrap()
    }

    #[test]
    fn graphs_are_compared_with_the_federated_one() {
        let [federated, central, alone] = [
            dag(&[(0, 1), (1, 2)]),
            dag(&[(0, 1), (2, 1)]),
            dag(&[(0, 2)]),
        ];
        let unknown: Option<&()> = None;
        let clients = std::iter::once(("a", (&alone, unknown)));
        let rows = CompareRows::new(&federated, (&central, unknown), clients);
        let counts = |row: &CompareRow<'_, ()>| (row.edges, row.common, row.turned);
        let found: Vec<_> = rows.named().map(|(_, row)| counts(row)).collect();
        assert_eq!(found, [(2, 1, 1), (1, 0, 0)]);
        let text = rows.common_text("federated");
        assert!(text.contains("a alone"), "{text}");
    }
}
