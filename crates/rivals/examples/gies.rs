//! GIES with Gaussian BIC on a table of real numbers; prints the result as one JSON object.
//!
//! `cargo run --release -p fedcdi-rivals --example gies -- table.csv`
//!
//! The table is described in `real_table`.

mod real_table;

use std::error::Error;
use std::time::Instant;

use fedcdi_core::{Seed, VarId};
use fedcdi_learn::score::{Penalty, ScoreParams, standard};
use fedcdi_rivals::Rival;
use fedcdi_rivals::gies::GiesParams;
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let samples = real_table::read()?;
    let start = Instant::now();
    let params = GiesParams {
        score: ScoreParams::new("gaussian", Penalty::Bic),
        max_parents: samples.n_vars(),
    };
    let fit = params
        .by(&standard())?
        .find(&[samples], Seed::new(0), None)?;
    let seconds = start.elapsed().as_secs_f64();
    let pair = |(a, b): (VarId, VarId)| [a.index(), b.index()];
    let directed: Vec<_> = fit.class.directed().edges().map(pair).collect();
    let undirected: Vec<_> = fit.class.undirected_edges().map(pair).collect();
    let result = json!({
        "score": fit.score,
        "directed": directed,
        "undirected": undirected,
        "stop_reason": fit.ending.to_string(),
        "seconds": seconds,
    });
    println!("{result}");
    Ok(())
}
