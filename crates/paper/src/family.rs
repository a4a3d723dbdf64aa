//! The families of graphs in the paper's figures, and how many rows each got.
//!
//! Numbers are those of the authors' scripts. Where targets are divided, ER graphs have 20000 p
//! observational rows, and 15000 p where the number of sites varies; p is the edge probability
//! behind ER-n. Ours has exactly n edges per variable in expectation.

use fedcdi_data::GraphKind;

use fedcdi_study::data_spec::{DataSpec, GeneratedData};

/// A family of graphs: one panel of a figure. Rows are those of one site.
#[derive(Clone, Copy)]
pub(crate) struct Family {
    pub(crate) name: &'static str,
    graph: GraphKind,
    /// Observational rows where every site has all targets.
    pub(crate) horizontal_obs: usize,
    /// Interventional rows per target then come in multiples of this.
    pub(crate) horizontal_step: usize,
    /// Observational rows where targets are divided.
    pub(crate) vertical_obs: usize,
    /// Interventional rows per target then.
    pub(crate) vertical_per_target: usize,
    /// Observational rows where the number of sites varies.
    pub(crate) sweep_obs: usize,
}

/// The panels of every figure, in the order of the paper.
pub(crate) const ALL: [Family; 9] = [
    ER[0],
    ER[1],
    ER[2],
    ER[3],
    family("jungle", GraphKind::Jungle, [10_000, 2, 5_000, 200, 10_000]),
    family(
        "collider",
        GraphKind::Collider,
        [5_000, 2, 5_000, 200, 10_000],
    ),
    family("chain", GraphKind::Chain, [5_000, 2, 5_000, 200, 10_000]),
    family("full", GraphKind::Full, [20_000, 4, 20_000, 400, 10_000]),
    family("bidiag", GraphKind::Bidiag, [5_000, 2, 5_000, 200, 10_000]),
];

pub(crate) const ER: [Family; 4] = [
    family("ER-1", er(1.0), [5_000, 2, 2_000, 200, 1_500]),
    family("ER-2", er(2.0), [5_000, 3, 4_000, 200, 3_000]),
    family("ER-4", er(4.0), [7_000, 4, 8_000, 200, 6_000]),
    family("ER-6", er(6.0), [10_000, 5, 12_000, 200, 9_000]),
];

/// What is run where a few small studies are enough: ER-2, and a chain.
pub(crate) const FEW: [Family; 2] = [ER[1], ALL[6]];

const fn er(degree: f64) -> GraphKind {
    GraphKind::Er { degree }
}

/// The numbers are those of the fields, in order.
const fn family(name: &'static str, graph: GraphKind, rows: [usize; 5]) -> Family {
    Family {
        name,
        graph,
        horizontal_obs: rows[0],
        horizontal_step: rows[1],
        vertical_obs: rows[2],
        vertical_per_target: rows[3],
        sweep_obs: rows[4],
    }
}

impl Family {
    /// Rows from a random network of this family: observational in all, interventional per target.
    pub(crate) fn rows(&self, vars: usize, obs: usize, per_target: usize) -> DataSpec {
        rows(self.graph, vars, obs, per_target)
    }
}

pub(crate) fn rows(graph: GraphKind, vars: usize, obs: usize, per_target: usize) -> DataSpec {
    DataSpec::Generated(GeneratedData {
        vars,
        obs,
        int: per_target * vars,
        graph,
        ..GeneratedData::default()
    })
}
