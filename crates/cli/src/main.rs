//! The `fedcdi` program: arguments, progress, diagnostics, exit codes.

mod command;
mod comparison;
mod edges;
mod failure;
mod loading;
mod out_folder;
mod output;
mod progress;
mod simulation;

use std::process::ExitCode;

use clap::Parser;

use command::Cli;

fn main() -> ExitCode {
    failure::install_handler();
    match Cli::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
