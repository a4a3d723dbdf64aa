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
        let authority = CertificateDer::from_pem_slice(self.authority.as_bytes());
        roots.add(authority.map_err(wrong)?).map_err(wrong)?;
        Ok(roots)
    }

    fn identity(
        &self,
    ) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), NetworkError> {
        let certificate = CertificateDer::from_pem_slice(self.certificate.as_bytes());
        let key = PrivateKeyDer::from_pem_slice(self.key.as_bytes());
        Ok((vec![certificate.map_err(wrong)?], key.map_err(wrong)?))
    }
}

/// Who is at the other end: the fingerprint of the certificate that was proven, as long as it is there.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    pub(crate) fingerprint: Arc<str>,
    /// Gone when the connection is.
    pub(crate) alive: Weak<OwnedSemaphorePermit>,
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
