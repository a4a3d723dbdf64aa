//! Two clients with different targets: each alone, and both together.

use fedcdi_data::TargetSplit;

use crate::experiment::{Cell, Experiment, Size, View};
use crate::family::{ALL, Family};
use crate::setup::{Method, Rule, Setup, Way};

const NOTES: &[&str] = &[
    "Published: 10 seeds, a weighting that equals plain averaging of edge probabilities. Ours: the default rule (evidence).",
];

pub(super) static EVEN: Experiment = Experiment {
    name: "vertical-10-10",
    title: "Half of the targets each",
    figure: "figures 6 and 15",
    about: "Clients A and B intervened on different halves of the variables: each alone, and both together.",
    notes: NOTES,
    view: View::ShdPerRound,
    x_label: "round",
    reference: Some("A and B together"),
    hidden: false,
    cells: |size| match size {
        Size::Paper => cells(size, [10, 10]),
        Size::Quick => cells(size, [5, 5]),
    },
};

pub(super) static UNEVEN: Experiment = Experiment {
    name: "vertical-16-4",
    title: "Few targets here, many there",
    figure: "figures 7 and 15",
    about: "Client A intervened on a fifth of the variables, client B on the others: each alone, and both together.",
    notes: NOTES,
    view: View::ShdPerRound,
    x_label: "round",
    reference: Some("A and B together"),
    hidden: false,
    cells: |size| match size {
        Size::Paper => cells(size, [4, 16]),
        Size::Quick => cells(size, [2, 8]),
    },
};

fn cells(size: Size, targets: [usize; 2]) -> Vec<Cell> {
    let (families, rounds): (&[Family], _) = match size {
        Size::Paper => (&ALL, 10),
        Size::Quick => (&[Family::Er(2), Family::Chain], 5),
    };
    let ways = [
        ("A and B together", Way::Federated(Rule::Evidence)),
        ("A alone", Way::Isolated(0)),
        ("B alone", Way::Isolated(1)),
    ];
    let vars = targets.iter().sum();
    let mut cells = Vec::new();
    for family in families {
        let setup = Setup {
            data: family.rows(
                vars,
                2 * family.vertical_obs(),
                family.vertical_per_target(),
            ),
            clients: 2,
            split: TargetSplit::Shares(targets.to_vec()),
            method: Method::fedcdi(rounds),
            way: Way::Centralised,
        };
        let panel = match size {
            Size::Paper => family.name(),
            Size::Quick => format!("{}, {vars} variables", family.name()),
        };
        cells.extend(ways.map(|(line, way)| Cell {
            panel: panel.clone(),
            line: line.to_owned(),
            x: 0.0,
            setup: setup.by(way),
        }));
    }
    cells
}
