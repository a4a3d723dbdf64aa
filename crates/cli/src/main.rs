//! The `fedcdi` program: arguments, progress, diagnostics, exit codes.

mod beforehand;
mod command;
mod failure;
mod loading;
mod output;
mod progress;
mod running;
mod shown;

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
