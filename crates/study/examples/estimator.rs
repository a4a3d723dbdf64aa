//! How far estimates of an edge's gain are off, by estimator and number of sampled graphs:
//!
//! ```sh
//! cargo run --release -p fedcdi-study --example estimator -- TABLE [ROWS]
//! ```
//!
//! Networks are fitted to the uninformed belief once. Steps then go through all interventions in
//! turn, with the first ROWS (64) rows of each, as graph fitting does; every time the first
//! intervention comes round, its estimates are compared with those of 20000 graphs.

use std::error::Error;
use std::path::Path;

use fedcdi_core::Belief;
use fedcdi_data::Study;
use fedcdi_data::read::TableOptions;
use fedcdi_learn::bench::Stages;
use fedcdi_learn::enco::{EncoParams, Estimator};

/// Cycles through the interventions: the first ones teach the regression what to expect.
const CYCLES: usize = 40;
const FIRST_COUNTED: usize = 2;
const EXACT: usize = 20_000;

type Differences = Vec<Vec<Option<f64>>>;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (table, rows) = match &arguments[..] {
        [table] => (table, 64),
        [table, rows] => (table, rows.parse()?),
        _ => return Err("usage: estimator TABLE [ROWS]".into()),
    };
    let study = Study::read(Path::new(table), &TableOptions::default())?;
    let data = study.pool();
    let belief = Belief::uninformed(data.n_vars());
    let mut stages = Stages::new(EncoParams::default(), &data, &belief);
    stages.fit_distributions(None);
    // The exact values need no other interventions before them.
    stages.sample_graphs(Estimator::Difference, EXACT);
    stages.take_rows(0, rows);
    let exact = stages.compare().to_vec();
    println!("| graphs | difference | regression |\n|---|---|---|");
    for graphs in [10, 20, 40, 100] {
        let error = |estimator| {
            stages.sample_graphs(estimator, graphs);
            let found = estimates(&mut stages, rows);
            root_mean_square(&found[FIRST_COUNTED..], &exact)
        };
        let [difference, regression] = [Estimator::Difference, Estimator::Regression].map(error);
        println!("| {graphs} | {difference:.4} | {regression:.4} |");
    }
    Ok(())
}

/// What every cycle found on the first intervention.
fn estimates(stages: &mut Stages, rows: usize) -> Vec<Differences> {
    let cycle = |_| {
        stages.take_rows(0, rows);
        let found = stages.compare().to_vec();
        for regime in 1.. {
            if !stages.take_rows(regime, rows) {
                break;
            }
            stages.compare();
        }
        found
    };
    (0..CYCLES).map(cycle).collect()
}

fn root_mean_square(found: &[Differences], exact: &Differences) -> f64 {
    let (mut sum, mut n) = (0.0, 0);
    for found in found {
        let pairs = found.iter().flatten().zip(exact.iter().flatten());
        for (found, exact) in pairs {
            if let (Some(found), Some(exact)) = (found, exact) {
                sum += (found - exact).powi(2);
                n += 1;
            }
        }
    }
    (sum / f64::from(n.max(1))).sqrt()
}
