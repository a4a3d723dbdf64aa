//! Which random graph to draw: flags that several commands share.

use clap::ValueEnum;
use fedcdi_data::GraphKind;

use crate::failure::Failure;

#[derive(clap::Args)]
#[command(next_help_heading = "Random graph")]
pub(crate) struct GraphArgs {
    /// Family of the causal graph
    #[arg(long, value_enum, default_value = "er")]
    graph: GraphArg,

    /// The n of ER-n: expected edges per variable
    #[arg(long, default_value_t = 2.0, value_name = "N")]
    degree: f64,

    /// Join every pair with this probability instead (graph er only)
    #[arg(long, value_name = "P", conflicts_with = "degree")]
    edge_probability: Option<f64>,

    /// Number of variables
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) vars: usize,

    /// Categories of every variable
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub(crate) categories: usize,
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
    /// The family, if the flags fit together.
    pub(crate) fn kind(&self) -> Result<GraphKind, Failure> {
        Ok(match (self.graph, self.edge_probability) {
            (GraphArg::Er, None) => GraphKind::Er {
                degree: self.degree,
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
