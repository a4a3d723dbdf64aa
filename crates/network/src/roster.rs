//! Who takes part, as long as the study lasts.
//!
//! The roster is in the coordinator's `network.json`. A line that is removed from it takes that site out of
//! a running study: the file is looked at again, and the site's next message is refused, on connections
//! that are open, too.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use fedcdi_core::ClientId;

use crate::kit::{Kit, Network};

/// The file is looked at no more often.
const LOOK: Duration = Duration::from_secs(2);

/// The sites of a study by the fingerprints of their certificates.
pub(crate) struct Roster {
    file: PathBuf,
    names: Vec<String>,
    known: Mutex<Known>,
}

struct Known {
    looked: Instant,
    file_was: Option<(SystemTime, u64)>,
    sites: BTreeMap<String, ClientId>,
}

impl Roster {
    /// Of a coordinator's kit, for a plan with sites of these names.
    pub(crate) fn new(kit: &Kit, names: &[String]) -> Self {
        let file = kit.network_file();
        let known = Known {
            looked: Instant::now(),
            file_was: stamp(&file),
            sites: sites(&kit.network, names),
        };
        Self {
            file,
            names: names.to_vec(),
            known: Mutex::new(known),
        }
    }

    /// The site whose certificate has this fingerprint.
    pub(crate) fn site(&self, fingerprint: &str) -> Option<ClientId> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.looked.elapsed() >= LOOK {
            known.looked = Instant::now();
            let now = stamp(&self.file);
            // A file that is being written is read the next time.
            if now.is_some()
                && now != known.file_was
                && let Ok(network) = Network::read(&self.file)
            {
                known.sites = sites(&network, &self.names);
                known.file_was = now;
            }
        }
        known.sites.get(fingerprint).copied()
    }
}

fn stamp(file: &PathBuf) -> Option<(SystemTime, u64)> {
    let file = std::fs::metadata(file).ok()?;
    Some((file.modified().ok()?, file.len()))
}

fn sites(network: &Network, names: &[String]) -> BTreeMap<String, ClientId> {
    let site = |(at, name): (usize, &String)| {
        let fingerprint = network.roster.get(name)?;
        Some((fingerprint.clone(), ClientId(at as u32 + 1)))
    };
    names.iter().enumerate().filter_map(site).collect()
}
