//! What a coordinator thinks of those who connect.

use std::sync::Arc;

use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{
    self, ClientConfig, RootCertStore, SupportedProtocolVersion, crypto::ring,
};

use super::place::{
    Authority, COORDINATOR, Certified, NOW, OF_COORDINATOR, OF_SITE, Place, SITE, truncate,
};

#[tokio::test(flavor = "multi_thread")]
async fn sites_with_a_certificate_that_is_wrong_are_turned_away() {
    let place = Place::new();
    let mut served = place.serve("ledger").await;
    let authority = &place.authority;
    for (name, certified, reason) in [
        (
            "expired",
            authority.certify(SITE, OF_SITE, (-20, -10)),
            "certificate has expired",
        ),
        (
            "not yet valid",
            authority.certify(SITE, OF_SITE, (10, 20)),
            "certificate is not valid yet: compare the clocks",
        ),
        (
            "another authority",
            Authority::named("another").certify(SITE, OF_SITE, NOW),
            "is of another study: its authority is not ours",
        ),
        (
            "self-signed",
            Certified::by_itself(SITE, OF_SITE),
            "is of another study: its authority is not ours",
        ),
        (
            "another name",
            authority.certify("zug", OF_SITE, NOW),
            "a certificate that is not in the roster",
        ),
        (
            "a second certificate of the same name",
            authority.certify(SITE, OF_SITE, NOW),
            "a certificate that is not in the roster",
        ),
        (
            "another role",
            authority.certify(COORDINATOR, OF_COORDINATOR, NOW),
            "is for another role in the study",
        ),
    ] {
        place.give(SITE, &certified);
        let site = place.take_part(name);
        let why = served.heard.turned_away().await;
        assert!(why.contains(reason), "{name}: {why}");
        drop(site);
        drain(&mut served).await;
    }
}

/// A site that was turned away may have tried a second time.
async fn drain(served: &mut super::place::Served) {
    let wait = std::time::Duration::from_millis(600);
    while tokio::time::timeout(wait, served.heard.turned_away())
        .await
        .is_ok()
    {}
}

/// Somebody with a program of his own.
async fn stranger(
    place: &Place,
    address: std::net::SocketAddr,
    version: &'static SupportedProtocolVersion,
) {
    let mut roots = RootCertStore::empty();
    let authority = CertificateDer::from_pem_slice(place.authority.pem.as_bytes());
    roots.add(authority.unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[version])
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let stream = TcpStream::connect(address).await.unwrap();
    let name = ServerName::try_from(COORDINATOR).unwrap();
    // With TLS 1.3 it hears of the refusal only later.
    let _ = TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_certificate_and_old_versions_of_tls_are_turned_away() {
    let place = Place::new();
    let mut served = place.serve("ledger").await;
    stranger(&place, served.address, &rustls::version::TLS13).await;
    let why = served.heard.turned_away().await;
    assert_eq!(why, "the other side shows no certificate");
    stranger(&place, served.address, &rustls::version::TLS12).await;
    let why = served.heard.turned_away().await;
    assert!(why.contains("does not speak TLS 1.3"), "{why}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_that_is_taken_out_of_the_roster_is_refused_on_its_open_connection() {
    let place = Place::new();
    let mut served = place.serve("ledger").await;
    // Its certificate is good, so the connection stands; only the roster speaks against it.
    let mut site = place.take_part("state");
    served.heard.connected().await;
    place.set("coordinator", "roster", serde_json::json!({}));
    // It waits for its next question until then, and asks again.
    let wait = std::time::Duration::from_mins(1);
    let ended = tokio::time::timeout(wait, &mut site.task).await;
    let error = ended
        .expect("it is still there")
        .unwrap()
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("this certificate is not in the study's roster"),
        "{error}"
    );
    let why = served.heard.turned_away().await;
    assert_eq!(why, "a certificate that is not in the roster");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kit_of_another_time_is_of_no_use() {
    let (place, other) = (Place::new(), Place::new());
    let mut served = place.serve("ledger").await;
    other.point_to(served.address);
    let mut site = other.take_part("state");
    let why = site.away().await;
    // Both authorities have the same name: that of another study would be "of another study".
    assert!(
        why.contains("is of kits that were made another time"),
        "{why}"
    );
    let why = served.heard.turned_away().await;
    assert!(why.contains("the other side refused"), "{why}");
}

#[tokio::test(flavor = "multi_thread")]
async fn kits_of_sites_that_are_damaged_say_which_file() {
    for (file, reason) in [
        (
            "certificate.pem",
            "certificate.pem: no certificate can be read in it",
        ),
        (
            "authority.pem",
            "authority.pem: no certificate can be read in it",
        ),
        ("key.pem", "key.pem: no key can be read in it"),
    ] {
        let place = Place::new();
        truncate(&place.kit(SITE).join(file));
        let error = place.take_part("state").ended().await;
        assert!(error.contains(reason), "{file}: {error}");
        assert!(error.contains("get the kit again"), "{file}: {error}");
    }
    let place = Place::new();
    let other = place.authority.certify(SITE, OF_SITE, NOW);
    std::fs::write(place.kit(SITE).join("key.pem"), other.key).unwrap();
    let error = place.take_part("state").ended().await;
    assert!(
        error.contains("key.pem: it is not the key of the certificate in"),
        "{error}"
    );
    assert!(error.contains("key = \"basel.key.pem\""), "{error}");
}
