//! Whole runs: what was asked for, what was found, and the folder that keeps both.
//!
//! | module | holds |
//! |---|---|
//! | [`spec`] | everything a run depends on: [`Spec`] |
//! | `settings`, `refused` | reading settings and knowledge from TOML files, and what is wrong with them |
//! | `refine` | whether scores of all rows refine the graph |
//! | [`preset`] | the paper's settings by one word |
//! | [`data_spec`], `reading`, `paths` | where the data of a run comes from, and how it is read |
//! | `division` | from all rows to the sites that have them |
//! | `inspected`, `second_look` | what tables hold, and what to look at before learning from them |
//! | [`catalogue`] | every method and rule by name |
//! | [`mod@run`] | [`run()`]: one table or several sites to one graph |
//! | [`federation`], `rival` | by FedCDI, and by rivals |
//! | [`dictionary`] | the variables and labels of a study, from those of its sites |
//! | [`kit`] | studies between institutions: plan, dictionary, what a site brings |
//! | [`account`] | what would leave a site, for people |
//! | [`result`] | [`RunResult`]: what every run returns |
//! | `next` | which experiment next |
//! | `profile`, `arms` | how a site describes its data |
//! | `certainty`, `identified` | how sure a result is of every pair, and what its directions are known from |
//! | [`run_folder`] | the files a run leaves behind |
//! | [`report`] | a run as one HTML page |

pub mod account;
mod arms;
pub mod catalogue;
mod certainty;
pub mod data_spec;
pub mod dictionary;
mod division;
pub mod federation;
mod identified;
mod inspected;
pub mod kit;
mod next;
mod paths;
pub mod preset;
mod profile;
mod reading;
mod refine;
mod refused;
pub mod report;
pub mod result;
mod rival;
pub mod run;
pub mod run_folder;
mod second_look;
mod settings;
pub mod spec;

pub use account::Account;
pub use catalogue::{Catalogue, Method};
pub use data_spec::{DataSpec, GeneratedData, NetworkData, RealData};
pub use division::{DivisionError, dropped};
pub use inspected::{Inspected, InspectedSite};
pub use next::NextExperiment;
pub use preset::{PaperChoice, Preset};
pub use reading::Reading;
pub use refine::Refine;
pub use result::{
    Comparison, EstimatedTargets, Found, NamedEdge, RunResult, Scores, SearchSummary, Stop,
};
pub use run::{RunError, Watchers, compare, run};
pub use run_folder::write_run;
pub use second_look::second_look;
pub use settings::{of_json, read_knowledge, read_method, read_spec, spec_of_json};
pub use spec::{RowLimits, Spec};
