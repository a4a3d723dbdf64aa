//! What a kit has for the network, beside what [`fedcdi_study::kit`] puts there.
//!
//! | file | coordinator | site | holds |
//! |---|---|---|---|
//! | `network.json` | yes | yes | the address, and when the certificates end; of the coordinator also the roster and the time for a question |
//! | `authority.pem` | yes | yes | whom the study trusts |
//! | `certificate.pem`, `key.pem` | yes | yes | who the party is; the key is for its owner alone, and not there if a site made its own |

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fedcdi_core::Remedy;
use fedcdi_data::file_error::FileError;
use fedcdi_study::kit::StudyFile;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use tokio::task::JoinHandle;

use crate::error::NetworkError;
use crate::expiry;
use crate::identity::{Authority, Identity};
use crate::request::{Requests, read_requests, write_secret};

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
    /// When the certificates end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends: Option<String>,
    /// Whether the site made its own key, which is in no kit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_key: bool,
    /// Seconds that sites have for a question; of the coordinator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<u64>,
    /// Fingerprints of the sites' certificates; of the coordinator.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub roster: BTreeMap<String, String>,
}

impl Network {
    pub(crate) fn read(path: &Path) -> Result<Self, FileError> {
        let text = fs::read_to_string(path).map_err(|error| FileError::text(path, error))?;
        serde_json::from_str(&text)
            .map_err(|error| FileError::whole(path, error.to_string(), NEW_KIT))
    }

    pub(crate) fn of_kit(kit: &Path) -> Result<Self, FileError> {
        Self::read(&kit.join(NETWORK))
    }

    pub(crate) fn ends(&self) -> Option<OffsetDateTime> {
        expiry::read(self.ends.as_deref()?)
    }
}

/// The kit of a party, as it is read.
pub(crate) struct Kit {
    folder: PathBuf,
    pub(crate) network: Network,
    pub(crate) authority: Pem,
    pub(crate) certificate: Pem,
    pub(crate) key: Pem,
}

/// A file of certificates or keys.
pub(crate) struct Pem {
    path: PathBuf,
    pub(crate) text: String,
}

impl Pem {
    /// It does not hold what it should.
    pub(crate) fn wrong(&self, what: &str, error: &impl std::fmt::Display) -> FileError {
        let problem = format!("no {what} can be read in it: {error}");
        FileError::whole(&self.path, problem, NEW_KIT)
    }
}

/// Makes the kits of a study whose file names an address; sites with a request in the folder `requests`
/// keep their own keys. Returns the kits' folders.
///
/// # Errors
/// [`NetworkError`] if the study makes no plan, a request is none, or the folder exists already.
pub fn provision(
    study: &StudyFile,
    address: &str,
    out: &Path,
    requests: Option<&Path>,
) -> Result<Vec<PathBuf>, NetworkError> {
    let made = |error: rcgen::Error| NetworkError::Certificate(error.to_string());
    let requests = match requests {
        Some(folder) => read_requests(folder, &study.sites)?,
        None => Requests::new(),
    };
    let authority = Authority::new(&study.name, study.valid_days).map_err(made)?;
    let mut sites = Vec::with_capacity(study.sites.len());
    for name in &study.sites {
        let identity = match requests.get(name) {
            Some(key) => authority.site_of(name, key),
            None => authority.site(name),
        };
        sites.push((name.clone(), identity.map_err(made)?));
    }
    let coordinator = authority.coordinator().map_err(made)?;
    let folders = study.provision(out)?;
    let network = |name: &str, identity: &Identity| Network {
        name: name.to_owned(),
        address: address.to_owned(),
        ends: Some(expiry::written(authority.ends())),
        own_key: identity.key.is_none(),
        deadline: None,
        roster: BTreeMap::new(),
    };
    let roster = sites
        .iter()
        .map(|(name, identity)| (name.clone(), identity.fingerprint.clone()));
    let all = Network {
        deadline: Some(study.deadline),
        roster: roster.collect(),
        ..network("coordinator", &coordinator)
    };
    write(&folders[0], &all, &authority.pem, &coordinator)?;
    for (folder, (name, identity)) in folders[1..].iter().zip(&sites) {
        write(folder, &network(name, identity), &authority.pem, identity)?;
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
    match &party.key {
        Some(key) => write_secret(&path, key).map_err(|error| FileError::io(&path, error)),
        None => Ok(()),
    }
}

impl Kit {
    /// A kit that can be used today.
    pub(crate) fn read(folder: &Path) -> Result<Self, NetworkError> {
        Self::with_key(folder, None)
    }

    /// The same with a key that is not in the kit.
    fn with_key(folder: &Path, key: Option<&Path>) -> Result<Self, NetworkError> {
        let pem = |path: PathBuf| {
            let text = fs::read_to_string(&path);
            text.map(|text| Pem {
                path: path.clone(),
                text,
            })
            .map_err(|error| (path, error))
        };
        let inside = |name: &str| {
            pem(folder.join(name)).map_err(|(path, error)| match error.kind() {
                std::io::ErrorKind::NotFound if folder.is_dir() => missing(folder, name),
                _ => FileError::text(&path, error),
            })
        };
        let network = inside(NETWORK)?.path;
        let network = Network::read(&network)?;
        let key = match key {
            Some(path) => {
                pem(path.to_owned()).map_err(|(path, error)| FileError::text(&path, error))?
            }
            None if network.own_key && !folder.join(KEY).exists() => return Err(no_key(folder)),
            None => inside(KEY)?,
        };
        let kit = Self {
            folder: folder.to_owned(),
            network,
            authority: inside(AUTHORITY)?,
            certificate: inside(CERTIFICATE)?,
            key,
        };
        kit.check_time()?;
        kit.check_identity()?;
        Ok(kit)
    }

    fn check_time(&self) -> Result<(), FileError> {
        match self.network.ends() {
            Some(ends) if ends <= OffsetDateTime::now_utc() => {
                let problem = format!("the certificates of this study ended on {}", ends.date());
                Err(FileError::whole(&self.folder, problem, expiry::REMEDY))
            }
            _ => Ok(()),
        }
    }

    /// The key is not that of the certificate.
    pub(crate) fn other_key(&self) -> NetworkError {
        let certificate = self.certificate.path.display();
        let problem = format!("it is not the key of the certificate in {certificate}");
        let remedy = Remedy::from("name the key that was made with this site's request: ")
            .set("key", format!("{}.key.pem", self.network.name));
        FileError::whole(&self.key.path, problem, remedy).into()
    }

    pub(crate) fn network_file(&self) -> PathBuf {
        self.folder.join(NETWORK)
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

fn missing(folder: &Path, name: &str) -> FileError {
    let problem = format!("the kit has no {name}");
    let remedy = "make it from a study.toml that names an address";
    FileError::whole(folder, problem, remedy)
}

fn no_key(folder: &Path) -> NetworkError {
    let problem = "the kit has no key.pem, because this site made its own key with its request";
    let remedy = Remedy::from("put that key into the kit as key.pem, or pass ").setting("key");
    FileError::whole(folder, problem, remedy).into()
}

/// How a site takes part.
#[derive(Clone, Debug, Default)]
pub struct Joining {
    /// Its kit.
    pub kit: PathBuf,
    /// Its key, if it is not in the kit.
    pub key: Option<PathBuf>,
    /// How long one answer may take; any time if none is named.
    pub longest_answer: Option<Duration>,
}

impl From<&Path> for Joining {
    fn from(kit: &Path) -> Self {
        Self {
            kit: kit.to_owned(),
            ..Self::default()
        }
    }
}

impl From<&PathBuf> for Joining {
    fn from(kit: &PathBuf) -> Self {
        Self::from(kit.as_path())
    }
}

impl Joining {
    /// The name of the site in the study.
    ///
    /// # Errors
    /// [`NetworkError`] if the kit is none, its certificates have ended, or the key is another one.
    pub fn name(&self) -> Result<String, NetworkError> {
        let folder = &self.kit;
        match folder.file_name().and_then(|name| name.to_str()) {
            // For other carriers: it has no certificate that would say so.
            Some(name) if folder.is_dir() && !Kit::has_network(folder) => Ok(name.to_owned()),
            _ => Ok(self.kit()?.network.name),
        }
    }

    pub(crate) fn kit(&self) -> Result<Kit, NetworkError> {
        Kit::with_key(&self.kit, self.key.as_deref())
    }

    /// What comes of answering, unless it takes too long.
    pub(crate) async fn in_time<T>(&self, answering: JoinHandle<T>) -> Result<T, NetworkError> {
        let answered = match self.longest_answer {
            None => answering.await,
            Some(longest) => match tokio::time::timeout(longest, answering).await {
                Ok(answered) => answered,
                Err(_) => return Err(NetworkError::TooSlow(longest)),
            },
        };
        answered.map_err(|_| NetworkError::Defect)
    }
}

/// The name of the site that a kit is for.
///
/// # Errors
/// [`NetworkError`] if it is no kit.
pub fn site_name(folder: &Path) -> Result<String, NetworkError> {
    Joining::from(folder).name()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[tokio::test]
    async fn an_answer_that_takes_too_long_is_given_up() {
        let work =
            || tokio::task::spawn_blocking(|| std::thread::sleep(Duration::from_millis(200)));
        let joining = |longest| Joining {
            longest_answer: longest,
            ..Joining::default()
        };
        let late = joining(Some(Duration::from_millis(5)))
            .in_time(work())
            .await;
        let text = late.unwrap_err().to_string();
        assert!(
            text.contains("longer than the 0 s that this site's policy allows"),
            "{text}"
        );
        joining(Some(Duration::from_mins(1)))
            .in_time(work())
            .await
            .unwrap();
        joining(None).in_time(work()).await.unwrap();
    }

    #[test]
    fn an_old_kit_is_read_and_a_new_one_says_when_it_ends() {
        let old = r#"{"name":"basel","address":"host:7443"}"#;
        let old: Network = serde_json::from_str(old).unwrap();
        assert!(old.ends().is_none() && !old.own_key);
        assert_eq!(
            serde_json::to_string(&old).unwrap(),
            r#"{"name":"basel","address":"host:7443"}"#
        );
        let new = r#"{"name":"basel","address":"host:7443","ends":"2027-06-30T12:00:00Z","own_key":true}"#;
        let new: Network = serde_json::from_str(new).unwrap();
        assert!(new.ends().is_some() && new.own_key);
    }
}
