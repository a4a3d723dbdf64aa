//! `fedcdi coordinator`: serves a study between machines.

use std::path::PathBuf;

use fedcdi_data::write::Overwrite;
use fedcdi_network::coordinator::{Event, serve};
use fedcdi_network::expiry::remind;
use fedcdi_protocol::StudyEvent;
use fedcdi_study::write_run;

use super::site::runtime;
use crate::failure::Failure;
use crate::output;

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
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let served = serve(&self.kit, &self.state, self.listen.as_deref(), tell);
        let runtime = runtime()?;
        runtime.spawn(remind(self.kit.clone(), output::warn));
        let (spec, result) = runtime.block_on(served)?;
        let folder = self.state.join("result");
        write_run(&folder, &spec, &result, None, Overwrite::Yes)?;
        let warnings = result.warnings.iter();
        warnings.for_each(|warning| output::warn(warning));
        output::print(&format!(
            "{} edges after {} rounds\nwritten  {}\n",
            result.dag.n_edges(),
            result.rounds().len(),
            folder.display()
        ))
    }
}

fn tell(event: Event) {
    let text = match event {
        Event::Listening(address) => format!("listening on {address}"),
        Event::Connected(site) => format!("{site} is connected"),
        Event::TurnedAway(why) => format!("turned away: {why}"),
        Event::NoQuorum(number) => format!(
            "the time for question {number} is over, and too few sites have answered; waiting for more"
        ),
        Event::Study(event) => match event {
            StudyEvent::RoundStarted { round, n_sites } => {
                format!("round {round}: {n_sites} sites are asked")
            }
            StudyEvent::Aggregated(record) => format!(
                "round {}: {} answers, {} edges",
                record.round, record.n_answers, record.n_edges
            ),
            StudyEvent::Failed { message, .. } => message,
            StudyEvent::Finished { .. } => "the study has its result; sites are told".to_owned(),
            _ => return,
        },
    };
    output::note(&text);
}
