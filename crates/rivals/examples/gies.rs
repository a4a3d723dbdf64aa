//! GIES with Gaussian BIC on a table of real numbers; prints the result as one JSON object.
//!
//! `cargo run --release -p fedcdi-learn --example gies -- table.csv`
//!
//! The table is described in `real_table`.

mod real_table;

use std::error::Error;
use std::time::Instant;

use fedcdi_core::VarId;
use fedcdi_learn::independence::target_sets;
use fedcdi_learn::score::{GaussianBic, Penalty};
use fedcdi_rivals::gies::search;
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let samples = real_table::read()?;
    let start = Instant::now();
    let score = GaussianBic::new(&samples, Penalty::Bic)?;
    let fit = search(&score, &target_sets(&samples), samples.n_vars(), None);
    let seconds = start.elapsed().as_secs_f64();
    let pair = |(a, b): (VarId, VarId)| [a.index(), b.index()];
    let directed: Vec<_> = fit.class.directed().edges().map(pair).collect();
    let undirected: Vec<_> = fit.class.undirected_edges().map(pair).collect();
    let result = json!({
        "score": fit.score,
        "directed": directed,
        "undirected": undirected,
        "moves": fit.moves.len(),
        "stop_reason": fit.stop_reason.to_string(),
        "seconds": seconds,
    });
    println!("{result}");
    Ok(())
}
