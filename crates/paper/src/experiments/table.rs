//! Table 1: methods against graphs, with the same rows for all.

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

use crate::experiment::{Cell, Experiment, Size, View};
use crate::family::{ER, Family};
use crate::setup::{Method, Rule, Setup, Way};
use fedcdi_study::baseline::BaselineMethod;
use fedcdi_study::data_spec::{DataSpec, NetworkData};

pub(super) static TABLE: Experiment = Experiment {
    name: "table",
    title: "Methods compared",
    figure: "table 1",
    about: "25000 observational and 5000 interventional rows in all, on every variable; clients share them horizontally.",
    notes: &[
        "GIES, IGSP, DCDI and ENCO have all rows in one place; NOTEARS-ADMM, FedDAG (2 clients) and FedCDI run among clients. GIES by logistic score, IGSP, DCDI and FedDAG have at most 5 seeds. As published: categories are taken as numbers, GIES with a Gaussian score and a penalty of 1 per parameter, IGSP with a kernel test on 500 rows, DCDI with a Gaussian network and at most 100000 iterations (published: a million), NOTEARS-ADMM and FedDAG with observational rows alone, FedDAG with a first penalty of 0.001. FedCDI as published is `--paper`: psi alone, proximity with beta 0.15, ENCO started by a draw from psi with the prior loss, and edges with psi above 0.5.",
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

/// The methods: a new one is a variant, a line in [`Row::ALL`] and what it runs in [`Row::method`].
#[derive(Clone, Copy)]
enum Row {
    Gies(Settings),
    Igsp(Settings),
    Dcdi(Settings),
    Enco,
    NotearsAdmm(Settings),
    FedDag(Settings),
    FedCdi { clients: usize, settings: Settings },
}

/// How a baseline is set.
#[derive(Clone, Copy)]
enum Settings {
    /// For the data at hand.
    Best,
    /// As the published comparison ran it: categories are taken as numbers.
    Published,
}

impl Settings {
    fn rows(self) -> RowsUsed {
        match self {
            Self::Best => RowsUsed::Untouched,
            Self::Published => RowsUsed::Observational,
        }
    }

    fn pruning(self) -> Pruning {
        match self {
            Self::Best => Pruning::USUAL,
            Self::Published => Pruning::Never,
        }
    }

    fn dcdi(self) -> DcdiParams {
        match self {
            Self::Best => DcdiParams::default(),
            Self::Published => DcdiParams {
                head: HeadChoice::Codes,
                hidden: vec![16, 16],
                start_logit: 5.0,
                decay_rows: 0.0,
                interventional_share: 0.0,
                ..DcdiParams::default()
            },
        }
    }
}

impl Row {
    const ALL: [Self; 15] = [
        Self::Gies(Settings::Best),
        Self::Gies(Settings::Published),
        Self::Igsp(Settings::Best),
        Self::Igsp(Settings::Published),
        Self::Dcdi(Settings::Best),
        Self::Dcdi(Settings::Published),
        Self::NotearsAdmm(Settings::Best),
        Self::NotearsAdmm(Settings::Published),
        Self::FedDag(Settings::Best),
        Self::FedDag(Settings::Published),
        Self::Enco,
        Self::fedcdi(2, Settings::Best),
        Self::fedcdi(2, Settings::Published),
        Self::fedcdi(4, Settings::Best),
        Self::fedcdi(4, Settings::Published),
    ];

    const fn fedcdi(clients: usize, settings: Settings) -> Self {
        Self::FedCdi { clients, settings }
    }

    fn name(self) -> String {
        let set = |name: &str, settings| match settings {
            Settings::Best => name.to_owned(),
            Settings::Published => format!("{name}, as published"),
        };
        match self {
            Self::Gies(settings) => set("GIES", settings),
            Self::Igsp(settings) => set("IGSP", settings),
            Self::Dcdi(settings) => set("DCDI", settings),
            Self::NotearsAdmm(settings) => set("NOTEARS-ADMM", settings),
            Self::FedDag(settings) => set("FedDAG", settings),
            Self::Enco => "ENCO, centralised".to_owned(),
            Self::FedCdi { clients, settings } => {
                set(&format!("FedCDI, {clients} clients"), settings)
            }
        }
    }

    /// How many clients, and how they learn. The paper does not say how many clients its federated
    /// rivals had.
    fn way(self) -> (usize, Way) {
        match self {
            Self::Gies(_) | Self::Igsp(_) | Self::Dcdi(_) | Self::Enco => (1, Way::Centralised),
            Self::NotearsAdmm(_) | Self::FedDag(_) => (2, Way::Federated(Rule::Evidence)),
            Self::FedCdi { clients, settings } => {
                let rule = match settings {
                    Settings::Best => Rule::Evidence,
                    Settings::Published => Rule::Published,
                };
                (clients, Way::Federated(rule))
            }
        }
    }

    fn method(self, rounds: u32) -> Method {
        Method::Rival(match self {
            Self::Enco | Self::FedCdi { .. } => return Method::fedcdi(rounds),
            Self::Dcdi(settings) => {
                let rounds = RoundParams {
                    pruning: settings.pruning(),
                    ..RoundParams::one_table()
                };
                return Method::Alone(Choice::of(&settings.dcdi()), rounds);
            }
            Self::Gies(settings) => BaselineMethod::Gies(GiesParams {
                score: match settings {
                    Settings::Best => ScoreParams::Logistic(Penalty::Bic),
                    Settings::Published => ScoreParams::Gaussian(Penalty::Fixed(1.0)),
                },
                ..GiesParams::default()
            }),
            Self::Igsp(settings) => BaselineMethod::Igsp(IgspParams {
                test: match settings {
                    Settings::Best => TestParams::Logistic,
                    Settings::Published => TestParams::Hsic(500),
                },
                ..IgspParams::default()
            }),
            Self::NotearsAdmm(settings) => BaselineMethod::Notears(NotearsParams {
                rows: settings.rows(),
                ..NotearsParams::default()
            }),
            Self::FedDag(settings) => BaselineMethod::Feddag(FedDagParams {
                rows: settings.rows(),
                head: match settings {
                    Settings::Best => HeadChoice::Categories,
                    Settings::Published => HeadChoice::Codes,
                },
                penalty: match settings {
                    Settings::Best => None,
                    Settings::Published => Some(1e-3),
                },
                ..FedDagParams::default()
            }),
        })
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
            let setup = Setup {
                data: column.data(),
                clients,
                split: TargetSplit::Horizontal,
                method: row.method(rounds),
                way,
            };
            if size == Size::Quick && setup.is_slow() {
                continue;
            }
            cells.push(Cell {
                panel: column.name(),
                line: row.name(),
                x: 0.0,
                setup,
            });
        }
    }
    cells
}
