//! How far estimates of an edge's gain are off, by estimator and number of sampled graphs:
//!
//! ```sh
//! cargo run --release -p fedcdi-experiment --example estimator -- TABLE [ROWS]
//! ```
//!
//! Networks are fitted to the uninformed belief once. Steps then go through all interventions in
//! turn, with the first ROWS (64) rows of each, as graph fitting does; every time the first
//! intervention comes round, its estimates are compared with those of 20000 graphs.

use std::error::Error;
use std::path::Path;

use fedcdi_core::{Belief, Seed};
use fedcdi_data::Study;
use fedcdi_data::read::TableOptions;
use fedcdi_learn::Pool;
use fedcdi_learn::enco::distribution::DistributionStage;
use fedcdi_learn::enco::graph_fit::{GraphContext, GraphFit};
use fedcdi_learn::enco::logits::EdgeLogits;
use fedcdi_learn::enco::prior::PriorTerm;
use fedcdi_learn::enco::{EdgeRules, EncoParams, Estimator, PriorLoss};
use fedcdi_learn::fit::conditional::{Conditional, Scratch};
use fedcdi_learn::fit::samples::{Batch, Samples};
use fedcdi_learn::nn::AdamParams;

/// Cycles through the interventions: the first ones teach the regression what to expect.
const CYCLES: std::ops::Range<usize> = 0..40;
const FIRST_COUNTED: usize = 2;
const EXACT: usize = 20_000;

type Differences = Vec<Vec<Option<f64>>>;

struct Fitted {
    params: EncoParams,
    samples: Samples,
    conditionals: Vec<Conditional>,
    scratch: Pool<Scratch>,
    rows: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (table, rows) = match &arguments[..] {
        [table] => (table, 64),
        [table, rows] => (table, rows.parse()?),
        _ => return Err("usage: estimator TABLE [ROWS]".into()),
    };
    let study = Study::read(Path::new(table), &TableOptions::default())?;
    let fitted = Fitted::new(Samples::new(&study.pool()), rows);
    let exact = fitted.estimates(Estimator::Difference, EXACT, 0..1);
    println!("| graphs | difference | regression |\n|---|---|---|");
    for graphs in [10, 20, 40, 100] {
        let error = |estimator| {
            let found = fitted.estimates(estimator, graphs, CYCLES);
            root_mean_square(&found[FIRST_COUNTED..], &exact[0])
        };
        let [difference, regression] = [Estimator::Difference, Estimator::Regression].map(error);
        println!("| {graphs} | {difference:.4} | {regression:.4} |");
    }
    Ok(())
}

impl Fitted {
    fn new(samples: Samples, rows: usize) -> Self {
        let params = EncoParams::default();
        let network = |j| {
            let seed = Seed::new(1).derive("network", j);
            Conditional::new(&samples, j, &params.hidden, 0.1, &seed)
        };
        let mut conditionals: Vec<Conditional> = (0..samples.n_vars()).map(network).collect();
        let scratch = Pool::default();
        let training = samples.observational();
        let stage = DistributionStage {
            samples: &samples,
            rows: training,
            batch: params.batch,
            steps: params.model_steps_in(0, training.len()),
            real_steps: params.real_model_steps_in(0, training.len()),
            adam: AdamParams::at(params.model_rate),
            weight_decay: params.weight_decay_for(training.len()),
            seed: Seed::new(2),
        };
        let logits = uninformed(samples.n_vars());
        stage.run(&mut conditionals, &logits, &scratch, || {});
        Self {
            params,
            samples,
            conditionals,
            scratch,
            rows,
        }
    }

    /// What every cycle found on the first intervention.
    fn estimates(
        &self,
        estimator: Estimator,
        graphs: usize,
        cycles: std::ops::Range<usize>,
    ) -> Vec<Differences> {
        let params = EncoParams {
            estimator,
            graphs,
            ..self.params.clone()
        };
        let n_vars = self.samples.n_vars();
        let prior = PriorTerm::new(PriorLoss::None, &Belief::uninformed(n_vars));
        let context = GraphContext {
            params: &params,
            samples: &self.samples,
            conditionals: &self.conditionals,
            rules: &EdgeRules::none(n_vars),
            prior: &prior,
            scratch: &self.scratch,
        };
        let mut fit = GraphFit::new(&params, &self.samples, &Seed::new(graphs as u64));
        let (mut batch, logits) = (Batch::default(), uninformed(n_vars));
        let mut found = Vec::new();
        for _ in cycles.clone() {
            // The exact values need no other interventions before them.
            let regimes = if cycles.len() == 1 { 1 } else { usize::MAX };
            let regimes = self.samples.interventional().iter().take(regimes);
            for (at, regime) in regimes.enumerate() {
                let rows = &regime.samples[..self.rows.min(regime.samples.len())];
                batch.fill(&self.samples, rows);
                let step = (&batch, &regime.targets[..]);
                fit.compare(&context, &logits, step);
                if at == 0 {
                    found.push(fit.differences().to_vec());
                }
            }
        }
        found
    }
}

fn uninformed(n_vars: usize) -> EdgeLogits {
    EdgeLogits::from_belief(&Belief::uninformed(n_vars), 7.0, &EdgeRules::none(n_vars))
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
