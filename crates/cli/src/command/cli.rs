//! The command line as a whole.

use clap::{Parser, Subcommand};

use super::{
    audit, completions, convert, coordinator, demo, dictionary, discover, evaluate, generate,
    inspect, methods, provision, reproduce, simulate, site, split,
};
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  fedcdi                                        a built-in study, start to end
  fedcdi generate --graph er --degree 2 --out study
  fedcdi inspect study
  fedcdi discover study --out run               one table, one graph
  fedcdi simulate --data study --clients 4 --split vertical --compare
  fedcdi split study --clients 4 --by vertical --out study4
  fedcdi evaluate --truth study/truth.json --graph found.json
  fedcdi dictionary data.csv --out basel.json   variables and labels, without rare ones
  fedcdi provision study.toml --out kits        a study between institutions
  fedcdi reproduce all --quick                  the paper's experiments, in small

Exit codes: 0 done (also if stopped by one Ctrl-C), 1 the run failed, 2 bad input, 130 ended by a
second Ctrl-C.";

/// Federated causal discovery from interventions.
///
/// Finds the one causal graph behind the tables of several sites, none of which shares its rows.
/// Without a command, a federation of four sites on a built-in study is run and compared.
///
/// Between institutions, provision makes the kits of a study, coordinator and site run it over TLS, and
/// audit shows what left. Flower and NVIDIA FLARE carry the same messages: see docs/engines.md.
#[derive(Parser)]
#[command(name = "fedcdi", version, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Simulate(simulate::Args),
    Discover(discover::Args),
    Methods(methods::Args),
    Generate(generate::Args),
    Inspect(inspect::Args),
    Split(split::Args),
    Convert(convert::Args),
    Evaluate(evaluate::Args),
    Dictionary(dictionary::Args),
    Provision(provision::Args),
    Coordinator(coordinator::Args),
    Site(site::Args),
    Audit(audit::Args),
    Reproduce(reproduce::Args),
    Completions(completions::Args),
}

impl Cli {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self.command {
            None => demo::run(),
            Some(Command::Simulate(args)) => args.run(),
            Some(Command::Discover(args)) => args.run(),
            Some(Command::Methods(args)) => args.run(),
            Some(Command::Generate(args)) => args.run(),
            Some(Command::Inspect(args)) => args.run(),
            Some(Command::Split(args)) => args.run(),
            Some(Command::Convert(args)) => args.run(),
            Some(Command::Evaluate(args)) => args.run(),
            Some(Command::Dictionary(args)) => args.run(),
            Some(Command::Provision(args)) => args.run(),
            Some(Command::Coordinator(args)) => args.run(),
            Some(Command::Site(args)) => args.run(),
            Some(Command::Audit(args)) => args.run(),
            Some(Command::Reproduce(args)) => args.run(),
            Some(Command::Completions(args)) => args.run(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
