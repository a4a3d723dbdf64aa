//! More clients: with rows of their own, or sharing what there is.

use fedcdi_data::TargetSplit;

use crate::experiment::{Cell, Experiment, Size, View};
use crate::family::{ALL, Family};
use crate::setup::{Method, Rule, Setup, Way};

const NOTES: &[&str] = &[
    "Published: 5 seeds, naive aggregation of edge probabilities. Ours: the default rule (evidence); one client is a centralised run.",
];

pub(super) static GROWING: Experiment = Experiment {
    name: "clients-growing",
    title: "Every client brings rows",
    figure: "figures 4 and 14",
    about: "Each new client has rows of its own, observational and interventional: the data grow with the clients.",
    notes: NOTES,
    view: View::AtEnd,
    x_label: "clients",
    reference: None,
    hidden: false,
    cells: |size| cells(size, Rows::Growing),
};

pub(super) static DIVIDING: Experiment = Experiment {
    name: "clients-dividing",
    title: "Interventional rows divided over more clients",
    figure: "figures 5 and 14",
    about: "The interventional rows stay the same and are divided over more and more clients. Observational rows still grow with the clients, as in the authors' scripts.",
    notes: NOTES,
    view: View::AtEnd,
    x_label: "clients",
    reference: None,
    hidden: false,
    cells: |size| cells(size, Rows::Dividing),
};

/// What happens to interventional rows as clients are added.
#[derive(Clone, Copy)]
enum Rows {
    Growing,
    Dividing,
}

fn cells(size: Size, rows: Rows) -> Vec<Cell> {
    let (families, vars, rounds): (&[Family], _, _) = match size {
        Size::Paper => (&ALL, 20, 10),
        Size::Quick => (&[Family::Er(2)], 10, 5),
    };
    let (lines, counts): (&[usize], &[usize]) = match size {
        Size::Paper => (&[24, 48, 96, 144, 240], &[1, 2, 4, 6, 8]),
        Size::Quick => (&[24], &[1, 2, 4]),
    };
    let mut cells = Vec::new();
    for family in families {
        for &line in lines {
            for &clients in counts {
                let per_target = match rows {
                    Rows::Growing => line * clients,
                    Rows::Dividing => line,
                };
                let panel = match size {
                    Size::Paper => family.name(),
                    Size::Quick => format!("{}, {vars} variables", family.name()),
                };
                cells.push(Cell {
                    panel,
                    line: format!("{line} per target"),
                    x: clients as f64,
                    setup: Setup {
                        data: family.rows(vars, clients * family.sweep_obs(), per_target),
                        clients,
                        split: TargetSplit::Horizontal,
                        method: Method::fedcdi(rounds),
                        way: match clients {
                            1 => Way::Centralised,
                            _ => Way::Federated(Rule::Evidence),
                        },
                    },
                });
            }
        }
    }
    cells
}
