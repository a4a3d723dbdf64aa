//! Linear NOTEARS on a table of real numbers; prints the result as one JSON object.
//!
//! `cargo run --release -p fedcdi-rivals --example notears -- table.csv`
//!
//! The table is described in `real_table`.

mod real_table;

use std::error::Error;
use std::time::Instant;

use fedcdi_core::{Seed, VarId};
use fedcdi_rivals::Rival;
use fedcdi_rivals::notears::NotearsParams;
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let samples = real_table::read()?;
    let start = Instant::now();
    let fit = NotearsParams::default().find(&[samples], Seed::new(0), None)?;
    let seconds = start.elapsed().as_secs_f64();
    let pair = |(a, b): (VarId, VarId)| [a.index(), b.index()];
    let edges: Vec<_> = fit.dag.edges().map(pair).collect();
    let result = json!({
        "edges": edges,
        "stop_reason": fit.ending.to_string(),
        "seconds": seconds,
    });
    println!("{result}");
    Ok(())
}
