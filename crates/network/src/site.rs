//! Takes part in a study: asks for questions, answers them, and sends the answers until it has the result.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fedcdi_data::FileError;
use fedcdi_protocol::{Declined, Digest, Site};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};

use crate::error::NetworkError;
use crate::heads::{HEADS, Heads};
use crate::identity::COORDINATOR;
use crate::kit::{Joining, Kit};
use crate::page::{Board, Part};
use crate::tls::reason;
use crate::wire::carrier_client::CarrierClient;
use crate::wire::{FIELDS, Head, NextRequest, Receipt, SendRequest};

const CONNECT: Duration = Duration::from_secs(10);
/// Longer than the coordinator lets anybody wait for a question.
const REPLY: Duration = Duration::from_mins(1);
const SHORTEST_WAIT: Duration = Duration::from_millis(200);
/// A site that has its result waits no longer than this for a coordinator that does not answer.
const LAST_WAIT: Duration = Duration::from_secs(5);
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// What happens at a site, for those who look after it.
#[derive(Debug)]
pub enum Event {
    /// The coordinator can be reached.
    Connected,
    /// It cannot, and when the site tries again.
    Away(String, Duration),
    /// A question came; it has this many bytes.
    Asked(usize),
    /// An answer of so many bytes was sent and is safe with the coordinator.
    Answered(usize),
    /// A question that the site declined, and why.
    Declined(Declined),
    /// The coordinator does not take the answer.
    Refused,
}

/// Takes part in the study of a kit until it is over. `state` is the folder of the site, `tell` hears what
/// happens, and `board` shows it.
///
/// # Errors
/// [`NetworkError`] if the kit cannot be used, the disk fails, or the coordinator does not want this site. A
/// coordinator that cannot be reached is tried again and again.
pub async fn take_part(
    joining: impl Into<Joining>,
    state: &Path,
    mut party: Site,
    board: &Board<Part>,
    mut tell: impl FnMut(Event),
) -> Result<Site, NetworkError> {
    let joining = joining.into();
    let kit = joining.kit()?;
    board.change(|part, _| part.begin(&kit.network.name, &party));
    let mut tell = |event: Event| {
        board.change(|part, now| part.happened(&event, now));
        tell(event);
    };
    let channel = channel(&kit)?;
    let heads = Heads::open(state).map_err(|error| FileError::io(&state.join(HEADS), error))?;
    let longest = party.longest_message() + FIELDS;
    let mut way = Way {
        client: CarrierClient::new(channel).max_decoding_message_size(longest),
        process: rand::random(),
        heads,
        joining,
    };
    let mut patience = Patience::default();
    let mut connected = false;
    loop {
        let (site, turn) = way.turn(party, board, &mut tell).await?;
        party = site;
        match turn {
            Ok(Turn::Over) => return Ok(party),
            Ok(Turn::Nothing | Turn::Answered) => {
                if !std::mem::replace(&mut connected, true) {
                    tell(Event::Connected);
                }
                patience = Patience::default();
            }
            Ok(Turn::Refused) => {
                tell(Event::Refused);
                tokio::time::sleep(patience.longer()).await;
            }
            // It has the result, and the coordinator has gone home.
            Err(_) if party.result().is_some() && patience.is_exhausted() => return Ok(party),
            // What was not acknowledged is asked for again, and answered from the outbox.
            Err(status) => {
                connected = false;
                let wait = patience.after(&status)?;
                tell(Event::Away(words(&status), wait));
                tokio::time::sleep(wait).await;
            }
        }
    }
}

/// What one exchange came to.
enum Turn {
    /// There was no question yet.
    Nothing,
    /// An answer was acknowledged.
    Answered,
    /// The coordinator does not take the answer.
    Refused,
    /// The study is over for this site.
    Over,
}

/// The way to the coordinator.
struct Way {
    client: CarrierClient<Channel>,
    /// The number of this process: there may be only one per site.
    process: u64,
    heads: Heads,
    joining: Joining,
}

impl Way {
    /// Asks for a question, answers it and sends the answer. The outer error is of this site, the inner
    /// one of the way to the coordinator.
    async fn turn(
        &mut self,
        mut party: Site,
        board: &Board<Part>,
        tell: &mut impl FnMut(Event),
    ) -> Result<(Site, Result<Turn, Status>), NetworkError> {
        let process = self.process;
        let next = match self.client.next(NextRequest { process }).await {
            Ok(reply) => reply.into_inner(),
            Err(status) => return Ok((party, Err(status))),
        };
        if next.question.is_empty() {
            let turn = if next.over { Turn::Over } else { Turn::Nothing };
            return Ok((party, Ok(turn)));
        }
        tell(Event::Asked(next.question.len()));
        board.change(|part, now| part.asked(&next.question, now));
        let answering = tokio::task::spawn_blocking(move || {
            let answered = party.answer(&next.question);
            (party, answered)
        });
        let (party, answered) = self.joining.in_time(answering).await?;
        let answered = answered?;
        if let Some(why) = answered.declined {
            tell(Event::Declined(why));
        }
        let (n_bytes, digest) = (answered.bytes.len(), Digest::of(&answered.bytes));
        board.change(|part, _| part.leaves(&answered.bytes, &party));
        let (_, records, hash) = party.journal();
        let own = Head {
            records,
            hash: hash.as_bytes().to_vec(),
        };
        let owner = party.plan().coordinator_journal();
        let receipt = match self.send(own, &owner, answered.bytes).await {
            Ok(receipt) => receipt,
            Err(status) => return Ok((party, Err(status))),
        };
        if receipt == Receipt::Refused {
            return Ok((party, Ok(Turn::Refused)));
        }
        tell(Event::Answered(n_bytes));
        board.change(|part, now| part.acknowledged(digest, now));
        let is_over = party.result().is_some();
        let turn = if is_over { Turn::Over } else { Turn::Answered };
        Ok((party, Ok(turn)))
    }

    /// Sends an answer with the head of this site's journal, and keeps that of the coordinator's.
    async fn send(&mut self, own: Head, owner: &str, answer: Vec<u8>) -> Result<Receipt, Status> {
        let sent = SendRequest {
            process: self.process,
            answer,
            head: Some(own),
        };
        let reply = self.client.send(sent).await?.into_inner();
        if let Some(head) = &reply.head {
            self.heads.note(owner, head);
        }
        Ok(reply.receipt())
    }
}

/// Waits that double, with some chance in them so that sites do not all come back at once.
struct Patience(Duration);

impl Default for Patience {
    fn default() -> Self {
        Self(SHORTEST_WAIT)
    }
}

impl Patience {
    fn longer(&mut self) -> Duration {
        let wait = self.0.mul_f64(rand::random_range(0.5..1.0));
        self.0 = (2 * self.0).min(LONGEST_WAIT);
        wait
    }

    /// Whether enough was tried where nothing depends on it any more.
    fn is_exhausted(&self) -> bool {
        self.0 >= LAST_WAIT
    }

    /// How long to wait after a failure that may pass.
    fn after(&mut self, status: &Status) -> Result<Duration, NetworkError> {
        match status.code() {
            Code::PermissionDenied | Code::Unimplemented | Code::OutOfRange => {
                Err(NetworkError::Refused(status.message().to_owned()))
            }
            _ => Ok(self.longer()),
        }
    }
}

/// The innermost reason: what a person can act on.
fn words(status: &Status) -> String {
    let mut cause: &dyn std::error::Error = status;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    match cause.downcast_ref::<Status>() {
        Some(status) => status.message().to_owned(),
        None => match cause.downcast_ref::<std::io::Error>() {
            Some(error) => reason(error),
            None => cause.to_string(),
        },
    }
}

/// A channel that connects when it is used, and again after it was cut.
fn channel(kit: &Kit) -> Result<Channel, NetworkError> {
    let config = Arc::new(kit.client_config()?);
    let address = kit.network.address.clone();
    let endpoint = Endpoint::from_static("https://coordinator.fedcdi")
        .connect_timeout(CONNECT)
        .timeout(REPLY)
        .http2_keep_alive_interval(Duration::from_secs(20))
        .keep_alive_while_idle(true);
    let connector = tower::service_fn(move |_| connect(address.clone(), Arc::clone(&config)));
    Ok(endpoint.connect_with_connector_lazy(connector))
}

async fn connect(
    address: String,
    config: Arc<tokio_rustls::rustls::ClientConfig>,
) -> std::io::Result<TokioIo<tokio_rustls::client::TlsStream<TcpStream>>> {
    let stream = TcpStream::connect(&address).await?;
    stream.set_nodelay(true)?;
    let name = ServerName::try_from(COORDINATOR).expect("it is a name");
    let stream = TlsConnector::from(config).connect(name, stream).await?;
    Ok(TokioIo::new(stream))
}
