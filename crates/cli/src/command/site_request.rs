//! `fedcdi site request`: a key that never leaves its site.

use std::path::PathBuf;

use fedcdi_network::request::request;

use crate::failure::Failure;
use crate::output;

/// Make this site's key, and a request for its certificate
///
/// FOLDER gets two files. NAME.key.pem is the private key: it stays at this site, readable for its owner
/// alone. NAME.request.pem goes to whoever makes the kits, by any way; nothing in it is secret. Both sides
/// should compare its SHA-256 by telephone. The kit that comes back has no key: name yours with
/// fedcdi site KIT --key.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fedcdi site request basel --out keys")]
pub(crate) struct Args {
    /// The site's name in the study
    #[arg(value_name = "NAME")]
    name: String,

    /// Folder for key and request
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let made = request(&self.name, &self.out)?;
        output::print(&format!(
            "{}  keep it here\n{}  send it to whoever makes the kits\n",
            made.key.display(),
            made.request.display()
        ))
    }
}
