//! Serves a study until it is over.
//!
//! Everything that decides is in [`fedcdi_protocol`]; here are a clock, a door and a hall.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use fedcdi_data::FileError;
use fedcdi_protocol::{Absence, StudyEvent};
use fedcdi_study::kit::{open_coordinator, result_so_far};
use fedcdi_study::{RunResult, Spec};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;

use crate::courier::Courier;
use crate::door::Door;
use crate::error::NetworkError;
use crate::hall::Hall;
use crate::heads::{HEADS, Heads};
use crate::kit::Kit;
use crate::page::{Board, Study};
use crate::roster::Roster;
use crate::tls::Secured;
use crate::turns::{Turns, WINDOW};
use crate::wire::FIELDS;
use crate::wire::carrier_server::CarrierServer;

/// Time for a question where the kit does not say: a courier needs days.
const DEADLINE: Duration = Duration::from_hours(24 * 365);
/// After two of them without a sign, a connection is gone.
const HEARTBEAT: Duration = Duration::from_secs(20);
/// Longer than any honest request takes: a site may wait 20 s for a question, or send a long answer slowly.
const REQUEST: Duration = Duration::from_mins(5);

/// What happens at a coordinator, for whoever runs it. Nothing in it is from anybody's rows.
#[derive(Debug)]
pub enum Event {
    /// It listens here.
    Listening(SocketAddr),
    /// Its page can be read with this address.
    Page(String),
    /// A site's process was heard of for the first time.
    Connected(String),
    /// Somebody who is not of the study, or a message that is none; in words without content.
    TurnedAway(String),
    /// Something happened in the study.
    Study(StudyEvent),
    /// The time for a question is over, and too few have answered; the study waits.
    NoQuorum(u32),
    /// A site, by name, that the study no longer waits for: the question that it misses, and why.
    Absent(String, u32, Absence),
    /// Something about the courier's folder.
    Courier(String),
}

/// How a coordinator is run.
#[derive(Clone, Debug, Default)]
pub struct Ways {
    /// Where it listens, if not at the address of its kit.
    pub listen: Option<String>,
    /// A folder for sites without a network.
    pub courier: Option<PathBuf>,
}

impl Ways {
    /// Listening at this address.
    pub fn at(address: &str) -> Self {
        Self {
            listen: Some(address.to_owned()),
            ..Self::default()
        }
    }
}

/// Serves the study of a kit until every site has its result. `tell` hears what happens, and `board` shows
/// it.
///
/// # Errors
/// [`NetworkError`] if the kit, the folders or the address cannot be used, or the study fails.
pub async fn serve(
    kit: &Path,
    state: &Path,
    ways: &Ways,
    board: &Board<Study>,
    mut tell: impl FnMut(Event),
) -> Result<(Spec, RunResult), NetworkError> {
    let party = match (Kit::read(kit), &ways.courier) {
        // A study whose plan names no address has no certificates either.
        (Err(_), Some(_)) if !Kit::has_network(kit) => None,
        (party, _) => Some(party?),
    };
    let coordinator = open_coordinator(kit, state)?;
    let sites = coordinator.plan().sites.clone();
    let roster = party.as_ref().map(|party| Roster::new(party, &sites));
    let (events, mut heard) = mpsc::unbounded_channel();
    let heads = Heads::open(state).map_err(|error| FileError::io(&state.join(HEADS), error))?;
    let deadline = party.as_ref().map_or(DEADLINE, Kit::deadline);
    board.change(|study, now| study.begin(&coordinator, deadline, now));
    let hall = Arc::new(Hall::new(roster, coordinator, heads, events, board.clone()));
    if let Some(url) = board.open(state).await? {
        tell(Event::Page(url));
    }
    let mut tasks = vec![tokio::spawn(Arc::clone(&hall).keep_time(deadline))];
    if let Some(folder) = &ways.courier {
        let courier = Courier::new(Arc::clone(&hall), folder);
        let courier = courier.map_err(|error| FileError::io(folder, error))?;
        tasks.push(tokio::spawn(courier.carry()));
    }
    let mut work: Pin<Box<dyn Future<Output = ()> + Send>> = match &party {
        None => Box::pin(hall.over()),
        Some(party) => {
            let address = ways.listen.as_ref().unwrap_or(&party.network.address);
            let listener = listen(address).await?;
            if let Ok(address) = listener.local_addr() {
                tell(Event::Listening(address));
            }
            let acceptor = TlsAcceptor::from(Arc::new(party.server_config()?));
            let (inside, incoming) = mpsc::channel(16);
            let door = Door::new(acceptor, inside, Arc::clone(&hall));
            tasks.push(tokio::spawn(door.keep_open(listener)));
            Box::pin(answer_calls(Arc::clone(&hall), incoming))
        }
    };
    loop {
        tokio::select! {
            () = &mut work => break,
            Some(event) = heard.recv() => {
                hall.show(&event);
                tell(event);
            }
        }
    }
    for task in tasks {
        task.abort();
        // One that is in the middle of something finishes that first.
        let _ = task.await;
    }
    while let Ok(event) = heard.try_recv() {
        hall.show(&event);
        tell(event);
    }
    if let Some(error) = hall.failure() {
        return Err(error.into());
    }
    let result = result_so_far(&hall.coordinator())?;
    Ok(result.expect("the study is over"))
}

async fn listen(address: &str) -> Result<TcpListener, NetworkError> {
    let listener = TcpListener::bind(address).await;
    listener.map_err(|error| NetworkError::Listen(address.to_owned(), error))
}

/// Serves the connections that come, until the study is over.
async fn answer_calls(hall: Arc<Hall>, incoming: mpsc::Receiver<Secured>) {
    let longest = hall.longest_message() + FIELDS;
    let over = hall.over();
    let service = CarrierServer::from_arc(hall).max_decoding_message_size(longest);
    let server = tonic::transport::Server::builder()
        .http2_keepalive_interval(Some(HEARTBEAT))
        .http2_keepalive_timeout(Some(HEARTBEAT))
        .max_concurrent_streams(4)
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(2 * WINDOW)
        .timeout(REQUEST)
        .layer(Turns::new())
        .add_service(service)
        .serve_with_incoming_shutdown(Incoming(incoming), over);
    // It ends with the study, and has no listener that could fail.
    let _ = server.await;
}

/// Connections as they come.
struct Incoming(mpsc::Receiver<Secured>);

impl tokio_stream::Stream for Incoming {
    type Item = Result<Secured, std::io::Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|stream| stream.map(Ok))
    }
}
