//! Reading tables, networks and graphs. Every error names the file, the place in it, what is wrong
//! and what to do.

mod csv;
mod label_column;
mod labels;
mod options;
mod rows;

pub use csv::read_csv;
pub use options::{Missing, TableOptions};
