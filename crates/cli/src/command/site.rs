//! `fedcdi site`: takes part in a study between machines.

use std::path::PathBuf;
use std::time::Duration;

use fedcdi_network::NetworkError;
use fedcdi_network::expiry::remind;
use fedcdi_network::kit::Joining;
use fedcdi_network::site::{Event, take_part};
use fedcdi_study::kit::SiteFile;
use tokio::runtime::Runtime;

use super::site_request;
use super::table_args::TableArgs;
use crate::failure::Failure;
use crate::output;

/// Take part in a study between machines, with this site's own table
///
/// The site connects to the coordinator; nobody connects to it. Its policy decides whether the plan may
/// run here at all, before the table is read. The table is checked against the study's dictionary before
/// anything is sent, and every difference is named at once. Answers are on the disk before they leave: killed and started again with the same
/// --state, the site goes on, and sends the same bytes. It ends when it has the result.
///
/// docs/what-leaves.md lists everything that leaves.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "\
Examples:
  fedcdi site request basel --out keys          a key of this site's own, and a request for its certificate
  fedcdi site kits/basel --data basel.csv --state state
  fedcdi site kits/basel --data basel.csv --state state --policy policy.toml --key keys/basel.key.pem

policy.toml (what is left out has these values):
  methods        = []     # local methods that may run here; all if there are none
  rounds         = 100    # at most so many
  smallest_group = 10     # rows of an intervention with fewer rows take no part, nor do fewer without one
  smallest_cell  = 5      # no test counts cells of fewer expected rows
  row_band       = 5      # numbers of rows are told in multiples of this
  longest_answer = 86400  # seconds that one answer may take
  tests          = true   # independence tests may be asked for
  profile        = true   # the site may be asked to describe its data")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    take_part: Option<TakePart>,

    // Not inside the one above: clap sees whether that is there by its own arguments alone.
    #[command(flatten)]
    tables: TableArgs,
}

#[derive(clap::Subcommand)]
enum Command {
    Request(site_request::Args),
}

#[derive(clap::Args)]
struct TakePart {
    /// The site's kit, from fedcdi provision
    #[arg(value_name = "KIT")]
    kit: PathBuf,

    /// Table: .csv, .parquet or .npz
    #[arg(long, value_name = "FILE")]
    data: PathBuf,

    /// What this site allows [default: the limits below]
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,

    /// The key that was made with this site's request [default: key.pem of the kit]
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,

    /// Folder that keeps the answers
    #[arg(long, value_name = "FOLDER")]
    state: PathBuf,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match (self.command, self.take_part) {
            (Some(Command::Request(args)), _) => args.run(),
            (None, Some(args)) => args.run(&self.tables),
            (None, None) => Err(Failure::bad_input(
                "name this site's kit, with --data and --state, or see fedcdi site --help",
            )),
        }
    }
}

impl TakePart {
    fn run(self, tables: &TableArgs) -> Result<(), Failure> {
        let mut joining = Joining {
            kit: self.kit,
            key: self.key,
            longest_answer: None,
        };
        let file = SiteFile {
            name: joining.name()?,
            data: self.data,
            policy: self.policy,
            state: self.state,
            read: tables.reading_of_site()?,
            kit: joining.kit.clone(),
        };
        let prepared = file.prepare().map_err(NetworkError::from)?;
        let notes = prepared.notes().iter();
        notes.for_each(|note| output::note(note));
        joining.longest_answer = Some(Duration::from_secs(prepared.policy().longest_answer));
        let site = prepared.open(&file.state, None);
        let site = site.map_err(NetworkError::from)?;
        let runtime = runtime()?;
        runtime.spawn(remind(file.kit, output::warn));
        let ended = runtime.block_on(take_part(joining, site, tell));
        // An answer that took too long may still be at work.
        runtime.shutdown_background();
        match ended?.result() {
            Some(result) => output::print(&format!(
                "the study is over after {} rounds: {} edges\n",
                result.rounds,
                result.edges.len()
            )),
            None => output::print("the study ended without a result for this site\n"),
        }
    }
}

pub(super) fn runtime() -> Result<Runtime, Failure> {
    Runtime::new().map_err(|error| Failure::Failed(format!("cannot start threads: {error}")))
}

fn tell(event: Event) {
    output::note(&match event {
        Event::Connected => "connected to the coordinator".to_owned(),
        Event::Away(why, wait) => {
            let seconds = wait.as_secs_f64();
            format!("the coordinator cannot be reached ({why}); again in {seconds:.1} s")
        }
        Event::Asked(n_bytes) => format!("a question of {n_bytes} bytes"),
        Event::Answered(n_bytes) => {
            format!("an answer of {n_bytes} bytes left, and is acknowledged")
        }
        Event::Declined(why) => format!("declined: {why}"),
        Event::Refused => "the coordinator does not take the answer".to_owned(),
    });
}
