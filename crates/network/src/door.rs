//! The door: lets in whoever proves to be of the study, a bounded number at once.
//!
//! | bound | against |
//! |---|---|
//! | [`HANDSHAKE`] seconds for a handshake | peers that connect and say nothing |
//! | [`HANDSHAKES`] of them at once; one more ends the oldest | a flood of such peers: an honest handshake takes milliseconds and is not the oldest for long |
//! | [`CONNECTIONS`] per site | a site that keeps all places for itself |

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::AbortHandle;
use tokio_rustls::TlsAcceptor;

use crate::hall::Hall;
use crate::page::Door as Refused;
use crate::tls::{Secured, peer_of, reason};

/// Time for a handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Handshakes at once.
const HANDSHAKES: usize = 256;
/// Connections of a site at once: one that reconnects may have old ones for a while.
const CONNECTIONS: usize = 4;

/// Where connections of the study's parties come from.
pub(crate) struct Door {
    acceptor: TlsAcceptor,
    inside: mpsc::Sender<Secured>,
    hall: Arc<Hall>,
    /// Free places by fingerprint. Only certificates of the study's authority get here.
    places: Mutex<BTreeMap<Arc<str>, Weak<Semaphore>>>,
}

impl Door {
    pub(crate) fn new(
        acceptor: TlsAcceptor,
        inside: mpsc::Sender<Secured>,
        hall: Arc<Hall>,
    ) -> Self {
        Self {
            acceptor,
            inside,
            hall,
            places: Mutex::default(),
        }
    }

    /// Opens the door, for good.
    pub(crate) async fn keep_open(self, listener: TcpListener) {
        let door = Arc::new(self);
        let mut coming: VecDeque<AbortHandle> = VecDeque::new();
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                // Too many open files, for one: better in a moment.
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            };
            coming.retain(|guest| !guest.is_finished());
            if coming.len() >= HANDSHAKES
                && let Some(oldest) = coming.pop_front()
            {
                oldest.abort();
            }
            let guest = tokio::spawn(Arc::clone(&door).let_in(stream));
            coming.push_back(guest.abort_handle());
        }
    }

    async fn let_in(self: Arc<Self>, stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let (why, words) = match tokio::time::timeout(HANDSHAKE, self.acceptor.accept(stream)).await
        {
            Ok(Ok(stream)) => match self.place(&peer_of(&stream)) {
                Some((place, permit)) => {
                    let _ = self.inside.send(Secured::new(stream, place, permit)).await;
                    return;
                }
                None => (
                    Refused::Crowd,
                    "a site with too many connections".to_owned(),
                ),
            },
            Ok(Err(error)) => (Refused::Handshake, reason(&error)),
            Err(_) => (Refused::Slow, "a handshake that took too long".to_owned()),
        };
        self.hall.turn_away(why, words);
    }

    /// A place for one more connection of a party.
    fn place(&self, peer: &Arc<str>) -> Option<(Arc<Semaphore>, OwnedSemaphorePermit)> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        places.retain(|_, place| place.strong_count() > 0);
        let known = places.get(peer).and_then(Weak::upgrade);
        let place = known.unwrap_or_else(|| Arc::new(Semaphore::new(CONNECTIONS)));
        places.insert(Arc::clone(peer), Arc::downgrade(&place));
        let permit = Arc::clone(&place).try_acquire_owned().ok()?;
        Some((place, permit))
    }
}
