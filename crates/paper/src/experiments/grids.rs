//! The figures: FedCDI over families of graphs, rows, clients and rules.

use fedcdi_data::{GraphKind, TargetSplit};

use crate::experiment::{Cell, Size};
use crate::family::{self, ALL, ER, FEW, Family};
use crate::job::Arm;
use crate::setup::{Rule, Setup, fedcdi};
use fedcdi_study::data_spec::DataSpec;

/// A line of a panel, who learns there, and by which rule sites that learn together.
type Line = (&'static str, Arm, Rule);

const fn together(name: &'static str, rule: Rule) -> Line {
    (name, Arm::Federated, rule)
}

const fn apart(name: &'static str, arm: Arm) -> Line {
    (name, arm, Rule::Evidence)
}

const EVIDENCE: Line = together("evidence", Rule::Evidence);
const NAIVE: Line = together("naive (paper)", Rule::NaivePsi);

/// Two sites with the same targets, against one site and against all rows in one place.
pub(super) fn horizontal(size: Size) -> Vec<Cell> {
    let steps: &[usize] = match size {
        Size::Paper => &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        Size::Quick => &[1, 4],
    };
    same_targets(size, steps, |panel, _| panel)
}

pub(super) fn rounds(size: Size) -> Vec<Cell> {
    same_targets(size, &[1, 4], |panel, rows| {
        format!("{panel}, {rows} per target")
    })
}

fn same_targets(size: Size, steps: &[usize], name: fn(String, usize) -> String) -> Vec<Cell> {
    let lines = [
        together("federated", Rule::Evidence),
        apart("centralised", Arm::Centralised),
        apart("isolated", Arm::Isolated(0)),
    ];
    let mut cells = Vec::new();
    for family in families(size, 2) {
        for step in steps {
            let rows = step * family.horizontal_step;
            let data = family.rows(size.vars(), 2 * family.horizontal_obs, 2 * rows);
            let setup = setup(size, data, 2, TargetSplit::Horizontal);
            let panel = name(panel(size, family), rows);
            cells.extend(place(&panel, rows as f64, &setup, &lines));
        }
    }
    cells
}

/// How beliefs of five sites with different targets are best combined.
pub(super) fn aggregation(size: Size) -> Vec<Cell> {
    let all = [
        EVIDENCE,
        NAIVE,
        together("proximity 0.15 (paper)", Rule::ProximityPsi(0.15)),
        together("proximity 2 (paper)", Rule::ProximityPsi(2.0)),
        together("proximity 10 (paper)", Rule::ProximityPsi(10.0)),
        together("naive, logits", Rule::NaiveLogits),
    ];
    let quick = [all[0], all[1], all[4]];
    let (families, rows, lines): (&[Family], &[usize], &[Line]) = match size {
        Size::Paper => (&ER, &[6, 12, 24, 48, 96, 144, 192, 240], &all),
        Size::Quick => (&FEW[..1], &[12, 96], &quick),
    };
    let mut cells = Vec::new();
    for family in families {
        for &rows in rows {
            let data = family.rows(size.vars(), 5 * family.vertical_obs, rows);
            let setup = setup(size, data, 5, TargetSplit::Vertical);
            cells.extend(place(&panel(size, family), rows as f64, &setup, lines));
        }
    }
    if size == Size::Paper {
        cells.extend(large(&all[..5]));
    }
    cells
}

/// The same with 50 variables, joined with probability p; 20000 p observational rows per site.
fn large(lines: &[Line]) -> Vec<Cell> {
    let mut cells = Vec::new();
    for tenths in [1, 2, 4, 6, 8] {
        let (p, obs) = (tenths as f64 / 10.0, 5 * 2_000 * tenths);
        for rows in [12, 48, 240] {
            let data = family::rows(GraphKind::ErP { p }, 50, obs, rows);
            let setup = setup(Size::Paper, data, 5, TargetSplit::Vertical);
            let panel = format!("50 variables, p = 0.{tenths}");
            cells.extend(place(&panel, rows as f64, &setup, lines));
        }
    }
    cells
}

/// More sites, each line with so many interventional rows per target. How many there are in all
/// follows from these and the number of sites.
pub(super) fn clients(size: Size, in_all: fn(usize, usize) -> usize) -> Vec<Cell> {
    let (lines, counts): (&[usize], &[usize]) = match size {
        Size::Paper => (&[24, 48, 96, 144, 240], &[1, 2, 4, 6, 8]),
        Size::Quick => (&[24], &[1, 2, 4]),
    };
    let mut cells = Vec::new();
    for family in families(size, 1) {
        for &per_target in lines {
            for &clients in counts {
                let rows = in_all(per_target, clients);
                let data = family.rows(size.vars(), clients * family.sweep_obs, rows);
                let setup = setup(size, data, clients, TargetSplit::Horizontal);
                cells.push(Cell {
                    panel: panel(size, family),
                    line: format!("{per_target} per target"),
                    x: clients as f64,
                    setup: match clients {
                        1 => setup,
                        _ => setup.by(Arm::Federated, Rule::Evidence),
                    },
                });
            }
        }
    }
    cells
}

/// Two sites with different targets, in these proportions: each alone, and both together.
pub(super) fn vertical(size: Size, shares: [usize; 2]) -> Vec<Cell> {
    let lines = [
        together("A and B together", Rule::Evidence),
        apart("A alone", Arm::Isolated(0)),
        apart("B alone", Arm::Isolated(1)),
    ];
    let share = size.vars() / (shares[0] + shares[1]);
    let targets = shares.map(|part| part * share).to_vec();
    disjoint_targets(size, 2, 2, &TargetSplit::Shares(targets), &lines)
}

/// Whether ten sites with different targets come to agree.
pub(super) fn entropy(size: Size) -> Vec<Cell> {
    disjoint_targets(size, 1, 10, &TargetSplit::Vertical, &[EVIDENCE, NAIVE])
}

fn disjoint_targets(
    size: Size,
    few: usize,
    clients: usize,
    split: &TargetSplit,
    lines: &[Line],
) -> Vec<Cell> {
    let cells = |family: &Family| {
        let (obs, rows) = (clients * family.vertical_obs, family.vertical_per_target);
        let data = family.rows(size.vars(), obs, rows);
        let setup = setup(size, data, clients, split.clone());
        place(&panel(size, family), 0.0, &setup, lines)
    };
    families(size, few).iter().flat_map(cells).collect()
}

fn families(size: Size, few: usize) -> &'static [Family] {
    match size {
        Size::Paper => &ALL,
        Size::Quick => &FEW[..few],
    }
}

fn panel(size: Size, family: &Family) -> String {
    match size {
        Size::Paper => family.name.to_owned(),
        Size::Quick => format!("{}, {} variables", family.name, size.vars()),
    }
}

fn setup(size: Size, data: DataSpec, clients: usize, split: TargetSplit) -> Setup {
    Setup::new(data, clients, split, fedcdi(size.rounds()))
}

/// One cell per line, all with the same rows.
fn place(panel: &str, x: f64, setup: &Setup, lines: &[Line]) -> Vec<Cell> {
    let cell = |&(line, arm, rule): &Line| Cell {
        panel: panel.to_owned(),
        line: line.to_owned(),
        x,
        setup: setup.by(arm, rule),
    };
    lines.iter().map(cell).collect()
}
