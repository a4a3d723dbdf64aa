//! `fedcdi provision`: from an agreed study to a folder for each party.

use std::path::PathBuf;

use fedcdi_study::kit::StudyFile;

use crate::failure::Failure;
use crate::output;

/// Make the kits of a study between institutions: one folder for the coordinator, one per site
///
/// Every party gets its own folder and nobody else's. The coordinator's has the plan: settings, names of
/// sites and variables, and no label of a category. A site's has the plan, the categories and a secret
/// that keeps labels from being guessed. A second call makes other secrets, so kits of two calls do not
/// fit together.
///
/// A site can make its key itself (fedcdi site request): with --requests, its kit has a certificate and
/// no key, and the private key never travels. Sites without a request get a key in their kit.
///
/// With an address in study.toml, every kit also has a certificate of the study, and `fedcdi coordinator`
/// and `fedcdi site` carry the messages. Without one, Flower, NVIDIA FLARE or a program of your own does:
/// docs/engines.md shows how.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fedcdi provision study.toml --out kits
  fedcdi provision study.toml --out kits --requests requests

study.toml:
  name   = \"hearts\"
  sites  = [\"basel\", \"bern\", \"chur\"]
  schema = \"schema.json\"       # all variables and categories, from fedcdi dictionary merge
  address = \"host:7443\"       # where fedcdi coordinator will be; left out for other carriers
  deadline = 3600              # seconds that sites have for a question
  valid_days = 365             # days until the certificates end: longer than the study may take
  seed   = 1                   # and any settings of a run, as docs/spec.md lists them
  [coordinator]
  rounds = 10")]
pub(crate) struct Args {
    /// The study as its parties agree on it
    #[arg(value_name = "FILE")]
    study: PathBuf,

    /// Folder to make, with a folder for each party
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,

    /// Requests of sites that keep their own keys: files NAME.request.pem, from fedcdi site request
    #[arg(long, value_name = "FOLDER")]
    requests: Option<PathBuf>,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let study = StudyFile::read(&self.study)?;
        Failure::refuse_if(
            self.requests.is_some() && study.address.is_none(),
            "--requests does not apply: kits have certificates only if study.toml names an address",
        )?;
        let folders = match &study.address {
            Some(address) => {
                let requests = self.requests.as_deref();
                fedcdi_network::kit::provision(&study, address, &self.out, requests)?
            }
            None => study.provision(&self.out)?,
        };
        let lines = folders
            .iter()
            .map(|folder| format!("{}\n", folder.display()));
        output::print(&lines.collect::<String>())
    }
}
