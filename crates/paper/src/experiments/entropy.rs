//! Whether clients with different targets come to agree.

use fedcdi_data::TargetSplit;

use crate::experiment::{Cell, Experiment, Size, View};
use crate::family::{ALL, Family};
use crate::setup::{Method, Rule, Setup, Way};

pub(super) static ENTROPY: Experiment = Experiment {
    name: "entropy",
    title: "Coming to agree",
    figure: "figures 10 and 11",
    about: "Ten clients with disjoint targets: how far their graphs differ after every round, over all ordered pairs and all clients.",
    notes: &[
        "The published entropy is of one hand-picked seed and two of the ten clients, over part of the pairs and only those still in dispute. It is therefore much higher than a mean over all pairs; only the fall can be compared.",
        "The authors' scripts do not record the rows of this figure; ours are those of the vertical experiments, per client.",
    ],
    view: View::EntropyPerRound,
    x_label: "round",
    reference: Some("evidence"),
    hidden: false,
    cells,
};

fn cells(size: Size) -> Vec<Cell> {
    let (families, vars, rounds): (&[Family], _, _) = match size {
        Size::Paper => (&ALL, 20, 10),
        Size::Quick => (&[Family::Er(2)], 10, 5),
    };
    let rules = [
        ("evidence", Rule::Evidence),
        ("naive (paper)", Rule::NaivePsi),
    ];
    let mut cells = Vec::new();
    for family in families {
        for (line, rule) in rules {
            let panel = match size {
                Size::Paper => family.name(),
                Size::Quick => format!("{}, {vars} variables", family.name()),
            };
            let (obs, rows) = (10 * family.vertical_obs(), family.vertical_per_target());
            cells.push(Cell {
                panel,
                line: line.to_owned(),
                x: 0.0,
                setup: Setup {
                    data: family.rows(vars, obs, rows),
                    clients: 10,
                    split: TargetSplit::Vertical,
                    method: Method::fedcdi(rounds),
                    way: Way::Federated(rule),
                },
            });
        }
    }
    cells
}
