//! Table 1: methods against graphs, with the same rows for all.

use fedcdi_data::TargetSplit;

use crate::data_spec::{DataSpec, NetworkData};
use crate::paper::experiment::{Cell, Experiment, Size, View};
use crate::paper::family::{ER, Family};
use crate::paper::setup::{Rule, Setup, Way};
use crate::spec::MethodSpec;

pub(super) static TABLE: Experiment = Experiment {
    name: "table",
    title: "Methods compared",
    figure: "table 1",
    about: "25000 observational and 5000 interventional rows in all, on every variable; clients share them horizontally.",
    notes: &[
        "ENCO is the centralised run of the same loop and rounds, with the same local method.",
        "Ours: the default rule (evidence). The authors' code scores the raw graph, so published values compare with our raw SHD; the acyclic graph is shown below it. The paper says 20 seeds.",
    ],
    view: View::Table,
    x_label: "",
    reference: Some("FedCDI, 4 clients"),
    hidden: false,
    cells,
};

const OBS: usize = 25_000;
const INT: usize = 5_000;

/// The methods: a new one is a variant, a line in [`Row::ALL`] and what it runs in [`Row::way`].
#[derive(Clone, Copy)]
enum Row {
    Enco,
    FedCdi { clients: usize },
}

impl Row {
    const ALL: [Self; 3] = [
        Self::Enco,
        Self::FedCdi { clients: 2 },
        Self::FedCdi { clients: 4 },
    ];

    fn name(self) -> String {
        match self {
            Self::Enco => "ENCO, centralised".to_owned(),
            Self::FedCdi { clients } => format!("FedCDI, {clients} clients"),
        }
    }

    fn way(self) -> (usize, Way) {
        match self {
            Self::Enco => (1, Way::Centralised),
            Self::FedCdi { clients } => (clients, Way::Federated(Rule::Evidence)),
        }
    }
}

/// The graphs.
#[derive(Clone, Copy)]
enum Column {
    Drawn(Family),
    Known(&'static str),
}

impl Column {
    fn all(size: Size) -> Vec<Self> {
        match size {
            Size::Paper => {
                let drawn = ER.map(Self::Drawn);
                let known = ["sachs", "alarm", "asia"].map(Self::Known);
                drawn.into_iter().chain(known).collect()
            }
            Size::Quick => vec![
                Self::Drawn(Family::Er(2)),
                Self::Known("sachs"),
                Self::Known("asia"),
            ],
        }
    }

    fn name(self) -> String {
        match self {
            Self::Drawn(family) => family.name(),
            Self::Known(name) => name.to_owned(),
        }
    }

    fn data(self) -> DataSpec {
        match self {
            Self::Drawn(family) => family.rows(20, OBS, INT / 20),
            Self::Known(name) => DataSpec::Network(NetworkData {
                name: name.to_owned(),
                obs: OBS,
                int: INT,
            }),
        }
    }
}

fn cells(size: Size) -> Vec<Cell> {
    let rounds = match size {
        Size::Paper => 10,
        Size::Quick => 5,
    };
    let mut cells = Vec::new();
    for column in Column::all(size) {
        for row in Row::ALL {
            let (clients, way) = row.way();
            cells.push(Cell {
                panel: column.name(),
                line: row.name(),
                x: 0.0,
                setup: Setup {
                    data: column.data(),
                    clients,
                    split: TargetSplit::Horizontal,
                    rounds,
                    local: MethodSpec::default(),
                    way,
                },
            });
        }
    }
    cells
}
