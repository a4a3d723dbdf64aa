//! `fedcdi` without a command: the main job on a built-in study.

use fedcdi_core::Seed;
use fedcdi_data::split::split;
use fedcdi_data::study::Study;
use fedcdi_data::{
    GraphKind, InterventionKind, Network, SamplePlan, SplitPlan, TargetSplit, sample,
};

use super::split::summary;
use crate::failure::Failure;
use crate::output;

/// Generates an ER-2 study, divides it over four clients and prints what each holds.
pub(crate) fn run() -> Result<(), Failure> {
    let seed = Seed::new(0);
    let kind = GraphKind::Er { degree: 2.0 };
    let dag = kind
        .draw(20, seed.derive("graph", 0))
        .map_err(Failure::bad_input)?;
    let network = Network::random(&dag, 10, seed.derive("network", 0));
    let network = network.map_err(Failure::bad_input)?;
    let regimes = SamplePlan::every_variable(20);
    let plan = SamplePlan::even(10_000, 2_000, regimes, InterventionKind::Perfect);
    let plan = plan.map_err(Failure::bad_input)?;
    let data = sample(&network, &plan, seed.derive("samples", 0), &|_| ());
    let split_plan = SplitPlan {
        n_clients: 4,
        targets: TargetSplit::Vertical,
    };
    let tables = split(&data, &split_plan, seed.derive("split", 0)).map_err(Failure::bad_input)?;
    let study = Study::divided(tables, Some(dag));
    output::print(&format!(
        "An ER-2 study: 20 variables of 10 categories, {} true edges, {} rows.\n\
         Divided over 4 clients: observational rows evenly, interventions vertically.\n\n{}\n\
         Next: fedcdi generate --out study, then fedcdi inspect study. All commands: fedcdi --help\n",
        study.truth().map_or(0, |t| t.n_edges()),
        plan.n_samples(),
        summary(&study),
    ))
}
