//! `fedcdi site`: takes part in a study between machines.

use std::path::PathBuf;

use fedcdi_network::kit::site_name;
use fedcdi_network::page::{Board, Ending, Part};
use fedcdi_network::site::{Event, take_part};
use fedcdi_protocol::Site;
use fedcdi_study::kit::SiteFile;
use tokio::runtime::Runtime;

use super::table_args::TableArgs;
use crate::failure::Failure;
use crate::output;

/// Take part in a study between machines, with this site's own table
///
/// The site connects to the coordinator; nobody connects to it. Its policy decides whether the plan may
/// run here at all, before the table is read. The table is checked against the study's dictionary before
/// anything is sent. Answers are on the disk before they leave: killed and started again with the same
/// --state, the site goes on, and sends the same bytes. It ends when it has the result.
///
/// docs/what-leaves.md lists everything that leaves.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fedcdi site kits/basel --data basel.csv --policy policy.toml --state state
  fedcdi site kits/basel --data basel.csv --policy policy.toml --state state --page 127.0.0.1:7481

policy.toml (what is left out has these values):
  methods       = []      # local methods that may run here; all if there are none
  rounds        = 100     # at most so many
  smallest_cell = 5       # no test counts cells of fewer expected rows
  row_band      = 5       # numbers of rows are told in multiples of this
  tests         = true    # independence tests may be asked for
  profile       = true    # the site may be asked to describe its data")]
pub(crate) struct Args {
    /// The site's kit, from fedcdi provision
    #[arg(value_name = "KIT")]
    kit: PathBuf,

    /// Table: .csv, .parquet or .npz
    #[arg(long, value_name = "FILE")]
    data: PathBuf,

    /// What this site allows
    #[arg(long, value_name = "FILE")]
    policy: PathBuf,

    /// Folder that keeps the answers
    #[arg(long, value_name = "FOLDER")]
    state: PathBuf,

    /// Show on a page at this address, read-only, for a browser: what this site was asked and what left it
    ///
    /// The program prints the address to open. It ends with a token, which is kept in page-token in the
    /// folder of --state. The page is not encrypted: choose a loopback address. /healthz and /metrics
    /// (Prometheus) are at the same address.
    #[arg(long, value_name = "HOST:PORT")]
    page: Option<String>,

    #[command(flatten)]
    tables: TableArgs,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let file = SiteFile {
            name: site_name(&self.kit)?,
            data: self.data,
            policy: self.policy,
            state: self.state,
            read: self.tables.reading_of_site()?,
            kit: self.kit,
        };
        let site = file
            .open(None)
            .map_err(fedcdi_network::NetworkError::from)?;
        let runtime = runtime()?;
        let board = Board::at(self.page);
        let ended = runtime.block_on(take_part_shown(&file, site, &board));
        let ending = match &ended {
            Ok(site) => Ending::Result(in_words(site)),
            Err(failure) => Ending::Failed(failure.to_string()),
        };
        runtime.block_on(board.close(|part| part.end(ending)));
        output::print(&(in_words(&ended?) + "\n"))
    }
}

async fn take_part_shown(
    file: &SiteFile,
    site: Site,
    board: &Board<Part>,
) -> Result<Site, Failure> {
    if let Some(url) = board.open(&file.state).await? {
        output::note(&format!("page  {url}"));
    }
    Ok(take_part(&file.kit, site, board, tell).await?)
}

fn in_words(site: &Site) -> String {
    match site.result() {
        Some(result) => format!(
            "the study is over after {} rounds: {} edges",
            result.rounds,
            result.edges.len()
        ),
        None => "the study ended without a result for this site".to_owned(),
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
