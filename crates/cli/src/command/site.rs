//! `fedcdi site`: takes part in a study between machines.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fedcdi_data::file_error::FileError;
use fedcdi_data::write::{Overwrite, write_bytes};
use fedcdi_network::NetworkError;
use fedcdi_network::expiry::remind;
use fedcdi_network::kit::Joining;
use fedcdi_network::page::{Board, Ending, Part};
use fedcdi_network::site::{Event, take_part};
use fedcdi_protocol::{Digest, Exchanged, Rehearsal, Site};
use fedcdi_study::account::{ACCOUNT, Account};
use fedcdi_study::kit::{SiteFile, result_at};
use fedcdi_study::report::count;
use fedcdi_study::write_run;
use tokio::runtime::Runtime;

use super::site_request;
use super::table_args::TableArgs;
use crate::failure::Failure;
use crate::output::{self, Log};
use crate::progress::Work;

/// Take part in a study between machines, with this site's own table
///
/// The site connects to the coordinator; nobody connects to it. Its policy decides whether the plan may
/// run here at all, before the table is read. The table is checked against the study's dictionary before
/// anything is sent, and every difference is named at once. Answers are on the disk before they leave: killed and started again with the same
/// --state, the site goes on, and sends the same bytes. It ends when it has the result,
/// which is then in the folder result of --state.
///
/// docs/what-leaves.md lists everything that leaves.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "\
Examples:
  fedcdi site request basel --out keys          a key of this site's own, and a request for its certificate
  fedcdi site kits/basel --data basel.csv --state state --dry-run account
  fedcdi site kits/basel --data basel.csv --state state
  fedcdi site kits/basel --data basel.csv --state state --policy policy.toml --key keys/basel.key.pem
  fedcdi site kits/basel --data basel.csv --state state --page 127.0.0.1:7481
  fedcdi site kits/basel --data basel.csv --state state --offline basel.question basel.answer

policy.toml (what is left out has these values):
  methods        = []     # local methods that may run here; all if there are none
  rounds         = 100    # at most so many
  smallest_group = 10     # rows of an intervention with fewer rows take no part, nor do fewer without one
  smallest_cell  = 5      # no test counts cells of fewer expected rows
  row_band       = 5      # numbers of rows are told in multiples of this
  longest_answer = 86400  # seconds that one answer may take
  tests          = true   # independence tests may be asked for
  profile        = true   # the site may be asked to describe its data
  count          = false  # sums over its rows may be asked for: counts, and slopes of models")]
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

    /// Show on a page at this address, read-only, for a browser: what this site was asked and what left it
    ///
    /// The program prints the address to open. It ends with a token, which is kept in page-token in the
    /// folder of --state. The page is not encrypted: choose a loopback address. /healthz and /metrics
    /// (Prometheus) are at the same address.
    #[arg(long, value_name = "HOST:PORT")]
    page: Option<String>,

    /// How to say what happens
    #[arg(long, value_enum, default_value_t)]
    log: Log,

    /// Send nothing: write what would leave into this folder, with a page to read
    #[arg(long, value_name = "FOLDER")]
    dry_run: Option<PathBuf>,

    /// Open no connection: answer the question in one file into another, and end
    #[arg(long, num_args = 2, value_names = ["QUESTION", "ANSWER"], conflicts_with = "dry_run")]
    offline: Option<Vec<PathBuf>>,
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
        let work = Work::new(prepared.epochs());
        let observer = Some(work.observer());
        if let Some(folder) = &self.dry_run {
            let rehearsal = prepared.rehearse(observer).map_err(NetworkError::from)?;
            return rehearse(rehearsal, &work, folder);
        }
        joining.longest_answer = Some(Duration::from_secs(prepared.policy().longest_answer));
        let site = prepared.open(&file.state, observer);
        let mut site = site.map_err(NetworkError::from)?;
        if let Some([question, answer]) = self.offline.as_deref() {
            answer_by_files(&mut site, question, answer)?;
            return match site.result() {
                Some(_) => output::print(&write_result(&file, &site)?),
                None => Ok(()),
            };
        }
        let runtime = runtime()?;
        runtime.spawn(remind(file.kit.clone(), output::warn));
        let board = Board::at(self.page);
        let ended = runtime.block_on(take_part_shown(
            &file,
            (joining, self.log),
            site,
            &work,
            &board,
        ));
        let ended = ended.and_then(|site| write_result(&file, &site));
        let ending = match &ended {
            Ok(told) => Ending::Result(told.clone()),
            Err(failure) => Ending::Failed(failure.to_string()),
        };
        runtime.block_on(board.close(|part| part.end(ending)));
        // An answer that took too long may still be at work.
        runtime.shutdown_background();
        output::print(&ended?)
    }
}

async fn take_part_shown(
    file: &SiteFile,
    (joining, log): (Joining, Log),
    site: Site,
    work: &Work,
    board: &Board<Part>,
) -> Result<Site, Failure> {
    if let Some(url) = board.open(&file.state).await? {
        output::note(&format!("page  {url}"));
    }
    let tell = |event| {
        if let Event::Asked(_) = event {
            work.begin();
        }
        // Not inside: the bar is locked there.
        let seconds = work.seconds();
        work.aside(|| tell(log, event, seconds));
    };
    Ok(take_part(joining, &file.state, site, board, tell).await?)
}

/// Writes what the study came to; in words.
fn write_result(file: &SiteFile, site: &Site) -> Result<String, Failure> {
    let Some((spec, result)) = result_at(site)? else {
        return Ok("the study ended without a result for this site\n".to_owned());
    };
    let folder = file.state.join("result");
    write_run(&folder, &spec, &result, None, Overwrite::Yes)?;
    Ok(format!(
        "the study is over after {}: {}\n{}written  {}\n",
        count(result.rounds().len(), "round"),
        count(result.dag.n_edges(), "edge"),
        output::line(result.refinement()),
        folder.display()
    ))
}

/// One question by courier.
fn answer_by_files(site: &mut Site, question: &Path, answer: &Path) -> Result<(), Failure> {
    let asked = fs::read(question).map_err(|error| FileError::io(question, error))?;
    let answered = site.answer(&asked).map_err(NetworkError::from)?;
    if let Some(why) = answered.declined {
        output::warn(&format!("declined: {why}"));
    }
    write_bytes(answer, &answered.bytes)?;
    let (n_bytes, digest) = (answered.bytes.len(), Digest::of(&answered.bytes));
    output::print(&format!(
        "written  {}: {n_bytes} bytes, SHA-256 {digest}\n",
        answer.display()
    ))
}

/// Answers every question of the plan on this machine, and writes what would leave.
fn rehearse(rehearsal: Rehearsal, work: &Work, folder: &Path) -> Result<(), Failure> {
    work.begin();
    let tell = |exchanged: &Exchanged| {
        let (number, n_bytes) = (exchanged.number, exchanged.answer.len());
        let would = format!("question {number}: an answer of {n_bytes} bytes would leave");
        work.aside(|| output::note(&would));
        work.begin();
    };
    let account = Account::of(rehearsal, tell).map_err(NetworkError::from)?;
    account.write(folder, Overwrite::Yes)?;
    output::print(&format!(
        "nothing was sent\nwritten  {}\n",
        folder.join(ACCOUNT).display()
    ))
}

pub(super) fn runtime() -> Result<Runtime, Failure> {
    Runtime::new().map_err(|error| Failure::Failed(format!("cannot start threads: {error}")))
}

fn tell(log: Log, event: Event, seconds: f64) {
    let (kind, text) = match event {
        Event::Connected => ("connected", "connected to the coordinator".to_owned()),
        Event::Away(why, wait) => {
            let wait = wait.as_secs_f64();
            let text = format!("the coordinator cannot be reached ({why}); again in {wait:.1} s");
            ("away", text)
        }
        Event::Asked(n_bytes) => ("asked", format!("a question of {n_bytes} bytes")),
        Event::Answered(n_bytes) => (
            "answered",
            format!("an answer of {n_bytes} bytes left after {seconds:.1} s, and is acknowledged"),
        ),
        Event::Declined(why) => ("declined", format!("declined: {why}")),
        Event::Refused => (
            "refused",
            "the coordinator does not take the answer".to_owned(),
        ),
    };
    log.say(kind, &text);
}
