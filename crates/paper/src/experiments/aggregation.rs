//! How beliefs of clients with different targets are best combined.

use fedcdi_data::{GraphKind, TargetSplit};

use crate::experiment::{Cell, Experiment, Size, View};
use crate::family::{ER, Family};
use crate::setup::{Method, Rule, Setup, Way};
use fedcdi_study::data_spec::{DataSpec, GeneratedData};

pub(super) static AGGREGATION: Experiment = Experiment {
    name: "aggregation",
    title: "Rules of aggregation",
    figure: "figure 3; 50 variables: notebook",
    about: "Five clients with disjoint targets, together all. Lines marked (paper) exchange edge probabilities alone, take no edge back and end with the last of all rounds, as the paper does; the local method is the same in all.",
    notes: &[
        "The authors' notebooks add 10 to every value of the naive curve and plot the least of the per-round means; the values beside ours are without the 10.",
        "The published number of clients and of targets per client is uncertain: the caption says five clients with 4 of 20 targets, folder names say 2 targets per client. Published: 5 seeds.",
    ],
    view: View::AtEnd,
    x_label: "interventional rows per target",
    reference: Some("evidence"),
    hidden: false,
    cells,
};

const EVIDENCE: (&str, Rule) = ("evidence", Rule::Evidence);
const NAIVE: (&str, Rule) = ("naive (paper)", Rule::NaivePsi);
const PROXIMITY: (&str, Rule) = ("proximity 0.15 (paper)", Rule::ProximityPsi(0.15));
const SHARPER: (&str, Rule) = ("proximity 2 (paper)", Rule::ProximityPsi(2.0));
const SHARPEST: (&str, Rule) = ("proximity 10 (paper)", Rule::ProximityPsi(10.0));
const LOGITS: (&str, Rule) = ("naive, logits", Rule::NaiveLogits);

fn cells(size: Size) -> Vec<Cell> {
    match size {
        Size::Paper => {
            let rules = [EVIDENCE, NAIVE, PROXIMITY, SHARPER, SHARPEST, LOGITS];
            let rows = [6, 12, 24, 48, 96, 144, 192, 240];
            let mut cells = Vec::new();
            for family in ER {
                let data = |rows| family.rows(20, 5 * family.vertical_obs(), rows);
                cells.extend(panel(&family.name(), 10, &rows, &rules, data));
            }
            for tenths in [1, 2, 4, 6, 8] {
                let name = format!("50 variables, p = 0.{tenths}");
                let rows = [12, 48, 240];
                let data = |rows| large(tenths, rows);
                cells.extend(panel(&name, 10, &rows, &rules[..5], data));
            }
            cells
        }
        Size::Quick => {
            let family = Family::Er(2);
            let name = format!("{}, 10 variables", family.name());
            let data = |rows| family.rows(10, 5 * family.vertical_obs(), rows);
            let rules = [EVIDENCE, NAIVE, SHARPEST];
            panel(&name, 5, &[12, 96], &rules, data)
        }
    }
}

/// 50 variables, joined with probability `tenths / 10`; 20000 p observational rows per client.
fn large(tenths: usize, per_target: usize) -> DataSpec {
    let p = tenths as f64 / 10.0;
    DataSpec::Generated(GeneratedData {
        vars: 50,
        obs: 5 * 2_000 * tenths,
        int: 50 * per_target,
        graph: GraphKind::ErP { p },
        ..GeneratedData::default()
    })
}

fn panel(
    name: &str,
    rounds: u32,
    rows: &[usize],
    rules: &[(&str, Rule)],
    data: impl Fn(usize) -> DataSpec,
) -> Vec<Cell> {
    let mut cells = Vec::new();
    for &per_target in rows {
        for (line, rule) in rules {
            cells.push(Cell {
                panel: name.to_owned(),
                line: (*line).to_owned(),
                x: per_target as f64,
                setup: Setup {
                    data: data(per_target),
                    clients: 5,
                    split: TargetSplit::Vertical,
                    method: Method::fedcdi(rounds),
                    way: Way::Federated(*rule),
                },
            });
        }
    }
    cells
}
