//! Parties with programs of their own, which show certificates that no kit has.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::sign::{CertifiedKey, SingleCertAndKey};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, ServerConfig, crypto::ring};
use tokio_rustls::{TlsAcceptor, TlsConnector};

use rcgen::ExtendedKeyUsagePurpose;

use super::place::{Authority, COORDINATOR, NOW, OF_COORDINATOR, OF_SITE, Place, SITE};

/// Certificates that somebody shows, with the key that is used to prove them.
struct Shown {
    chain: Vec<CertificateDer<'static>>,
    key: String,
}

impl Shown {
    fn new(pems: &[&str], key: &str) -> Self {
        let certificate = |pem: &&str| CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();
        Self {
            chain: pems.iter().map(certificate).collect(),
            key: key.to_owned(),
        }
    }

    /// Whatever the key, as nobody would do by accident.
    fn resolver(&self) -> Arc<SingleCertAndKey> {
        let key = PrivateKeyDer::from_pem_slice(self.key.as_bytes()).unwrap();
        let key = ring::default_provider().key_provider.load_private_key(key);
        let own = CertifiedKey::new(self.chain.clone(), key.unwrap());
        Arc::new(SingleCertAndKey::from(own))
    }
}

/// What forgers may try, and why it is refused.
fn forgeries(
    authority: &Authority,
    name: &str,
    role: &ExtendedKeyUsagePurpose,
) -> Vec<(&'static str, Shown, &'static str)> {
    let certify = |by: &Authority| by.certify(name, role.clone(), NOW);
    let good = certify(authority);
    let later = certify(&Authority::new());
    let mut changed = Shown::new(&[&good.pem], &good.key);
    // The last byte is of the authority's signature.
    let mut bytes = changed.chain[0].to_vec();
    *bytes.last_mut().unwrap() ^= 1;
    changed.chain = vec![bytes.into()];
    let party = authority.party("bern", OF_SITE);
    let by_party = certify(&party);
    let signature = "a signature of the other side is wrong";
    vec![
        (
            "kits of another time",
            Shown::new(&[&later.pem], &later.key),
            signature,
        ),
        ("changed by a bit", changed, signature),
        (
            "without its key",
            Shown::new(&[&good.pem], &later.key),
            signature,
        ),
        (
            "signed by a party of the study",
            Shown::new(&[&by_party.pem, &party.pem], &by_party.key),
            "is signed by a party, which is no authority",
        ),
        (
            "that of the authority itself",
            Shown::new(&[&authority.pem], &authority.key),
            "is that of an authority, not of a party",
        ),
    ]
}

/// Connects, and shows this.
async fn connect(place: &Place, address: SocketAddr, shown: &Shown) {
    let mut roots = RootCertStore::empty();
    let authority = CertificateDer::from_pem_slice(place.authority.pem.as_bytes());
    roots.add(authority.unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_client_cert_resolver(shown.resolver());
    let stream = TcpStream::connect(address).await.unwrap();
    let name = ServerName::try_from(COORDINATOR).unwrap();
    // With TLS 1.3 it hears of the refusal only later.
    let _ = TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await;
}

/// Waits for sites, and shows this.
async fn wait(shown: &Shown) -> SocketAddr {
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_cert_resolver(shown.resolver());
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let _ = acceptor.accept(stream).await;
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread")]
async fn sites_with_forged_certificates_are_turned_away() {
    let place = Place::new();
    let mut served = place.serve("ledger").await;
    for (name, shown, reason) in forgeries(&place.authority, SITE, &OF_SITE) {
        connect(&place, served.address, &shown).await;
        let why = served.heard.turned_away().await;
        assert!(why.contains(reason), "{name}: {why}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn coordinators_with_forged_certificates_hear_nothing() {
    let place = Place::new();
    for (name, shown, reason) in forgeries(&place.authority, COORDINATOR, &OF_COORDINATOR) {
        place.point_to(wait(&shown).await);
        let why = place.take_part(name).away().await;
        assert!(why.contains(reason), "{name}: {why}");
    }
}
