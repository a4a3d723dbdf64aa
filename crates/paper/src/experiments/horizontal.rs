//! Two clients with the same targets, against one client and against all rows in one place.

use fedcdi_data::TargetSplit;

use crate::experiment::{Cell, Experiment, Size, View};
use crate::family::{ALL, Family};
use crate::setup::{Method, Rule, Setup, Way};

const NOTES: &[&str] = &[
    "Published: 5 seeds, naive aggregation of edge probabilities. Ours: the default rule (evidence).",
    "Graphs are drawn as ER-n with n edges per variable in expectation and shuffled labels; the authors draw with p = 0.1, 0.2, 0.4, 0.6 in causal order.",
];

pub(super) static HORIZONTAL: Experiment = Experiment {
    name: "horizontal-data",
    title: "More interventional rows",
    figure: "figures 2 and 13",
    about: "Two clients with the same targets and half of the rows each: together, one of them alone, and all rows in one place.",
    notes: NOTES,
    view: View::AtEnd,
    x_label: "interventional rows per target and client",
    reference: Some("federated"),
    hidden: false,
    cells: |size| cells(size, steps(size), |family, _| panel(size, family)),
};

pub(super) static ROUNDS: Experiment = Experiment {
    name: "rounds",
    title: "Round by round",
    figure: "figures 8 and 12",
    about: "The same runs as horizontal-data at two amounts of interventional rows, after every round.",
    notes: NOTES,
    view: View::ShdPerRound,
    x_label: "round",
    reference: Some("federated"),
    hidden: false,
    cells: |size| {
        cells(size, &[1, 4], |family, rows| {
            format!("{}, {rows} per target", panel(size, family))
        })
    },
};

/// Multiples of the family's smallest number of rows.
fn steps(size: Size) -> &'static [usize] {
    match size {
        Size::Paper => &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        Size::Quick => &[1, 4],
    }
}

fn panel(size: Size, family: Family) -> String {
    match size {
        Size::Paper => family.name(),
        Size::Quick => format!("{}, 10 variables", family.name()),
    }
}

fn cells(size: Size, steps: &[usize], panel: impl Fn(Family, usize) -> String) -> Vec<Cell> {
    let (families, vars, rounds): (&[Family], _, _) = match size {
        Size::Paper => (&ALL, 20, 10),
        Size::Quick => (&[Family::Er(2), Family::Chain], 10, 5),
    };
    let ways = [
        ("federated", Way::Federated(Rule::Evidence)),
        ("centralised", Way::Centralised),
        ("isolated", Way::Isolated(0)),
    ];
    let mut cells = Vec::new();
    for &family in families {
        for step in steps {
            let per_target = step * family.horizontal_step();
            let setup = Setup {
                data: family.rows(vars, 2 * family.horizontal_obs(), 2 * per_target),
                clients: 2,
                split: TargetSplit::Horizontal,
                method: Method::fedcdi(rounds),
                way: Way::Centralised,
            };
            cells.extend(ways.map(|(line, way)| Cell {
                panel: panel(family, per_target),
                line: line.to_owned(),
                x: per_target as f64,
                setup: setup.by(way),
            }));
        }
    }
    cells
}
