//! What a kit has for the network, beside what [`fedcdi_study::kit`] puts there.
//!
//! | file | coordinator | site | holds |
//! |---|---|---|---|
//! | `network.json` | yes | yes | the address; of the coordinator also the roster and the time for a question |
//! | `authority.pem` | yes | yes | whom the study trusts |
//! | `certificate.pem`, `key.pem` | yes | yes | who the party is; the key is for its owner alone |

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fedcdi_data::file_error::FileError;
use fedcdi_study::kit::StudyFile;
use serde::{Deserialize, Serialize};

use crate::error::NetworkError;
use crate::identity::{Authority, Identity};

const NETWORK: &str = "network.json";
const AUTHORITY: &str = "authority.pem";
const CERTIFICATE: &str = "certificate.pem";
const KEY: &str = "key.pem";
const NEW_KIT: &str = "get the kit again from whoever made it";

/// What a party must know of the network.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// The party.
    pub name: String,
    /// Where the coordinator is: host and port.
    pub address: String,
    /// Seconds that sites have for a question; of the coordinator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<u64>,
    /// Fingerprints of the sites' certificates; of the coordinator.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub roster: BTreeMap<String, String>,
}

/// The kit of a party, as it is read.
pub(crate) struct Kit {
    pub(crate) network: Network,
    pub(crate) authority: String,
    pub(crate) certificate: String,
    pub(crate) key: String,
}

/// Makes the kits of a study whose file names an address. Returns their folders.
///
/// # Errors
/// [`NetworkError`] if the study makes no plan, or the folder exists already.
pub fn provision(
    study: &StudyFile,
    address: &str,
    out: &Path,
) -> Result<Vec<PathBuf>, NetworkError> {
    let made = |error: rcgen::Error| NetworkError::Certificate(error.to_string());
    let authority = Authority::new(&study.name).map_err(made)?;
    let mut sites = Vec::with_capacity(study.sites.len());
    for name in &study.sites {
        sites.push((name.clone(), authority.site(name).map_err(made)?));
    }
    let coordinator = authority.coordinator().map_err(made)?;
    let folders = study.provision(out)?;
    let network = |name: &str, deadline, roster| Network {
        name: name.to_owned(),
        address: address.to_owned(),
        deadline,
        roster,
    };
    let roster = sites
        .iter()
        .map(|(name, identity)| (name.clone(), identity.fingerprint.clone()));
    let all = network("coordinator", Some(study.deadline), roster.collect());
    write(&folders[0], &all, &authority.pem, &coordinator)?;
    for (folder, (name, identity)) in folders[1..].iter().zip(&sites) {
        write(
            folder,
            &network(name, None, BTreeMap::new()),
            &authority.pem,
            identity,
        )?;
    }
    Ok(folders)
}

fn write(
    folder: &Path,
    network: &Network,
    authority: &str,
    party: &Identity,
) -> Result<(), FileError> {
    let network = serde_json::to_string_pretty(network).expect("names and numbers are JSON") + "\n";
    for (name, text) in [
        (NETWORK, network.as_str()),
        (AUTHORITY, authority),
        (CERTIFICATE, &party.certificate),
    ] {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| FileError::io(&path, error))?;
    }
    let path = folder.join(KEY);
    write_secret(&path, &party.key).map_err(|error| FileError::io(&path, error))
}

/// A file that only its owner can read, from the first moment on.
pub(crate) fn write_secret(path: &Path, text: &str) -> std::io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(text.as_bytes())
}

impl Kit {
    pub(crate) fn read(folder: &Path) -> Result<Self, NetworkError> {
        let text = |name: &str| {
            let path = folder.join(name);
            fs::read_to_string(&path).map_err(|error| match error.kind() {
                std::io::ErrorKind::NotFound if folder.is_dir() => {
                    let problem = format!("the kit has no {name}");
                    FileError::whole(
                        folder,
                        problem,
                        "make it from a study.toml that names an address",
                    )
                }
                _ => FileError::text(&path, error),
            })
        };
        let network = serde_json::from_str(&text(NETWORK)?);
        Ok(Self {
            network: network.map_err(|error: serde_json::Error| {
                FileError::whole(&folder.join(NETWORK), error.to_string(), NEW_KIT)
            })?,
            authority: text(AUTHORITY)?,
            certificate: text(CERTIFICATE)?,
            key: text(KEY)?,
        })
    }

    /// Whether the kit has anything for the network.
    pub(crate) fn has_network(folder: &Path) -> bool {
        folder.join(NETWORK).exists()
    }

    /// How long sites have for a question.
    pub(crate) fn deadline(&self) -> Duration {
        Duration::from_secs(self.network.deadline.unwrap_or(StudyFile::DEADLINE))
    }
}

/// The name of the site that a kit is for. One without certificates is called as its folder.
///
/// # Errors
/// [`NetworkError`] if it is no kit.
pub fn site_name(folder: &Path) -> Result<String, NetworkError> {
    let called = folder.file_name().and_then(|name| name.to_str());
    match called {
        Some(name) if folder.is_dir() && !Kit::has_network(folder) => Ok(name.to_owned()),
        _ => Ok(Kit::read(folder)?.network.name),
    }
}
