//! Which random graph to draw: flags that several commands share.

use clap::ValueEnum;
use fedcdi_data::{GraphKind, RealFamily, SetTo};
use fedcdi_study::{GeneratedData, RealData};

use crate::failure::Failure;

/// Expected edges per variable of a random graph.
const DEGREE: f64 = 2.0;

#[derive(clap::Args)]
#[command(next_help_heading = "Random graph")]
pub(crate) struct GraphArgs {
    /// Family of the causal graph
    #[arg(long, value_enum, default_value = "er")]
    graph: GraphArg,

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
    #[arg(long, value_enum, default_value = "categorical")]
    mechanism: MechanismArg,

    /// What interventions draw real targets from
    #[arg(long, value_enum, value_name = "LAW")]
    set_to: Option<SetToArg>,

    /// Bring real columns to mean 0 and deviation 1 over the observational rows
    #[arg(long)]
    standardise: bool,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum MechanismArg {
    /// Random neural networks over categories
    Categorical,
    /// Real: a weighted sum of the parents, plus noise
    Linear,
    /// Real: a random network of the parents, plus noise
    Additive,
    /// Real: a random network of the parents and noise
    Neural,
}

#[derive(Clone, Copy, ValueEnum)]
enum SetToArg {
    /// Between -1 and 1 (the default)
    Uniform,
    /// Mean 0, deviation 1
    Normal,
    /// Mean 2, deviation 1
    Shifted,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum GraphArg {
    /// Erdős–Rényi: every pair joined independently
    Er,
    /// i -> i+1
    Chain,
    /// i -> i+1 and i -> i+2
    Bidiag,
    /// All others cause one variable
    Collider,
    /// Every pair joined
    Full,
    /// Binary tree with edges to children and grandchildren
    Jungle,
}

impl GraphArgs {
    /// Real variables, if they are asked for.
    pub(crate) fn real(&self) -> Result<Option<RealData>, Failure> {
        let mechanism = match self.mechanism {
            MechanismArg::Categorical if self.set_to.is_some() || self.standardise => {
                return Err(Failure::bad_input(
                    "--set-to and --standardise are for real variables; add --mechanism linear, additive or neural",
                ));
            }
            MechanismArg::Categorical => return Ok(None),
            MechanismArg::Linear => RealFamily::Linear,
            MechanismArg::Additive => RealFamily::Additive,
            MechanismArg::Neural => RealFamily::Neural,
        };
        if self.categories != GeneratedData::default().categories {
            return Err(Failure::bad_input(
                "--categories is for categorical variables; leave it or --mechanism out",
            ));
        }
        Ok(Some(RealData {
            mechanism,
            set_to: match self.set_to {
                None | Some(SetToArg::Uniform) => SetTo::Uniform,
                Some(SetToArg::Normal) => SetTo::Normal,
                Some(SetToArg::Shifted) => SetTo::Shifted,
            },
            standardise: self.standardise,
        }))
    }

    /// The family, if the flags fit together.
    pub(crate) fn kind(&self) -> Result<GraphKind, Failure> {
        if self.categories < 2 {
            return Err(Failure::bad_input(
                "a variable of one category has nothing to learn; --categories must be at least 2",
            ));
        }
        if self.degree.is_some() && self.graph != GraphArg::Er {
            return Err(Failure::bad_input(
                "--degree is for --graph er; leave one of them out",
            ));
        }
        Ok(match (self.graph, self.edge_probability) {
            (GraphArg::Er, None) => GraphKind::Er {
                degree: self.degree.unwrap_or(DEGREE),
            },
            (GraphArg::Er, Some(p)) => GraphKind::ErP { p },
            (_, Some(_)) => {
                return Err(Failure::bad_input(
                    "--edge-probability is for --graph er; leave one of them out",
                ));
            }
            (GraphArg::Chain, None) => GraphKind::Chain,
            (GraphArg::Bidiag, None) => GraphKind::Bidiag,
            (GraphArg::Collider, None) => GraphKind::Collider,
            (GraphArg::Full, None) => GraphKind::Full,
            (GraphArg::Jungle, None) => GraphKind::Jungle,
        })
    }
}
