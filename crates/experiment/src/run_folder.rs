//! The files a run leaves behind.
//!
//! | file | holds |
//! |---|---|
//! | `run.json` | version, settings, data, rounds, scores: everything but the clock |
//! | `belief.csv` | probability, existence and orientation of every ordered pair |
//! | `graph.json`, `graph.csv`, `edges.csv`, `graph.dot`, `graph.graphml`, `graph.dagitty` | the graph |

use std::path::Path;

use fedcdi_data::file_error::FileError;
use fedcdi_data::write::{
    GraphFormat, Overwrite, write_belief, write_folder, write_graph, write_text,
};
use serde::Serialize;

use crate::discover::Found;
use crate::score::Scores;
use crate::spec::DiscoverSpec;

/// The file that marks a folder as a run, and so as one that may be replaced.
pub const RUN: &str = "run.json";

#[derive(Serialize)]
struct RunRecord<'a> {
    fedcdi: &'static str,
    spec: &'a DiscoverSpec,
    data: DataRecord,
    rounds: Vec<RoundEntry>,
    epochs: usize,
    stop_reason: String,
    oriented: bool,
    edges: usize,
    scores: Option<&'a Scores>,
}

#[derive(Serialize)]
struct DataRecord {
    schema_hash: String,
    n_vars: usize,
    n_samples: usize,
    n_observational: usize,
}

#[derive(Serialize)]
struct RoundEntry {
    round: usize,
    largest_move: f64,
    edges: usize,
}

/// Writes the folder of a run, whole or not at all.
///
/// # Errors
/// [`FileError::Exists`] if something else is there and may not be replaced; [`FileError::Io`] if
/// the system fails.
pub fn write_run(
    folder: &Path,
    spec: &DiscoverSpec,
    found: &Found,
    overwrite: Overwrite,
) -> Result<(), FileError> {
    write_folder(folder, RUN, overwrite, |inside| {
        let record = serde_json::to_string_pretty(&record(spec, found));
        let text = record.expect("a record has nothing that JSON lacks") + "\n";
        write_text(&inside.join(RUN), Overwrite::No, &text)?;
        let names = found.data.schema().names();
        write_belief(
            &inside.join("belief.csv"),
            &names,
            &found.belief,
            Overwrite::No,
        )?;
        let graph = found.named_graph();
        for (file, format) in [
            ("graph.json", GraphFormat::Json),
            ("graph.csv", GraphFormat::Adjacency),
            ("edges.csv", GraphFormat::EdgeList),
            ("graph.dot", GraphFormat::Dot),
            ("graph.graphml", GraphFormat::GraphMl),
            ("graph.dagitty", GraphFormat::Dagitty),
        ] {
            write_graph(&inside.join(file), &graph, format, Overwrite::No)?;
        }
        Ok(())
    })
}

fn record<'a>(spec: &'a DiscoverSpec, found: &'a Found) -> RunRecord<'a> {
    let rounds = found.rounds.iter().map(|round| RoundEntry {
        round: round.round + 1,
        largest_move: round.largest_move,
        edges: round.n_edges,
    });
    RunRecord {
        fedcdi: env!("CARGO_PKG_VERSION"),
        spec,
        data: DataRecord {
            schema_hash: found.data.schema().hash().to_string(),
            n_vars: found.data.n_vars(),
            n_samples: found.data.n_samples(),
            n_observational: found.data.observational().len(),
        },
        rounds: rounds.collect(),
        epochs: found.epochs,
        stop_reason: found.stop_reason.to_string(),
        oriented: found.oriented,
        edges: found.dag.n_edges(),
        scores: found.scores.as_ref(),
    }
}
