//! Messages that are too long, peers that are too slow, and too many of either.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, ServerConfig, crypto::ring};
use tokio_rustls::{TlsAcceptor, TlsConnector};
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Code, Request, Response, Status};

use super::place::{COORDINATOR, NOW, OF_COORDINATOR, OF_SITE, Place, SITE};
use wire::carrier_client::CarrierClient;
use wire::carrier_server::{Carrier, CarrierServer};
use wire::{NextReply, NextRequest, SendReply, SendRequest};

/// The messages of the carrier, as anybody may write them.
mod wire {
    #![allow(missing_docs, clippy::pedantic, unreachable_pub)]
    tonic::include_proto!("fedcdi.carrier.v1");
}

/// More than any message of a study of two variables.
const TOO_LONG: usize = 1 << 20;

fn certificate(pem: &str) -> CertificateDer<'static> {
    CertificateDer::from_pem_slice(pem.as_bytes()).unwrap()
}

fn key(pem: &str) -> PrivateKeyDer<'static> {
    PrivateKeyDer::from_pem_slice(pem.as_bytes()).unwrap()
}

fn read(place: &Place, party: &str, name: &str) -> String {
    std::fs::read_to_string(place.kit(party).join(name)).unwrap()
}

/// A connection with the certificate of a site's kit.
async fn connect(place: &Place, address: SocketAddr) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate(&place.authority.pem)).unwrap();
    let (own, secret) = (
        read(place, SITE, "certificate.pem"),
        read(place, SITE, "key.pem"),
    );
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_client_auth_cert(vec![certificate(&own)], key(&secret))
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let stream = TcpStream::connect(address).await?;
    let name = ServerName::try_from(COORDINATOR).unwrap();
    TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await
}

/// A site with a program of its own.
fn client(place: &Arc<Place>, address: SocketAddr) -> CarrierClient<Channel> {
    let place = Arc::clone(place);
    let connector = tower::service_fn(move |_| {
        let place = Arc::clone(&place);
        async move { connect(&place, address).await.map(TokioIo::new) }
    });
    let endpoint = Endpoint::from_static("https://coordinator.fedcdi");
    CarrierClient::new(endpoint.connect_with_connector_lazy(connector))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_too_long_is_refused_before_it_is_read() {
    let place = Arc::new(Place::new());
    let mut served = place.serve("ledger").await;
    let mut client = client(&place, served.address);
    let answer = |n_bytes| SendRequest {
        process: 7,
        answer: vec![1; n_bytes],
        head: None,
    };
    let refused = client.send(answer(TOO_LONG)).await.unwrap_err();
    assert_eq!(refused.code(), Code::OutOfRange, "{refused}");
    // The same connection is good for others: this is no answer, and is refused for that.
    let receipt = client.send(answer(100)).await.unwrap().into_inner();
    assert_eq!(receipt.receipt(), wire::Receipt::Refused);
    drop(client);
    let _site = place.take_part("state");
    served.heard.connected().await;
}

/// A coordinator that asks too much.
struct Talkative;

#[tonic::async_trait]
impl Carrier for Talkative {
    async fn next(&self, _: Request<NextRequest>) -> Result<Response<NextReply>, Status> {
        let question = vec![1; TOO_LONG];
        let over = false;
        Ok(Response::new(NextReply { question, over }))
    }

    async fn send(&self, _: Request<SendRequest>) -> Result<Response<SendReply>, Status> {
        panic!("there is nothing to answer");
    }
}

/// Serves with the coordinator's certificate; where.
async fn impostor(place: &Place) -> SocketAddr {
    let own = place.authority.certify(COORDINATOR, OF_COORDINATOR, NOW);
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate(&own.pem)], key(&own.key))
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (inside, incoming) = mpsc::channel(1);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let mut stream = acceptor.accept(stream).await.unwrap();
            // A kind of connection that tonic knows.
            let (mut near, far) = tokio::io::duplex(1 << 16);
            inside.send(std::io::Result::Ok(far)).await.unwrap();
            tokio::spawn(async move { copy_bidirectional(&mut stream, &mut near).await });
        }
    });
    let incoming = tokio_stream::wrappers::ReceiverStream::new(incoming);
    let service = CarrierServer::new(Talkative);
    let server = Server::builder().add_service(service);
    tokio::spawn(server.serve_with_incoming(incoming));
    address
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_is_too_long_is_refused_before_it_is_read() {
    let place = Place::new();
    place.point_to(impostor(&place).await);
    let error = place.take_part("state").ended().await;
    assert!(error.contains("message length too large"), "{error}");
}

/// Whether the other side has ended a connection that says nothing.
async fn is_ended(stream: &mut TcpStream, wait: Duration) -> bool {
    let read = tokio::time::timeout(wait, stream.read(&mut [0])).await;
    matches!(read, Ok(Ok(0) | Err(_)))
}

#[tokio::test(flavor = "multi_thread")]
async fn who_connects_and_says_nothing_is_sent_away() {
    let place = Place::new();
    let mut served = place.serve("ledger").await;
    let start = Instant::now();
    let mut silent = TcpStream::connect(served.address).await.unwrap();
    let why = served.heard.turned_away().await;
    assert_eq!(why, "a handshake that took too long");
    assert!(is_ended(&mut silent, Duration::from_secs(1)).await);
    let waited = start.elapsed().as_secs_f64();
    assert!((9.0..15.0).contains(&waited), "{waited}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_silent_peers_keeps_nobody_out() {
    const FLOOD: usize = 400;
    /// Handshakes at once.
    const PLACES: usize = 256;
    let place = Place::new();
    let mut served = place.serve("ledger").await;
    let mut silent = Vec::new();
    for _ in 0..FLOOD {
        silent.push(TcpStream::connect(served.address).await.unwrap());
    }
    let start = Instant::now();
    let _site = place.take_part("state");
    served.heard.connected().await;
    assert!(start.elapsed() < Duration::from_secs(8), "it had to wait");
    // The oldest made room long before their time was over; the others still have some.
    let mut n_ended = 0;
    for stream in &mut silent {
        n_ended += usize::from(is_ended(stream, Duration::from_millis(5)).await);
    }
    assert!(n_ended >= FLOOD - PLACES, "{n_ended}");
    assert!(start.elapsed() < Duration::from_secs(9), "too slow to tell");
    assert!(n_ended < FLOOD, "{n_ended}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_has_some_connections_and_no_more() {
    let place = Place::new();
    let mut served = place.serve("ledger").await;
    let mut open = Vec::new();
    for _ in 0..4 {
        open.push(connect(&place, served.address).await.unwrap());
    }
    // With TLS 1.3 it hears of that only when it reads.
    let mut fifth = connect(&place, served.address).await.unwrap();
    let why = served.heard.turned_away().await;
    assert_eq!(why, "a site with too many connections");
    let ended = tokio::time::timeout(Duration::from_secs(5), fifth.read(&mut [0])).await;
    assert!(matches!(ended, Ok(Ok(0) | Err(_))), "{ended:?}");
    // Others have places of their own, and a place that was left can be taken.
    let other = place.authority.certify("bern", OF_SITE, NOW);
    let own = [
        read(&place, SITE, "certificate.pem"),
        read(&place, SITE, "key.pem"),
    ];
    place.give(SITE, &other);
    open.push(connect(&place, served.address).await.unwrap());
    place.give(
        SITE,
        &super::place::Certified {
            pem: own[0].clone(),
            key: own[1].clone(),
            fingerprint: String::new(),
        },
    );
    open.remove(0);
    tokio::time::sleep(Duration::from_millis(300)).await;
    let _site = place.take_part("state");
    served.heard.connected().await;
}
