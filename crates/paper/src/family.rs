//! The families of graphs in the paper's figures, and how many rows each got.
//!
//! Numbers are those of the authors' scripts. `p` is the edge probability behind ER-n; ours has
//! exactly n edges per variable in expectation.

use fedcdi_data::GraphKind;

use fedcdi_study::data_spec::{DataSpec, GeneratedData};

/// A family of graphs: one panel of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// ER-n.
    Er(u8),
    /// A binary tree with edges to children and grandchildren.
    Jungle,
    /// All others cause one variable.
    Collider,
    /// One after the other.
    Chain,
    /// Every pair joined.
    Full,
    /// Each causes the next two.
    Bidiag,
}

/// The panels of every figure, in the order of the paper.
pub const ALL: [Family; 9] = [
    Family::Er(1),
    Family::Er(2),
    Family::Er(4),
    Family::Er(6),
    Family::Jungle,
    Family::Collider,
    Family::Chain,
    Family::Full,
    Family::Bidiag,
];

/// The random ones among them.
pub const ER: [Family; 4] = [Family::Er(1), Family::Er(2), Family::Er(4), Family::Er(6)];

impl Family {
    /// The name of its panel.
    pub fn name(self) -> String {
        match self {
            Self::Er(degree) => format!("ER-{degree}"),
            Self::Jungle => "jungle".to_owned(),
            Self::Collider => "collider".to_owned(),
            Self::Chain => "chain".to_owned(),
            Self::Full => "full".to_owned(),
            Self::Bidiag => "bidiag".to_owned(),
        }
    }

    fn graph(self) -> GraphKind {
        match self {
            Self::Er(degree) => GraphKind::Er {
                degree: f64::from(degree),
            },
            Self::Jungle => GraphKind::Jungle,
            Self::Collider => GraphKind::Collider,
            Self::Chain => GraphKind::Chain,
            Self::Full => GraphKind::Full,
            Self::Bidiag => GraphKind::Bidiag,
        }
    }

    /// Rows from a random network of this family: observational in all, interventional per target.
    pub fn rows(self, vars: usize, obs: usize, per_target: usize) -> DataSpec {
        DataSpec::Generated(GeneratedData {
            vars,
            obs,
            int: per_target * vars,
            graph: self.graph(),
            ..GeneratedData::default()
        })
    }

    /// Observational rows of one client where data are divided horizontally.
    pub fn horizontal_obs(self) -> usize {
        match self {
            Self::Er(1 | 2) | Self::Collider | Self::Chain | Self::Bidiag => 5_000,
            Self::Er(4) => 7_000,
            Self::Er(_) | Self::Jungle => 10_000,
            Self::Full => 20_000,
        }
    }

    /// Interventional rows per target and client come in multiples of this.
    pub fn horizontal_step(self) -> usize {
        match self {
            Self::Er(1) | Self::Jungle | Self::Collider | Self::Chain | Self::Bidiag => 2,
            Self::Er(2) => 3,
            Self::Er(4) | Self::Full => 4,
            Self::Er(_) => 5,
        }
    }

    /// Observational rows of one client where targets are divided: 20000 p.
    pub fn vertical_obs(self) -> usize {
        match self {
            Self::Er(degree) => 2_000 * usize::from(degree),
            Self::Full => 20_000,
            Self::Jungle | Self::Collider | Self::Chain | Self::Bidiag => 5_000,
        }
    }

    /// Interventional rows per target where targets are divided.
    pub fn vertical_per_target(self) -> usize {
        match self {
            Self::Full => 400,
            _ => 200,
        }
    }

    /// Observational rows of one client where the number of clients varies: 15000 p.
    pub fn sweep_obs(self) -> usize {
        match self {
            Self::Er(degree) => 1_500 * usize::from(degree),
            _ => 10_000,
        }
    }
}
