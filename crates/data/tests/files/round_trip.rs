//! What is written is read back exactly, whatever the names and labels.

use crate::strategies;

use std::path::Path;
use std::sync::Arc;

use fedcdi_core::{Belief, Digraph, VarId};
use fedcdi_data::NamedGraph;
use fedcdi_data::read::{RealColumns, TableOptions, read_belief, read_bif, read_graph, read_table};
use fedcdi_data::write::{
    GraphFormat, Overwrite, write_belief, write_bif, write_graph, write_table,
};
use ndarray::Array2;
use proptest::prelude::*;

fn in_folder<T>(name: &str, run: impl FnOnce(&Path) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    run(&folder.path().join(name))
}

fn graph() -> impl Strategy<Value = NamedGraph> {
    (1..6usize).prop_flat_map(|n| {
        let edges = prop::collection::vec((0..n, 0..n, 0.0..=1.0f64), 0..8);
        (strategies::names(n), edges, any::<bool>()).prop_map(move |(names, edges, certain)| {
            let mut graph = Digraph::empty(n);
            let mut probability = Array2::zeros((n, n));
            for (cause, effect, p) in edges.into_iter().filter(|(c, e, _)| c != e) {
                graph.add_edge(VarId(cause), VarId(effect));
                probability[(cause, effect)] = p;
            }
            let certain = certain || graph.n_edges() == 0;
            let mut named = NamedGraph::new(names, graph).unwrap();
            named.probability = (!certain).then_some(probability);
            named
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn csv_with_its_schema(table in strategies::table()) {
        let read = in_folder("t.csv", |path| {
            let options = TableOptions::with_schema(Arc::clone(table.schema()));
            write_table(path, &table, None, &options, Overwrite::No).unwrap();
            read_table(path, &options).unwrap().dataset
        });
        prop_assert_eq!(read, table);
    }

    #[test]
    fn csv_without_schema_is_the_same_table_or_a_loud_refusal(table in strategies::table()) {
        let (read, again) = in_folder("t.csv", |path| {
            // Reals are never guessed.
            let variables = table.schema().variables().iter().filter(|v| v.is_real());
            let options = TableOptions {
                real: RealColumns::Named(variables.map(|v| v.name.clone()).collect()),
                ..TableOptions::default()
            };
            write_table(path, &table, None, &options, Overwrite::No).unwrap();
            let same = TableOptions::with_schema(Arc::clone(table.schema()));
            let read = |options: &TableOptions| read_table(path, options).map(|t| t.dataset);
            (read(&options), read(&same))
        });
        prop_assert_eq!(again.unwrap(), table.clone());
        match read {
            Ok(read) => prop_assert_eq!(read.recode(table.schema()).unwrap(), table),
            Err(error) => prop_assert!(error.to_string().contains("the value is missing"), "{error}"),
        }
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn parquet_by_itself(table in strategies::table()) {
        let options = TableOptions::default();
        let (read, same) = in_folder("t.parquet", |path| {
            write_table(path, &table, None, &options, Overwrite::No).unwrap();
            // Different bytes would be refused.
            let same = write_table(path, &table, None, &options, Overwrite::No).is_ok();
            (read_table(path, &options).unwrap().dataset, same)
        });
        prop_assert!(same);
        prop_assert_eq!(read, table);
    }

    #[test]
    fn npz_with_its_graph(table in strategies::archive_table(), keep_graph in any::<bool>()) {
        let n = table.n_vars();
        let chain = Digraph::from_edges(n, (1..n).map(|v| (VarId(v), VarId(v - 1))));
        let truth = keep_graph.then_some(&chain);
        let (read, same) = in_folder("t.npz", |path| {
            write_table(path, &table, truth, &TableOptions::default(), Overwrite::No).unwrap();
            let same = write_table(path, &table, truth, &TableOptions::default(), Overwrite::No).is_ok();
            (read_table(path, &TableOptions::default()).unwrap(), same)
        });
        prop_assert!(same);
        prop_assert_eq!(read.dataset, table);
        prop_assert_eq!(read.truth.as_deref(), truth);
    }

    #[test]
    fn bif(network in strategies::network()) {
        let read = in_folder("n.bif", |path| {
            write_bif(path, &network, Overwrite::No).unwrap();
            read_bif(path).unwrap()
        });
        prop_assert_eq!(read, network);
    }

    #[test]
    fn graphs_as_json(graph in graph()) {
        let read = in_folder("g.json", |path| {
            write_graph(path, &graph, GraphFormat::Json, Overwrite::No).unwrap();
            read_graph(path).unwrap()
        });
        prop_assert_eq!(read, graph);
    }

    #[test]
    fn graphs_as_edge_list_up_to_the_order_of_variables(graph in graph()) {
        let read = in_folder("g.csv", |path| {
            write_graph(path, &graph, GraphFormat::EdgeList, Overwrite::No).unwrap();
            read_graph(path).unwrap()
        });
        prop_assert_eq!(read.aligned_to(&graph.names).unwrap(), graph);
    }

    #[test]
    fn graphs_as_matrix_without_probabilities(graph in graph()) {
        let read = in_folder("g.csv", |path| {
            write_graph(path, &graph, GraphFormat::Adjacency, Overwrite::No).unwrap();
            read_graph(path).unwrap()
        });
        prop_assert_eq!(read, NamedGraph { probability: None, ..graph });
    }

    #[test]
    fn other_graph_formats_write_or_name_what_they_cannot_express(graph in graph()) {
        for format in [GraphFormat::GraphMl, GraphFormat::Dot, GraphFormat::Dagitty] {
            let result = in_folder("g.txt", |path| write_graph(path, &graph, format, Overwrite::No));
            if let Err(error) = result {
                prop_assert!(error.to_string().contains("cannot express"), "{error}");
            }
        }
    }

    #[test]
    fn beliefs(logits in prop::collection::vec((-9.0..9.0f64, -9.0..9.0f64), 12), names in strategies::names(4)) {
        let mut existence = Array2::zeros((4, 4));
        let mut orientation = Array2::zeros((4, 4));
        let pairs = (0..16).map(|k| (k / 4, k % 4)).filter(|(i, j)| i != j);
        for ((i, j), (gamma, theta)) in pairs.zip(logits) {
            existence[(i, j)] = gamma;
            orientation[(i, j)] = theta;
            orientation[(j, i)] = -theta;
        }
        let belief = Belief::new(existence, orientation).unwrap();
        let read = in_folder("belief.csv", |path| {
            write_belief(path, &names, &belief, Overwrite::No).unwrap();
            read_belief(path).unwrap()
        });
        prop_assert_eq!(read, (names, belief));
    }
}
