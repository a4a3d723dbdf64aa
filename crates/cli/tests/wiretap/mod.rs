//! Somebody between the sites and the coordinator who has the keys of all of them, and writes down every
//! byte that TLS would hide.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test program uses what it needs"
)]

pub mod frames;

use std::fs;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{ClientConfig, RootCertStore, ServerConfig, crypto::ring};
use tokio_rustls::{TlsAcceptor, TlsConnector};

use crate::place::Place;

/// What went over one connection, in either direction.
#[derive(Clone, Default)]
pub struct Heard {
    /// From the site to the coordinator.
    pub up: Arc<Mutex<Vec<u8>>>,
    pub down: Arc<Mutex<Vec<u8>>>,
}

/// All connections of a site, in order.
pub type Tape = Arc<Mutex<Vec<Heard>>>;

fn chain(place: &Place, party: &str) -> Vec<CertificateDer<'static>> {
    let pem = fs::read(place.path(&format!("kits/{party}/certificate.pem"))).unwrap();
    vec![CertificateDer::from_pem_slice(&pem).unwrap()]
}

fn key(place: &Place, party: &str) -> PrivateKeyDer<'static> {
    let pem = fs::read(place.path(&format!("kits/{party}/key.pem"))).unwrap();
    PrivateKeyDer::from_pem_slice(&pem).unwrap()
}

fn roots(place: &Place) -> Arc<RootCertStore> {
    let pem = fs::read(place.path("kits/coordinator/authority.pem")).unwrap();
    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_slice(&pem).unwrap())
        .unwrap();
    Arc::new(roots)
}

/// Poses as the coordinator.
fn acceptor(place: &Place) -> TlsAcceptor {
    let provider = Arc::new(ring::default_provider());
    let sites = WebPkiClientVerifier::builder_with_provider(roots(place), Arc::clone(&provider));
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(sites.build().unwrap())
        .with_single_cert(chain(place, "coordinator"), key(place, "coordinator"))
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec()];
    TlsAcceptor::from(Arc::new(config))
}

/// Poses as a site.
fn connector(place: &Place, site: &str) -> TlsConnector {
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots(place))
        .with_client_auth_cert(chain(place, site), key(place, site))
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec()];
    TlsConnector::from(Arc::new(config))
}

/// Listens where the site believes its coordinator to be: its kit is changed to say so.
pub fn tap(runtime: &tokio::runtime::Runtime, place: &Place, site: &str) -> Tape {
    let file = place.path(&format!("kits/{site}/network.json"));
    let text = fs::read_to_string(&file).unwrap();
    let mut network: serde_json::Value = serde_json::from_str(&text).unwrap();
    let coordinator: SocketAddr = network["address"].as_str().unwrap().parse().unwrap();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    network["address"] = listener.local_addr().unwrap().to_string().into();
    fs::write(&file, network.to_string()).unwrap();
    let (acceptor, connector) = (acceptor(place), connector(place, site));
    let tape = Tape::default();
    let kept = Arc::clone(&tape);
    runtime.spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            // Where there is no coordinator yet the site is sent away, and comes back.
            let Ok(onward) = TcpStream::connect(coordinator).await else {
                continue;
            };
            let heard = Heard::default();
            kept.lock().unwrap().push(heard.clone());
            let (acceptor, connector) = (acceptor.clone(), connector.clone());
            tokio::spawn(async move {
                let name = ServerName::try_from("coordinator.fedcdi").unwrap();
                let site = acceptor.accept(stream).await.unwrap();
                let coordinator = connector.connect(name, onward).await.unwrap();
                let (from_site, to_site) = tokio::io::split(site);
                let (from_coordinator, to_coordinator) = tokio::io::split(coordinator);
                tokio::join!(
                    pass(from_site, to_coordinator, heard.up),
                    pass(from_coordinator, to_site, heard.down)
                );
            });
        }
    });
    tape
}

/// Passes bytes on, and keeps a copy.
async fn pass(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    copy: Arc<Mutex<Vec<u8>>>,
) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(n) = from.read(&mut buffer).await
        && n > 0
    {
        // Kept first: what nobody receives has left all the same.
        copy.lock().unwrap().extend_from_slice(&buffer[..n]);
        if to.write_all(&buffer[..n]).await.is_err() || to.flush().await.is_err() {
            break;
        }
    }
    let _ = to.shutdown().await;
}
