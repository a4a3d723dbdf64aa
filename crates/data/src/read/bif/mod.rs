//! Bayesian networks in the Interchange Format (BIF).
//!
//! Read are `network`, `variable` and `probability` blocks with comments (`//`, `/* */`), quoted
//! names, `property` lines, and lists with or without commas. The law of a variable is given by
//! rows `(parent values) p, p, ..;`, by `default p, p, ..;` for rows that are not listed, or by one
//! `table`. A `table` of a variable with parents counts as the format's authors do: the variable
//! itself varies slowest, its last parent quickest.
//!
//! Rounding: a row must sum to 1 within 1e-4. Within 1e-6 it is kept as it stands (the published
//! networks need 1e-7), beyond that it is divided by its sum.

mod laws;
mod network;
mod parser;
mod tokens;

pub use network::read_bif;
