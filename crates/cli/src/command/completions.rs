//! `fedcdi completions`: completion scripts for shells.

use clap::CommandFactory;
use clap_complete::Shell;

use super::Cli;
use crate::failure::Failure;
use crate::output;

/// Print a completion script for a shell
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fedcdi completions bash > /etc/bash_completion.d/fedcdi
  fedcdi completions zsh  > ~/.zfunc/_fedcdi
  fedcdi completions fish > ~/.config/fish/completions/fedcdi.fish")]
pub(crate) struct Args {
    /// The shell to complete in
    shell: Shell,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "fedcdi", &mut script);
        output::print(&String::from_utf8_lossy(&script))
    }
}
