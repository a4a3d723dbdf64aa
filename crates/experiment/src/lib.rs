//! Whole runs: what was asked for, what was found, and the folder that keeps both.
//!
//! | module | holds |
//! |---|---|
//! | [`spec`] | [`DiscoverSpec`]: everything a run depends on besides its data |
//! | [`settings`] | reading settings and knowledge from TOML files |
//! | [`mod@discover`] | one dataset to one graph |
//! | [`score`] | a result against the known truth |
//! | [`run_folder`] | the files a run leaves behind |

pub mod discover;
pub mod run_folder;
pub mod score;
pub mod settings;
pub mod spec;

pub use discover::{DiscoverError, Found, discover};
pub use run_folder::write_run;
pub use score::Scores;
pub use settings::{read_knowledge, read_settings};
pub use spec::{DiscoverSpec, MethodSpec, RowLimits};
