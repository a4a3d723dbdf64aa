//! Whole runs: what was asked for, what was found, and the folder that keeps both.
//!
//! | module | holds |
//! |---|---|
//! | [`spec`] | everything a run depends on: [`DiscoverSpec`], [`SimulateSpec`] |
//! | [`settings`], [`refused`] | reading settings and knowledge from TOML files, and what is wrong with them |
//! | [`mod@discover`] | one dataset to one graph |
//! | [`baseline`] | the same by a method that keeps no belief |
//! | `constrained` | graphs that are cut from weights |
//! | [`registry`] | every method, what it needs, where it comes from |
//! | [`rival`] | several clients to one graph by such a method |
//! | [`data_spec`] | where the data of a run comes from |
//! | [`reading`] | how its tables are read |
//! | [`division`] | from all rows to the clients that have them |
//! | [`mod@simulate`] | several clients to one graph, on one machine |
//! | [`paths`] | paths in specs, from the file that holds them |
//! | [`preset`] | the paper's settings by one word |
//! | [`profile`] | how a site describes its data |
//! | [`score`] | a result against the known truth |
//! | [`run_folder`] | the files a run leaves behind |
//! | [`report`] | a run as one HTML page |

pub mod baseline;
mod constrained;
pub mod data_spec;
pub mod discover;
pub mod division;
pub mod paths;
pub mod preset;
pub mod profile;
pub mod reading;
pub mod refused;
pub mod registry;
pub mod report;
pub mod rival;
pub mod run_folder;
pub mod score;
pub mod settings;
pub mod simulate;
pub mod spec;

pub use baseline::{
    BaselineError, BaselineFound, BaselineMethod, BaselineScores, BaselineSpec, EstimatedTargets,
    discover_baseline, write_baseline_run,
};
pub use constrained::{WeightKind, Weights};
pub use data_spec::{DataSpec, GeneratedData, NetworkData, RealData};
pub use discover::{DiscoverError, Found, discover};
pub use division::{DivisionError, dropped, shortfall};
pub use paths::RunSpec;
pub use preset::{PaperChoice, Preset};
pub use reading::Reading;
pub use refused::{out_of_range, refused_choice};
pub use rival::{RivalComparison, RivalError, RivalRun, RivalSpec, run_rival, write_rival_run};
pub use run_folder::{write_run, write_simulation};
pub use score::Scores;
pub use settings::{
    AnyDiscovery, mentions, read_baseline, read_discover_spec, read_knowledge, read_method,
    read_rival_spec, read_spec, spec_mentions,
};
pub use simulate::{Comparison, RunResult, SimulateError, SiteResult, Watchers, simulate};
pub use spec::{DiscoverSpec, RowLimits, RuleSpec, SimulateSpec, default_method, local_method};
