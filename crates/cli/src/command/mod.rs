//! One file per command: its arguments, and what it does.

mod baseline_args;
mod cli;
mod completions;
mod convert;
mod demo;
mod discover;
mod enough;
mod evaluate;
mod generate;
mod graph_args;
mod inspect;
mod local_args;
mod methods;
mod reproduce;
mod simulate;
mod split;
mod table_args;

pub(crate) use cli::Cli;
pub(crate) use table_args::TableArgs;
