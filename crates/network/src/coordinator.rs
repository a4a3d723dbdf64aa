//! Serves a study until it is over.
//!
//! Everything that decides is in [`fedcdi_protocol`]; here are a clock, a door and a hall.

use std::net::SocketAddr;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use fedcdi_data::FileError;
use fedcdi_protocol::StudyEvent;
use fedcdi_study::kit::{open_coordinator, result_so_far};
use fedcdi_study::{RunResult, Spec};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;

use crate::door::Door;
use crate::error::NetworkError;
use crate::hall::Hall;
use crate::heads::{HEADS, Heads};
use crate::kit::Kit;
use crate::tls::Secured;
use crate::wire::carrier_server::CarrierServer;

/// After two of them without a sign, a connection is gone.
const HEARTBEAT: Duration = Duration::from_secs(20);
/// Longer than any honest request takes: a site may wait 20 s for a question, or send a long answer slowly.
const REQUEST: Duration = Duration::from_mins(5);

/// What happens at a coordinator, for whoever runs it. Nothing in it is from anybody's rows.
#[derive(Debug)]
pub enum Event {
    /// It listens here.
    Listening(SocketAddr),
    /// A site's process was heard of for the first time.
    Connected(String),
    /// Somebody who is not of the study, or a message that is none; in words without content.
    TurnedAway(String),
    /// Something happened in the study.
    Study(StudyEvent),
    /// The time for a question is over, and too few have answered; the study waits.
    NoQuorum(u32),
    /// A site was taken out of the roster: it is no longer heard.
    Removed(String),
    /// The kit, which is read again and again, cannot be read: the roster stays as it was.
    Unreadable,
}

/// Serves the study of a kit until every site has its result. `tell` hears what happens.
///
/// # Errors
/// [`NetworkError`] if the kit, the folder or the address cannot be used, or the study fails.
pub async fn serve(
    kit: &Path,
    state: &Path,
    listen: Option<&str>,
    mut tell: impl FnMut(Event),
) -> Result<(Spec, RunResult), NetworkError> {
    let party = Kit::read(kit)?;
    let coordinator = open_coordinator(kit, state)?;
    let longest = coordinator.longest_message();
    let (events, mut heard) = mpsc::unbounded_channel();
    let heads = Heads::open(state).map_err(|error| FileError::io(&state.join(HEADS), error))?;
    let hall = Arc::new(Hall::new(&party, kit, coordinator, heads, events));
    let address = listen.unwrap_or(&party.network.address);
    let listener = TcpListener::bind(address).await;
    let listener = listener.map_err(|error| NetworkError::Listen(address.to_owned(), error))?;
    if let Ok(address) = listener.local_addr() {
        tell(Event::Listening(address));
    }
    let acceptor = TlsAcceptor::from(Arc::new(party.server_config()?));
    let (inside, incoming) = mpsc::channel(16);
    let door = Door::new(acceptor, inside, Arc::clone(&hall));
    let tasks = [
        tokio::spawn(door.keep_open(listener)),
        tokio::spawn(Arc::clone(&hall).keep_time(party.deadline())),
        tokio::spawn(Arc::clone(&hall).keep_roster()),
    ];
    // Room for the fields around an answer.
    let service =
        CarrierServer::from_arc(Arc::clone(&hall)).max_decoding_message_size(longest + 1024);
    let over = hall.over();
    let server = tonic::transport::Server::builder()
        .http2_keepalive_interval(Some(HEARTBEAT))
        .http2_keepalive_timeout(Some(HEARTBEAT))
        .max_concurrent_streams(4)
        .timeout(REQUEST)
        .add_service(service)
        .serve_with_incoming_shutdown(Incoming(incoming), over);
    let mut server = Box::pin(server);
    loop {
        tokio::select! {
            _ = &mut server => break,
            Some(event) = heard.recv() => tell(event),
        }
    }
    tasks.iter().for_each(tokio::task::JoinHandle::abort);
    while let Ok(event) = heard.try_recv() {
        tell(event);
    }
    if let Some(error) = hall.failure() {
        return Err(error.into());
    }
    let result = result_so_far(&hall.coordinator())?;
    Ok(result.expect("the study is over"))
}

/// Connections as they come.
struct Incoming(mpsc::Receiver<Secured>);

impl tokio_stream::Stream for Incoming {
    type Item = Result<Secured, std::io::Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|stream| stream.map(Ok))
    }
}
