//! `fedcdi coordinator`: serves a study between machines.

use std::path::PathBuf;

use fedcdi_data::write::Overwrite;
use fedcdi_network::coordinator::{Event, Ways, serve};
use fedcdi_network::expiry::remind;
use fedcdi_network::page::{Board, Ending, Study};
use fedcdi_protocol::StudyEvent;
use fedcdi_study::{RunResult, write_run};

use super::site::runtime;
use crate::failure::Failure;
use crate::output::{self, Log};

/// Coordinate a study between machines: ask the sites, add up, decide
///
/// Sites connect to this machine, over TLS 1.3 with the certificates of their kits; it connects to nobody.
/// Every answer is on the disk before it is acknowledged. Killed and started again with the same --state,
/// it goes on where it was. It ends when every site has the result.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fedcdi coordinator kits/coordinator --state ledger
  fedcdi coordinator kits/coordinator --state ledger --listen 0.0.0.0:7443
  fedcdi coordinator kits/coordinator --state ledger --page 127.0.0.1:7480
  fedcdi coordinator kits/coordinator --state ledger --courier mail

ledger/result is the folder of the run: report.html, graph.json, belief.csv and the others.")]
pub(crate) struct Args {
    /// The coordinator's kit, from fedcdi provision
    #[arg(value_name = "KIT")]
    kit: PathBuf,

    /// Folder that keeps the answers, and the result
    #[arg(long, value_name = "FOLDER")]
    state: PathBuf,

    /// Address to listen on [default: the address of the kit]
    #[arg(long, value_name = "HOST:PORT")]
    listen: Option<String>,

    /// Folder for sites without a network: questions are laid there, answers are taken from there
    #[arg(long, value_name = "FOLDER")]
    courier: Option<PathBuf>,

    /// Show the study on a page at this address, read-only, for a browser: its sites, rounds and graph
    ///
    /// The program prints the address to open. It ends with a token, which is kept in page-token in the
    /// folder of --state. The page is not encrypted: choose a loopback address, and a tunnel or proxy if it
    /// is to be read from elsewhere. /healthz and /metrics (Prometheus) are at the same address.
    #[arg(long, value_name = "HOST:PORT")]
    page: Option<String>,

    /// How to say what happens
    #[arg(long, value_enum, default_value_t)]
    log: Log,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let runtime = runtime()?;
        runtime.spawn(remind(self.kit.clone(), output::warn));
        let board = Board::at(self.page.clone());
        let ended = runtime.block_on(self.serve(&board));
        let ending = match &ended {
            Ok(_) => Ending::Result(self.folder().display().to_string()),
            Err(failure) => Ending::Failed(failure.to_string()),
        };
        runtime.block_on(board.close(|study| study.end(ending)));
        let result = ended?;
        let warnings = result.warnings.iter();
        warnings.for_each(|warning| output::warn(warning));
        output::print(&format!(
            "{} edges after {} rounds\n{}written  {}\n",
            result.dag.n_edges(),
            result.rounds().len(),
            output::line(result.refinement()),
            self.folder().display()
        ))
    }

    /// The result, once it is written.
    async fn serve(&self, board: &Board<Study>) -> Result<RunResult, Failure> {
        let ways = Ways {
            listen: self.listen.clone(),
            courier: self.courier.clone(),
        };
        let (spec, result) = serve(&self.kit, &self.state, &ways, board, |event| {
            tell(self.log, event);
        })
        .await?;
        write_run(&self.folder(), &spec, &result, None, Overwrite::Yes)?;
        Ok(result)
    }

    fn folder(&self) -> PathBuf {
        self.state.join("result")
    }
}

fn tell(log: Log, event: Event) {
    let (kind, text) = match event {
        Event::Listening(address) => ("listening", format!("listening on {address}")),
        Event::Page(url) => ("page", format!("page      {url}")),
        Event::Connected(site) => ("connected", format!("{site} is connected")),
        Event::TurnedAway(why) => ("turned_away", format!("turned away: {why}")),
        Event::NoQuorum(number) => (
            "no_quorum",
            format!(
                "the time for question {number} is over, and too few sites have answered; waiting for more"
            ),
        ),
        Event::Absent(site, 0, why) => ("absent", format!("{site} does not take part: {why}")),
        Event::Absent(site, round, why) => (
            "absent",
            format!("question {round} is without {site}: {why}"),
        ),
        Event::Courier(why) => ("courier", why),
        Event::Study(StudyEvent::Moved {
            n_sites,
            n_ruled_out,
        }) => (
            "moves",
            format!(
                "what moves what: {n_sites} sites have told, {n_ruled_out} edges are ruled out"
            ),
        ),
        Event::Study(StudyEvent::RoundStarted { round, n_sites }) => {
            ("round", format!("round {round}: {n_sites} sites are asked"))
        }
        Event::Study(StudyEvent::Aggregated(record)) => (
            "aggregated",
            format!(
                "round {}: {} answers, {} edges",
                record.round, record.n_answers, record.n_edges
            ),
        ),
        Event::Study(StudyEvent::SearchStarted { n_sites, n_edges }) => (
            "search",
            format!(
                "scores of all rows: {n_sites} sites are asked for sums, from {n_edges} edges on"
            ),
        ),
        Event::Study(StudyEvent::Searched {
            question,
            n_edges,
            changes,
        }) => (
            "searched",
            format!("sums {question}: {n_edges} edges ({changes})"),
        ),
        Event::Study(StudyEvent::SearchRestarted { n_sites }) => (
            "search_again",
            format!("a site was lost: scores of the rows of {n_sites} sites, from the beginning"),
        ),
        Event::Study(StudyEvent::Failed { message, .. }) => ("failed", message),
        Event::Study(StudyEvent::Finished { .. }) => {
            let text = "the study has its result; sites are told";
            ("finished", text.to_owned())
        }
        Event::Study(_) => return,
    };
    log.say(kind, &text);
}
