//! Which random graph to draw: flags that several commands share.

use fedcdi_data::{GraphKind, RealFamily, SetTo};
use fedcdi_study::{GeneratedData, RealData};

use super::words::{Word, words};
use crate::failure::Failure;

const GRAPHS: [Word<GraphKind>; 6] = [
    (
        "er",
        "Erdős–Rényi: every pair joined independently",
        GraphKind::Er { degree: 2.0 },
    ),
    ("chain", "i -> i+1", GraphKind::Chain),
    ("bidiag", "i -> i+1 and i -> i+2", GraphKind::Bidiag),
    (
        "collider",
        "All others cause one variable",
        GraphKind::Collider,
    ),
    ("full", "Every pair joined", GraphKind::Full),
    (
        "jungle",
        "Binary tree with edges to children and grandchildren",
        GraphKind::Jungle,
    ),
];

/// None for categories. An alias, because a bare `Option` would make the flag optional.
type Mechanism = Option<RealFamily>;

const LINEAR: &str = "Real: a weighted sum of the parents, plus noise";
const ADDITIVE: &str = "Real: a random network of the parents, plus noise";
const NEURAL: &str = "Real: a random network of the parents and noise";
const MECHANISMS: [Word<Mechanism>; 4] = [
    (
        "categorical",
        "Random neural networks over categories",
        None,
    ),
    ("linear", LINEAR, Some(RealFamily::Linear)),
    ("additive", ADDITIVE, Some(RealFamily::Additive)),
    ("neural", NEURAL, Some(RealFamily::Neural)),
];

const LAWS: [Word<SetTo>; 3] = [
    ("uniform", "Between -1 and 1 (the default)", SetTo::Uniform),
    ("normal", "Mean 0, deviation 1", SetTo::Normal),
    ("shifted", "Mean 2, deviation 1", SetTo::Shifted),
];

/// Flags that describe a random graph, which a spec, a table or a known network leaves no room for.
pub(super) const GRAPH_FLAGS: [&str; 8] = [
    "graph",
    "degree",
    "edge_probability",
    "vars",
    "categories",
    "mechanism",
    "set_to",
    "standardise",
];

#[derive(clap::Args)]
#[command(next_help_heading = "Random graph")]
pub(crate) struct GraphArgs {
    /// Family of the causal graph
    #[arg(long, value_parser = words(&GRAPHS), default_value = "er")]
    graph: GraphKind,

    /// The n of ER-n: expected edges per variable (graph er only) [default: 2]
    #[arg(long, value_name = "N")]
    degree: Option<f64>,

    /// Join every pair with this probability instead (graph er only)
    #[arg(long, value_name = "P", conflicts_with = "degree")]
    edge_probability: Option<f64>,

    /// Number of variables
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) vars: usize,

    /// Categories of every variable
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub(crate) categories: usize,

    /// How variables follow from their parents: random categorical laws, or real numbers
    #[arg(long, value_parser = words(&MECHANISMS), default_value = "categorical")]
    mechanism: Mechanism,

    /// What interventions draw real targets from
    #[arg(long, value_parser = words(&LAWS), value_name = "LAW")]
    set_to: Option<SetTo>,

    /// Bring real columns to mean 0 and deviation 1 over the observational rows
    #[arg(long)]
    standardise: bool,
}

impl GraphArgs {
    /// Real variables, if they are asked for.
    pub(crate) fn real(&self) -> Result<Option<RealData>, Failure> {
        let Some(mechanism) = self.mechanism else {
            Failure::refuse_if(
                self.set_to.is_some() || self.standardise,
                "--set-to and --standardise are for real variables; add --mechanism linear, additive or neural",
            )?;
            return Ok(None);
        };
        Failure::refuse_if(
            self.categories != GeneratedData::default().categories,
            "--categories is for categorical variables; leave it or --mechanism out",
        )?;
        Ok(Some(RealData {
            mechanism,
            set_to: self.set_to.unwrap_or_default(),
            standardise: self.standardise,
        }))
    }

    /// The family, if the flags fit together.
    pub(crate) fn kind(&self) -> Result<GraphKind, Failure> {
        Failure::refuse_if(
            self.categories < 2,
            "a variable of one category has nothing to learn; --categories must be at least 2",
        )?;
        let flag = match (self.graph, self.degree, self.edge_probability) {
            (graph, None, None) => return Ok(graph),
            (GraphKind::Er { .. }, Some(degree), _) => return Ok(GraphKind::Er { degree }),
            (GraphKind::Er { .. }, None, Some(p)) => return Ok(GraphKind::ErP { p }),
            (_, Some(_), _) => "--degree",
            (_, None, Some(_)) => "--edge-probability",
        };
        Err(Failure::BadInput(format!(
            "{flag} is for --graph er; leave one of them out"
        )))
    }
}
