//! TLS 1.3 with certificates on both sides, and nothing else.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore, ServerConfig};
use tokio_rustls::server::TlsStream;
use tonic::transport::server::Connected;

use crate::error::NetworkError;
use crate::identity::fingerprint;
use crate::kit::Kit;

const HTTP2: &[u8] = b"h2";

fn wrong(error: impl std::fmt::Display) -> NetworkError {
    NetworkError::Certificate(format!("the kit's certificates cannot be used: {error}"))
}

impl Kit {
    pub(crate) fn server_config(&self) -> Result<ServerConfig, NetworkError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let roots = Arc::new(self.roots()?);
        let clients = WebPkiClientVerifier::builder_with_provider(roots, Arc::clone(&provider));
        let config = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&rustls::version::TLS13])
            .map_err(wrong)?
            .with_client_cert_verifier(clients.build().map_err(wrong)?);
        let (chain, key) = self.identity()?;
        let mut config = config.with_single_cert(chain, key).map_err(wrong)?;
        config.alpn_protocols = vec![HTTP2.to_vec()];
        Ok(config)
    }

    pub(crate) fn client_config(&self) -> Result<ClientConfig, NetworkError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&rustls::version::TLS13])
            .map_err(wrong)?
            .with_root_certificates(self.roots()?);
        let (chain, key) = self.identity()?;
        let mut config = config.with_client_auth_cert(chain, key).map_err(wrong)?;
        config.alpn_protocols = vec![HTTP2.to_vec()];
        Ok(config)
    }

    fn roots(&self) -> Result<RootCertStore, NetworkError> {
        let mut roots = RootCertStore::empty();
        let authority = CertificateDer::from_pem_slice(self.authority.text.as_bytes());
        let authority = authority.map_err(|error| self.authority.wrong("certificate", &error))?;
        let added = roots.add(authority);
        added.map_err(|error| self.authority.wrong("certificate", &error))?;
        Ok(roots)
    }

    fn identity(&self) -> Result<Own, NetworkError> {
        let certificate = CertificateDer::from_pem_slice(self.certificate.text.as_bytes());
        let certificate = certificate.map_err(|e| self.certificate.wrong("certificate", &e))?;
        let key = PrivateKeyDer::from_pem_slice(self.key.text.as_bytes());
        let key = key.map_err(|error| self.key.wrong("key", &error))?;
        Ok((vec![certificate], key))
    }

    /// Whether certificates and key can be used, and belong together.
    pub(crate) fn check_identity(&self) -> Result<(), NetworkError> {
        self.roots()?;
        let (chain, key) = self.identity()?;
        let provider = rustls::crypto::ring::default_provider();
        match CertifiedKey::from_der(chain, key, &provider) {
            Ok(_) => Ok(()),
            Err(rustls::Error::InconsistentKeys(_)) => Err(self.other_key()),
            Err(error @ rustls::Error::General(_)) => Err(self.key.wrong("key", &error).into()),
            Err(error) => Err(self.certificate.wrong("certificate", &error).into()),
        }
    }
}

/// A certificate as a chain, and its key.
type Own = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

/// Why a connection did not come about, in words that say what to look at.
pub(crate) fn reason(error: &io::Error) -> String {
    let inner = error.get_ref();
    match inner.and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        Some(error) => words(error),
        None => error.to_string(),
    }
}

fn words(error: &rustls::Error) -> String {
    use rustls::AlertDescription;
    use rustls::CertificateError as Wrong;
    use rustls::Error::{
        AlertReceived, InvalidCertificate, InvalidMessage, NoCertificatesPresented,
        PeerIncompatible,
    };
    let text = match error {
        NoCertificatesPresented => "the other side shows no certificate",
        PeerIncompatible(_) | AlertReceived(AlertDescription::ProtocolVersion) => {
            "the other side does not speak TLS 1.3 with what fedcdi needs"
        }
        InvalidCertificate(Wrong::Expired | Wrong::ExpiredContext { .. }) => {
            "the other side's certificate has expired, or a clock is wrong"
        }
        InvalidCertificate(Wrong::NotValidYet | Wrong::NotValidYetContext { .. }) => {
            "the other side's certificate is not valid yet: compare the clocks"
        }
        InvalidCertificate(Wrong::UnknownIssuer) => {
            "the other side's certificate is of another study: its authority is not ours"
        }
        InvalidCertificate(Wrong::BadSignature) => {
            "a signature of the other side is wrong: its certificate was changed, is of kits that were made another \
             time, or is shown by somebody without its key"
        }
        InvalidCertificate(Wrong::NotValidForName | Wrong::NotValidForNameContext { .. }) => {
            "the other side's certificate is not that of a coordinator"
        }
        InvalidCertificate(Wrong::InvalidPurpose | Wrong::InvalidPurposeContext { .. }) => {
            "the other side's certificate is for another role in the study"
        }
        InvalidCertificate(Wrong::Other(other)) => match other.0.to_string().as_str() {
            "EndEntityUsedAsCa" => {
                "the other side's certificate is signed by a party, which is no authority"
            }
            "CaUsedAsEndEntity" => {
                "the other side's certificate is that of an authority, not of a party"
            }
            other => {
                return format!("the other side's certificate is none that fedcdi makes: {other}");
            }
        },
        InvalidCertificate(other) => {
            return format!("the other side's certificate is none that fedcdi makes: {other}");
        }
        InvalidMessage(_) => "the other side does not speak TLS",
        AlertReceived(AlertDescription::CertificateExpired) => {
            "the other side refused our certificate: it has expired, or a clock is wrong"
        }
        AlertReceived(AlertDescription::UnknownCA) => {
            "the other side refused our certificate: it is of another study"
        }
        AlertReceived(alert) => {
            return format!("the other side refused the certificate or the connection: {alert:?}");
        }
        other => return other.to_string(),
    };
    text.to_owned()
}

/// Who is at the other end: the fingerprint of the certificate that was proven, as long as it is there.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    pub(crate) fingerprint: Arc<str>,
    /// Gone when the connection is.
    pub(crate) alive: Weak<OwnedSemaphorePermit>,
    /// The turn of the connection to send an answer.
    pub(crate) sending: Arc<Semaphore>,
}

/// The fingerprint of the certificate that the other end has proven.
pub(crate) fn peer_of(stream: &TlsStream<TcpStream>) -> Arc<str> {
    let (_, session) = stream.get_ref();
    let chain = session.peer_certificates().unwrap_or_default();
    let own = chain.first().expect("no handshake ends without one");
    fingerprint(own).into()
}

/// A connection whose peer is known, and its place among those the peer may have at once.
pub(crate) struct Secured {
    stream: TlsStream<TcpStream>,
    /// Who shares the places, as long as one is taken.
    _places: Arc<Semaphore>,
    place: Arc<OwnedSemaphorePermit>,
}

impl Secured {
    pub(crate) fn new(
        stream: TlsStream<TcpStream>,
        places: Arc<Semaphore>,
        place: OwnedSemaphorePermit,
    ) -> Self {
        Self {
            stream,
            _places: places,
            place: Arc::new(place),
        }
    }
}

impl Connected for Secured {
    type ConnectInfo = Peer;

    fn connect_info(&self) -> Peer {
        Peer {
            fingerprint: peer_of(&self.stream),
            alive: Arc::downgrade(&self.place),
            sending: Arc::new(Semaphore::new(1)),
        }
    }
}

impl AsyncRead for Secured {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Secured {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
