//! What a site thinks of the coordinator that it finds at its address.

use std::net::SocketAddr;
use std::sync::Arc;

use fedcdi_network::coordinator::{Ways, serve};
use fedcdi_network::page::Board;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig, SupportedProtocolVersion, crypto::ring};

use super::place::{
    Authority, COORDINATOR, Certified, NOW, OF_COORDINATOR, OF_SITE, Place, SITE, truncate,
};

/// A server of somebody's own, with this certificate.
async fn impostor(certified: &Certified, version: &'static SupportedProtocolVersion) -> SocketAddr {
    let chain = vec![CertificateDer::from_pem_slice(certified.pem.as_bytes()).unwrap()];
    let key = PrivateKeyDer::from_pem_slice(certified.key.as_bytes()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[version])
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
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
async fn coordinators_with_a_certificate_that_is_wrong_hear_nothing() {
    let place = Place::new();
    let authority = &place.authority;
    let tls13 = &rustls::version::TLS13;
    let good = authority.certify(COORDINATOR, OF_COORDINATOR, NOW);
    for (name, certified, version, reason) in [
        (
            "expired",
            authority.certify(COORDINATOR, OF_COORDINATOR, (-20, -10)),
            tls13,
            "certificate has expired",
        ),
        (
            "not yet valid",
            authority.certify(COORDINATOR, OF_COORDINATOR, (10, 20)),
            tls13,
            "certificate is not valid yet: compare the clocks",
        ),
        (
            "another authority",
            Authority::named("another").certify(COORDINATOR, OF_COORDINATOR, NOW),
            tls13,
            "is of another study: its authority is not ours",
        ),
        (
            "self-signed",
            Certified::by_itself(COORDINATOR, OF_COORDINATOR),
            tls13,
            "is of another study: its authority is not ours",
        ),
        (
            "another name",
            authority.certify("coordinator.example", OF_COORDINATOR, NOW),
            tls13,
            "is not that of a coordinator",
        ),
        (
            "a site",
            authority.certify(COORDINATOR, OF_SITE, NOW),
            tls13,
            "is for another role in the study",
        ),
        (
            "TLS 1.2",
            good,
            &rustls::version::TLS12,
            "does not speak TLS 1.3",
        ),
    ] {
        place.point_to(impostor(&certified, version).await);
        let why = place.take_part(name).away().await;
        assert!(why.contains(reason), "{name}: {why}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_tls_hears_nothing() {
    let place = Place::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    place.point_to(listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
        }
    });
    let why = place.take_part("state").away().await;
    assert!(why.contains("does not speak TLS"), "{why}");
}

#[tokio::test(flavor = "multi_thread")]
async fn kits_of_coordinators_that_are_damaged_say_which_file() {
    let refused = async |place: &Place| {
        let kit = place.kit("coordinator");
        let served = serve(
            &kit,
            &place.at("ledger"),
            &Ways::at("127.0.0.1:0"),
            &Board::at(None),
            drop,
        )
        .await;
        let error = served.expect_err("it is refused").to_string();
        assert!(!place.at("ledger").exists(), "{error}");
        error
    };
    for file in ["certificate.pem", "authority.pem", "key.pem"] {
        let place = Place::new();
        truncate(&place.kit("coordinator").join(file));
        let error = refused(&place).await;
        assert!(error.contains(&format!("{file}: no ")), "{file}: {error}");
    }
    let place = Place::new();
    let other = place.authority.certify(COORDINATOR, OF_COORDINATOR, NOW);
    std::fs::write(place.kit("coordinator").join("key.pem"), other.key).unwrap();
    let error = refused(&place).await;
    assert!(
        error.contains("it is not the key of the certificate in"),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn certificates_that_have_ended_are_refused_before_anything_is_opened() {
    let place = Place::new();
    for party in ["coordinator", SITE] {
        place.set(party, "ends", "2020-02-29T12:00:00Z".into());
    }
    let kit = place.kit("coordinator");
    let served = serve(
        &kit,
        &place.at("ledger"),
        &Ways::at("127.0.0.1:0"),
        &Board::at(None),
        drop,
    )
    .await;
    let coordinator = served.expect_err("it is refused").to_string();
    let site = place.take_part("state").ended().await;
    for error in [coordinator, site] {
        assert!(
            error.contains("certificates of this study ended on 2020-02-29"),
            "{error}"
        );
        assert!(
            error.contains("make new kits from study.toml, with valid_days"),
            "{error}"
        );
    }
}
