//! A study of two sites whose certificates the test makes itself.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fedcdi_network::NetworkError;
use fedcdi_network::coordinator::{self, Ways, serve};
use fedcdi_network::kit::provision;
use fedcdi_network::page::Board;
use fedcdi_network::site::{self, take_part};
use fedcdi_study::Reading;
use fedcdi_study::kit::{SiteFile, StudyFile};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;
use time::OffsetDateTime;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::task::JoinHandle;

pub(crate) const SITE: &str = "basel";
pub(crate) const COORDINATOR: &str = "coordinator.fedcdi";
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// An authority whose key is at hand.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pub(crate) pem: String,
    pub(crate) key: String,
}

/// A certificate with its key.
#[derive(Clone)]
pub(crate) struct Certified {
    pub(crate) pem: String,
    pub(crate) key: String,
    pub(crate) fingerprint: String,
}

/// When a certificate is valid, in days from now.
pub(crate) type Days = (i64, i64);
pub(crate) const NOW: Days = (-1, 30);

pub(crate) const OF_SITE: ExtendedKeyUsagePurpose = ExtendedKeyUsagePurpose::ClientAuth;
pub(crate) const OF_COORDINATOR: ExtendedKeyUsagePurpose = ExtendedKeyUsagePurpose::ServerAuth;

fn params(name: &str, days: Days) -> CertificateParams {
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    let at = |days| OffsetDateTime::now_utc() + time::Duration::days(days);
    (params.not_before, params.not_after) = (at(days.0), at(days.1));
    params
}

impl Authority {
    /// Of the study of this place; every call makes another one.
    pub(crate) fn new() -> Self {
        Self::named("authority")
    }

    pub(crate) fn named(name: &str) -> Self {
        let mut params = params(name, (-100, 100));
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        Self::of(params, CertificateParams::self_signed)
    }

    /// A party that plays the authority, with a certificate of this one.
    pub(crate) fn party(&self, name: &str, role: ExtendedKeyUsagePurpose) -> Self {
        let mut params = params(name, NOW);
        params.extended_key_usages = vec![role];
        Self::of(params, |params, key| params.signed_by(key, &self.issuer))
    }

    fn of(
        params: CertificateParams,
        sign: impl FnOnce(&CertificateParams, &KeyPair) -> Result<rcgen::Certificate, rcgen::Error>,
    ) -> Self {
        let key = KeyPair::generate().unwrap();
        let pem = sign(&params, &key).unwrap().pem();
        Self {
            pem,
            key: key.serialize_pem(),
            issuer: Issuer::new(params, key),
        }
    }

    pub(crate) fn certify(
        &self,
        name: &str,
        role: ExtendedKeyUsagePurpose,
        days: Days,
    ) -> Certified {
        let (mut params, key) = (params(name, days), KeyPair::generate().unwrap());
        params.extended_key_usages = vec![role];
        Certified::of(&params.signed_by(&key, &self.issuer).unwrap(), &key)
    }
}

impl Certified {
    fn of(certificate: &rcgen::Certificate, key: &KeyPair) -> Self {
        let digest = Sha256::digest(certificate.der());
        Self {
            pem: certificate.pem(),
            key: key.serialize_pem(),
            fingerprint: digest
                .iter()
                .fold(String::new(), |text, byte| text + &format!("{byte:02x}")),
        }
    }

    /// Signed by nobody else.
    pub(crate) fn by_itself(name: &str, role: ExtendedKeyUsagePurpose) -> Self {
        let (mut params, key) = (params(name, NOW), KeyPair::generate().unwrap());
        params.extended_key_usages = vec![role];
        Self::of(&params.self_signed(&key).unwrap(), &key)
    }
}

/// A folder with the kits of a study.
pub(crate) struct Place {
    folder: TempDir,
    pub(crate) authority: Authority,
}

impl Place {
    /// With certificates that are as they must be.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let place = Self {
            folder,
            authority: Authority::new(),
        };
        let schema = r#"{"variables":[{"name":"a","categories":["0","1"]},{"name":"b","categories":["0","1"]}]}"#;
        fs::write(place.at("schema.json"), schema).unwrap();
        let row = |at: usize| format!("{},{},{}\n", at % 2, at / 2 % 2, ["", "a"][at / 50]);
        let rows: String = (0..100).map(row).collect();
        fs::write(place.at("data.csv"), format!("a,b,intervention\n{rows}")).unwrap();
        let text = "name = \"s\"\nsites = [\"basel\", \"bern\"]\nschema = \"schema.json\"\naddress = \"127.0.0.1:1\"\n";
        fs::write(place.at("study.toml"), text).unwrap();
        let study = StudyFile::read(&place.at("study.toml")).unwrap();
        provision(&study, "127.0.0.1:1", &place.at("kits"), None).unwrap();
        let own = place.authority.certify(COORDINATOR, OF_COORDINATOR, NOW);
        place.give("coordinator", &own);
        let own = place.authority.certify(SITE, OF_SITE, NOW);
        place.give(SITE, &own);
        place.enlist(&own);
        place
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn kit(&self, party: &str) -> PathBuf {
        self.at("kits").join(party)
    }

    /// Makes this the certificate of a party, which trusts the study's authority.
    pub(crate) fn give(&self, party: &str, certified: &Certified) {
        let kit = self.kit(party);
        fs::write(kit.join("authority.pem"), &self.authority.pem).unwrap();
        fs::write(kit.join("certificate.pem"), &certified.pem).unwrap();
        fs::write(kit.join("key.pem"), &certified.key).unwrap();
    }

    /// Changes a value of a party's `network.json`.
    pub(crate) fn set(&self, party: &str, key: &str, value: serde_json::Value) {
        let file = self.kit(party).join("network.json");
        let mut network: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        network[key] = value;
        fs::write(&file, serde_json::to_string_pretty(&network).unwrap()).unwrap();
    }

    /// The site's only certificate in the roster.
    pub(crate) fn enlist(&self, certified: &Certified) {
        let roster = serde_json::json!({ SITE: certified.fingerprint });
        self.set("coordinator", "roster", roster);
    }

    pub(crate) fn point_to(&self, address: SocketAddr) {
        self.set(SITE, "address", address.to_string().into());
    }

    /// Begins to serve; the site's kit gets the address.
    pub(crate) async fn serve(&self, state: &str) -> Served {
        let (tell, mut heard) = mpsc::unbounded_channel();
        let (kit, state) = (self.kit("coordinator"), self.at(state));
        let task = tokio::spawn(async move {
            let tell = move |event| drop(tell.send(event));
            let ended = serve(
                &kit,
                &state,
                &Ways::at("127.0.0.1:0"),
                &Board::at(None),
                tell,
            )
            .await;
            ended.map(drop)
        });
        let Some(coordinator::Event::Listening(address)) = heard.recv().await else {
            panic!("it does not listen: {:?}", task.await.unwrap());
        };
        self.point_to(address);
        let heard = Heard(heard);
        Served {
            address,
            heard,
            task,
        }
    }

    /// Begins to take part.
    pub(crate) fn take_part(&self, state: &str) -> TakingPart {
        let file = SiteFile {
            name: SITE.to_owned(),
            kit: self.kit(SITE),
            data: self.at("data.csv"),
            policy: None,
            state: self.at(state),
            read: Reading::default(),
        };
        let site = file.open(None).unwrap();
        let (tell, heard) = mpsc::unbounded_channel();
        let task = tokio::spawn(async move {
            let tell = move |event| drop(tell.send(event));
            take_part(&file.kit, &file.state, site, &Board::at(None), tell)
                .await
                .map(drop)
        });
        TakingPart { heard, task }
    }
}

/// What a coordinator tells.
pub(crate) struct Heard(UnboundedReceiver<coordinator::Event>);

impl Heard {
    /// Why somebody was turned away.
    pub(crate) async fn turned_away(&mut self) -> String {
        let wait = async {
            loop {
                match self.0.recv().await.expect("it serves") {
                    coordinator::Event::TurnedAway(why) => return why,
                    coordinator::Event::Connected(who) => panic!("{who} was let in"),
                    _ => {}
                }
            }
        };
        tokio::time::timeout(PATIENCE, wait)
            .await
            .expect("nobody was turned away")
    }

    pub(crate) async fn connected(&mut self) {
        let wait = async {
            while !matches!(self.0.recv().await, Some(coordinator::Event::Connected(_))) {}
        };
        tokio::time::timeout(PATIENCE, wait)
            .await
            .expect("nobody came");
    }
}

pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    pub(crate) heard: Heard,
    task: JoinHandle<Result<(), NetworkError>>,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.task.abort();
    }
}

pub(crate) struct TakingPart {
    heard: UnboundedReceiver<site::Event>,
    pub(crate) task: JoinHandle<Result<(), NetworkError>>,
}

impl TakingPart {
    /// Why the coordinator cannot be reached.
    pub(crate) async fn away(&mut self) -> String {
        let wait = async {
            loop {
                match self.heard.recv().await.expect("it tries") {
                    site::Event::Away(why, _) => return why,
                    site::Event::Connected => panic!("it was let in"),
                    _ => {}
                }
            }
        };
        tokio::time::timeout(PATIENCE, wait)
            .await
            .expect("it heard nothing")
    }

    /// How it ended.
    pub(crate) async fn ended(&mut self) -> String {
        let ended = tokio::time::timeout(PATIENCE, &mut self.task).await;
        ended.expect("it goes on").unwrap().unwrap_err().to_string()
    }
}

impl Drop for TakingPart {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The first half of a file.
pub(crate) fn truncate(file: &Path) {
    let text = fs::read_to_string(file).unwrap();
    fs::write(file, &text[..text.len() / 2]).unwrap();
}
