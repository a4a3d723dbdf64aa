//! A study of seconds, for tests of the machinery.

use fedcdi_core::{Choice, RoundParams};
use fedcdi_data::{GraphKind, TargetSplit};
use fedcdi_learn::dcdi::DcdiParams;
use fedcdi_learn::enco::EncoParams;
use fedcdi_rivals::gies::GiesParams;

use crate::experiment::Cell;
use crate::setup::{Method, Rule, Setup, Way};
use fedcdi_study::data_spec::{DataSpec, GeneratedData};

pub(super) fn cells() -> Vec<Cell> {
    let lines = [
        ("federated", fedcdi(), Way::Federated(Rule::Evidence)),
        ("naive (paper)", fedcdi(), Way::Federated(Rule::NaivePsi)),
        ("centralised", fedcdi(), Way::Centralised),
        ("isolated", fedcdi(), Way::Isolated(0)),
        (
            "GIES",
            Method::Rival(Choice::of(&GiesParams::default())),
            Way::Federated(Rule::Evidence),
        ),
        ("DCDI", dcdi(), Way::Centralised),
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
        cells.extend(lines.clone().map(|(line, method, way)| Cell {
            panel: "chain of 5".to_owned(),
            line: line.to_owned(),
            x: per_target as f64,
            setup: Setup {
                data: data.clone(),
                clients: 2,
                split: TargetSplit::Horizontal,
                method,
                way,
            },
        }));
    }
    cells
}

fn fedcdi() -> Method {
    Method::FedCdi {
        local: Choice::of(&EncoParams {
            epochs: 1,
            model_steps: 60,
            later_model_steps: 40,
            graph_steps: 20,
            hidden: vec![8, 8],
            ..EncoParams::default()
        }),
        rounds: 2,
    }
}

fn dcdi() -> Method {
    let dcdi = Choice::of(&DcdiParams {
        max_iterations: 600,
        iterations_per_round: 300,
        hidden: vec![4],
        ..DcdiParams::default()
    });
    Method::Alone(dcdi, RoundParams::default())
}
