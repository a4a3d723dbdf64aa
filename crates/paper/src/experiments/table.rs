//! Table 1: methods against graphs, with the same rows for all.
//!
//! Rivals run twice: set for the data at hand, and as the published comparison ran them, which took
//! categories as numbers. The paper does not say how many clients its federated rivals had.

use fedcdi_core::choice::Params;
use fedcdi_core::{Choice, Pruning, RoundParams};
use fedcdi_data::TargetSplit;
use fedcdi_learn::dcdi::DcdiParams;
use fedcdi_learn::independence::TestParams;
use fedcdi_learn::predict::HeadChoice;
use fedcdi_learn::score::{Penalty, ScoreParams};
use fedcdi_rivals::feddag::FedDagParams;
use fedcdi_rivals::gies::GiesParams;
use fedcdi_rivals::igsp::IgspParams;
use fedcdi_rivals::notears::NotearsParams;
use fedcdi_rivals::rows::RowsUsed;

use crate::experiment::{Cell, Size};
use crate::family::{ER, Family};
use crate::job::Arm;
use crate::setup::{Learner, Rule, Setup, fedcdi};
use fedcdi_study::data_spec::{DataSpec, NetworkData};

const OBS: usize = 25_000;
const INT: usize = 5_000;

pub(super) fn cells(size: Size) -> Vec<Cell> {
    let (drawn, known): (&[Family], &[&str]) = match size {
        Size::Paper => (&ER, &["sachs", "alarm", "asia"]),
        Size::Quick => (&ER[1..2], &["sachs", "asia"]),
    };
    let drawn = drawn.iter().map(|f| (f.name, f.rows(20, OBS, INT / 20)));
    let known = known.iter().map(|&panel| {
        let (name, obs, int) = (panel.to_owned(), OBS, INT);
        (panel, DataSpec::Network(NetworkData { name, obs, int }))
    });
    let cells = drawn.chain(known).flat_map(|(panel, data)| {
        let cell = |(line, setup)| Cell {
            panel: panel.to_owned(),
            line,
            x: 0.0,
            setup,
        };
        rows(size.rounds(), &data).into_iter().map(cell)
    });
    let mut cells: Vec<Cell> = cells.collect();
    cells.retain(|cell| size == Size::Paper || !cell.setup.is_slow());
    cells
}

/// Every method on these rows: ours, and where it differs as published.
fn rows(rounds: u32, data: &DataSpec) -> Vec<(String, Setup)> {
    let fedcdi = fedcdi(rounds);
    let methods = [
        ("GIES", 1, gies().to_vec()),
        ("IGSP", 1, igsp().to_vec()),
        ("DCDI", 1, dcdi().to_vec()),
        ("NOTEARS-ADMM", 2, notears().to_vec()),
        ("FedDAG", 2, feddag().to_vec()),
        ("ENCO, centralised", 1, vec![fedcdi.clone()]),
        ("FedCDI, 2 clients", 2, vec![fedcdi.clone(); 2]),
        ("FedCDI, 4 clients", 4, vec![fedcdi.clone(); 2]),
    ];
    let mut rows = Vec::new();
    for (name, clients, learners) in methods {
        for (learner, suffix) in learners.into_iter().zip(["", ", as published"]) {
            let rule = match suffix {
                ", as published" if learner == fedcdi => Rule::Published,
                _ => Rule::Evidence,
            };
            let setup = Setup::new(data.clone(), clients, TargetSplit::Horizontal, learner);
            let setup = match clients {
                1 => setup,
                _ => setup.by(Arm::Federated, rule),
            };
            rows.push((format!("{name}{suffix}"), setup));
        }
    }
    rows
}

fn rival(params: &impl Params) -> Learner {
    (Choice::of(params), RoundParams::default())
}

fn gies() -> [Learner; 2] {
    let scores = [
        ScoreParams::new("best", 0.05),
        ScoreParams::new("gaussian", Penalty::Fixed(1.0)),
    ];
    scores.map(|score| {
        rival(&GiesParams {
            score,
            ..GiesParams::default()
        })
    })
}

fn igsp() -> [Learner; 2] {
    [TestParams::Logistic, TestParams::Hsic(500)].map(|test| {
        rival(&IgspParams {
            test,
            ..IgspParams::default()
        })
    })
}

fn dcdi() -> [Learner; 2] {
    let published = DcdiParams {
        head: HeadChoice::Codes,
        hidden: vec![16, 16],
        start_logit: 5.0,
        decay_rows: 0.0,
        interventional_share: 0.0,
        ..DcdiParams::default()
    };
    let settings = [
        (DcdiParams::default(), Pruning::USUAL),
        (published, Pruning::Never),
    ];
    settings.map(|(dcdi, pruning)| {
        let rounds = RoundParams {
            pruning: Some(pruning),
            ..RoundParams::default()
        };
        (Choice::of(&dcdi), rounds)
    })
}

fn notears() -> [Learner; 2] {
    [RowsUsed::Untouched, RowsUsed::Observational].map(|rows| {
        rival(&NotearsParams {
            rows,
            ..NotearsParams::default()
        })
    })
}

fn feddag() -> [Learner; 2] {
    let settings = [
        (RowsUsed::Untouched, HeadChoice::Categories, None),
        (RowsUsed::Observational, HeadChoice::Codes, Some(1e-3)),
    ];
    settings.map(|(rows, head, penalty)| {
        rival(&FedDagParams {
            rows,
            head,
            penalty,
            ..FedDagParams::default()
        })
    })
}
