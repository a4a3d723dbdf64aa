//! One file per command: its arguments, and what it does.

mod audit;
mod cli;
mod completions;
mod convert;
mod coordinator;
mod demo;
mod dictionary;
mod discover;
mod enough;
mod evaluate;
mod generate;
mod graph_args;
mod inspect;
mod methods;
mod provision;
mod reproduce;
mod run_args;
mod simulate;
mod site;
mod site_request;
mod split;
mod table_args;
mod words;

pub(crate) use cli::Cli;
pub(crate) use generate::overwrite;
pub(crate) use run_args::RunArgs;
pub(crate) use simulate::too_few;
pub(crate) use table_args::TableArgs;
