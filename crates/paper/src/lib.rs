//! The paper's experiments: what is run, what came of it, and the page that shows both.
//!
//! An [`Experiment`] is a list of cells: a panel of a figure, a line in it, a place on its axis, and
//! the `Setup` to run there. Each cell becomes one [`Job`] per seed. Equal jobs of different
//! experiments have the same fingerprint and are run once. Lines of one panel share seeds and
//! therefore data, so their differences are paired.
//!
//! | module or file | holds |
//! |---|---|
//! | `experiments.toml`, `experiments` | texts of all experiments; their cells |
//! | `published.toml`, `published` | the numbers of the paper; their reader |
//! | `setup`, `family` | one study: graph, rows, sites, who learns and how |
//! | `experiment`, `part` | what an experiment is; [`Plan`]: the jobs of several, or of a part of them |
//! | `job`, `result` | one run, its fingerprint, its cost, what it found |
//! | `results_file`, `runner` | `results.jsonl`, to which finished jobs are appended; jobs over the cores |
//! | `statistics`, `summary` | means, intervals and paired differences over seeds |
//! | `figure`, `page`, `tables`, `output` | pictures, page and files |

mod experiment;
mod experiments;
mod family;
mod figure;
mod job;
mod output;
mod page;
mod part;
mod published;
mod result;
mod results_file;
mod runner;
mod setup;
mod statistics;
mod summary;
mod tables;

pub use experiment::{Experiment, Plan, Planned, Size, Unknown};
pub use experiments::all;
pub use job::{Job, JobError};
pub use output::{PAGE, write_output};
pub use part::Part;
pub use result::JobResult;
pub use results_file::{Existing, ResultsFile};
pub use runner::{Ran, run};
