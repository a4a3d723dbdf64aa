//! A graph as CSV: matrix or edge list.

use csv::WriterBuilder;
use ndarray::Array2;

use crate::named_graph::NamedGraph;

/// 1 where the row's variable causes the column's.
pub(super) fn format_adjacency(graph: &NamedGraph) -> String {
    format_matrix(&graph.names, &graph.graph.adjacency(), ToString::to_string)
}

/// Causes in rows, effects in columns.
pub(super) fn format_matrix<T>(
    names: &[String],
    matrix: &Array2<T>,
    cell: impl Fn(&T) -> String,
) -> String {
    let mut records = vec![vec![String::new()]];
    records[0].extend(names.iter().cloned());
    for (name, row) in names.iter().zip(matrix.rows()) {
        let mut record = vec![name.clone()];
        record.extend(row.iter().map(&cell));
        records.push(record);
    }
    to_text(&records)
}

/// One row per edge; a variable without edges has a row without effect. Where directions are open, a
/// column says which; where edges have gains, another has them.
pub(super) fn format_edge_list(graph: &NamedGraph) -> String {
    let mut header = vec!["cause".to_owned(), "effect".to_owned()];
    let has_probability = graph.probability.is_some();
    if has_probability {
        header.push("probability".to_owned());
    }
    let has_open = !graph.open.is_empty();
    if has_open {
        header.push("directed".to_owned());
    }
    let has_gains = !graph.gains.is_empty();
    if has_gains {
        header.push("gain".to_owned());
    }
    let n_columns = header.len();
    let mut records = vec![header];
    for (cause, effect) in graph.graph.edges() {
        let names = [cause, effect].map(|var| graph.names[var.index()].clone());
        let mut record = Vec::from(names);
        let probability = graph.edge_probability(cause, effect);
        record.extend(probability.map(|p| format!("{p:?}")));
        record.extend(has_open.then(|| u8::from(!graph.is_open(cause, effect)).to_string()));
        if has_gains {
            let gain = graph.gain(cause, effect);
            record.push(gain.map_or_else(String::new, |gain| format!("{gain:?}")));
        }
        records.push(record);
    }
    for var in graph.graph.vars() {
        let alone = graph.graph.parents(var).is_empty() && graph.graph.children(var).is_empty();
        if alone {
            let mut record = vec![String::new(); n_columns];
            record[0].clone_from(&graph.names[var.index()]);
            records.push(record);
        }
    }
    to_text(&records)
}

/// Records that are equally long.
pub(in crate::write) fn to_text(records: &[Vec<String>]) -> String {
    let mut writer = WriterBuilder::new().from_writer(Vec::new());
    for record in records {
        writer
            .write_record(record)
            .expect("records are equally long, and memory does not fail");
    }
    let bytes = writer.into_inner().expect("memory does not fail");
    String::from_utf8(bytes).expect("names and numbers are text")
}
