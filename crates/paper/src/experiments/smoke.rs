//! A study of seconds, for tests of the machinery.

use fedcdi_core::{Choice, RoundParams};
use fedcdi_data::{GraphKind, TargetSplit};
use fedcdi_learn::dcdi::DcdiParams;
use fedcdi_learn::enco::EncoParams;
use fedcdi_rivals::gies::GiesParams;

use crate::experiment::Cell;
use crate::job::Arm;
use crate::setup::{Learner, Rule, Setup};
use fedcdi_study::data_spec::{DataSpec, GeneratedData};

pub(super) fn cells() -> Vec<Cell> {
    let together = Arm::Federated;
    let gies = (Choice::of(&GiesParams::default()), RoundParams::default());
    let lines = [
        ("federated", fedcdi(), together, Rule::Evidence),
        ("naive (paper)", fedcdi(), together, Rule::NaivePsi),
        ("centralised", fedcdi(), Arm::Centralised, Rule::Evidence),
        ("isolated", fedcdi(), Arm::Isolated(0), Rule::Evidence),
        ("GIES", gies, together, Rule::Evidence),
        ("DCDI", dcdi(), Arm::Centralised, Rule::Evidence),
    ];
    let mut cells = Vec::new();
    for per_target in [20, 80] {
        let data = DataSpec::Generated(GeneratedData {
            vars: 5,
            categories: 3,
            obs: 600,
            int: 5 * per_target,
            graph: GraphKind::Chain,
            real: None,
        });
        cells.extend(lines.clone().map(|(line, learner, arm, rule)| {
            let setup = Setup::new(data.clone(), 2, TargetSplit::Horizontal, learner);
            Cell {
                panel: "chain of 5".to_owned(),
                line: line.to_owned(),
                x: per_target as f64,
                setup: setup.by(arm, rule),
            }
        }));
    }
    cells
}

fn fedcdi() -> Learner {
    let local = Choice::of(&EncoParams {
        epochs: 1,
        model_steps: 60,
        later_model_steps: 40,
        graph_steps: 20,
        hidden: vec![8, 8],
        ..EncoParams::default()
    });
    (local, crate::setup::fedcdi(2).1)
}

fn dcdi() -> Learner {
    let dcdi = Choice::of(&DcdiParams {
        max_iterations: 600,
        iterations_per_round: 300,
        hidden: vec![4],
        ..DcdiParams::default()
    });
    (dcdi, RoundParams::default())
}
