//! Studies between institutions: who holds which file, and how each side begins.
//!
//! A study is agreed on as one file, `study.toml`. From it everybody gets a *kit*, a folder:
//!
//! | file | coordinator | site | holds |
//! |---|---|---|---|
//! | `plan.json` | yes | yes | the plan: everything that all parties agree on; no label of a category |
//! | `dictionary.json` | no | yes | variables with their categories, and the secret of the study |
//!
//! A site adds what is its own and never leaves: its table, its policy and a folder for its state, all
//! named in `site.toml`. Which carrier moves the bytes is not said anywhere: any will do.

mod coordinator;
mod files;
mod groups;
mod site_file;
mod study_file;

pub use coordinator::{open_coordinator, result_at, result_so_far};
pub use groups::TooFew;
pub use site_file::{Prepared, SiteError, SiteFile, SiteKit};
pub use study_file::{StudyFile, is_site_name};
