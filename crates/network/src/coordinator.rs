//! Serves a study until it is over.
//!
//! Everything that decides is in [`fedcdi_protocol`]; here is a clock, a door and a list of who is there.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use fedcdi_core::ClientId;
use fedcdi_protocol::coordinator::Input;
use fedcdi_protocol::{Coordinator, JournalError, Receipt as Became, StudyEvent};
use fedcdi_study::kit::{open_coordinator, result_so_far};
use fedcdi_study::{RunResult, Spec};
use tokio::net::TcpListener;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio_rustls::TlsAcceptor;
use tonic::{Request, Response, Status};

use crate::error::NetworkError;
use crate::kit::Kit;
use crate::page::{Board, Door, Outcome, Study};
use crate::tls::{Peer, Secured};
use crate::wire::carrier_server::{Carrier, CarrierServer};
use crate::wire::{NextReply, NextRequest, Receipt, SendReply, SendRequest};

/// How long a site that asks for a question waits for one before it hears that there is none.
const LONG_POLL: Duration = Duration::from_secs(20);
/// After two of them without a sign, a connection is gone.
const HEARTBEAT: Duration = Duration::from_secs(20);
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Connections at once, per site of the plan: a site that reconnects may have old ones for a while.
const CONNECTIONS: usize = 4;

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
}

/// A study that is served.
struct Hall {
    names: Vec<String>,
    /// Fingerprint of a certificate to the site it is of.
    roster: BTreeMap<String, ClientId>,
    coordinator: Mutex<Coordinator>,
    /// Changes whenever the study may have gone on.
    moved: watch::Sender<u64>,
    /// The process of every site, and the connection it was last heard on.
    here: Mutex<BTreeMap<ClientId, (u64, Weak<OwnedSemaphorePermit>)>>,
    events: mpsc::UnboundedSender<Event>,
    failed: Mutex<Option<JournalError>>,
    board: Board<Study>,
}

/// Serves the study of a kit until every site has its result. `tell` hears what happens, and `board` shows
/// it.
///
/// # Errors
/// [`NetworkError`] if the kit, the folder or the address cannot be used, or the study fails.
pub async fn serve(
    kit: &Path,
    state: &Path,
    listen: Option<&str>,
    board: &Board<Study>,
    mut tell: impl FnMut(Event),
) -> Result<(Spec, RunResult), NetworkError> {
    let party = Kit::read(kit)?;
    let coordinator = open_coordinator(kit, state)?;
    let longest = coordinator.longest_message();
    let (events, mut heard) = mpsc::unbounded_channel();
    board.change(|study, now| study.begin(&coordinator, party.deadline(), now));
    let hall = Arc::new(Hall::new(&party, coordinator, events, board.clone()));
    let address = listen.unwrap_or(&party.network.address);
    let listener = TcpListener::bind(address).await;
    let listener = listener.map_err(|error| NetworkError::Listen(address.to_owned(), error))?;
    if let Ok(address) = listener.local_addr() {
        tell(Event::Listening(address));
    }
    if let Some(url) = board.open(state).await? {
        tell(Event::Page(url));
    }
    let acceptor = TlsAcceptor::from(Arc::new(party.server_config()?));
    let (connections, incoming) = mpsc::channel(16);
    let door = tokio::spawn(open_door(
        listener,
        acceptor,
        connections,
        Arc::clone(&hall),
    ));
    // Room for the fields around an answer.
    let service =
        CarrierServer::from_arc(Arc::clone(&hall)).max_decoding_message_size(longest + 1024);
    let over = hall.over();
    let server = tonic::transport::Server::builder()
        .http2_keepalive_interval(Some(HEARTBEAT))
        .http2_keepalive_timeout(Some(HEARTBEAT))
        .max_concurrent_streams(4)
        .add_service(service)
        .serve_with_incoming_shutdown(Incoming(incoming), over);
    let clock = tokio::spawn(keep_time(Arc::clone(&hall), party.deadline()));
    let mut server = Box::pin(server);
    loop {
        tokio::select! {
            _ = &mut server => break,
            Some(event) = heard.recv() => {
                hall.show(&event);
                tell(event);
            }
        }
    }
    door.abort();
    clock.abort();
    while let Ok(event) = heard.try_recv() {
        hall.show(&event);
        tell(event);
    }
    let failed = hall
        .failed
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    if let Some(error) = failed {
        return Err(error.into());
    }
    let result = result_so_far(&hall.coordinator())?;
    Ok(result.expect("the study is over"))
}

impl Hall {
    fn new(
        party: &Kit,
        coordinator: Coordinator,
        events: mpsc::UnboundedSender<Event>,
        board: Board<Study>,
    ) -> Self {
        let names = coordinator.plan().sites.clone();
        let site = |(at, name): (usize, &String)| {
            let fingerprint = party.network.roster.get(name)?;
            Some((fingerprint.clone(), ClientId(at as u32 + 1)))
        };
        Self {
            roster: names.iter().enumerate().filter_map(site).collect(),
            names,
            coordinator: Mutex::new(coordinator),
            moved: watch::Sender::new(0),
            here: Mutex::default(),
            events,
            failed: Mutex::default(),
            board,
        }
    }

    fn coordinator(&self) -> MutexGuard<'_, Coordinator> {
        self.coordinator
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, event: Event) {
        // Nobody listens any more once the study is over.
        let _ = self.events.send(event);
    }

    fn tell_all(&self, events: Vec<StudyEvent>) {
        events
            .into_iter()
            .for_each(|event| self.tell(Event::Study(event)));
        self.moved.send_modify(|n| *n += 1);
    }

    /// Shows what happened on the page.
    fn show(&self, event: &Event) {
        if !self.board.is_on() {
            return;
        }
        let coordinator = self.coordinator();
        self.board.change(|study, now| {
            study.sync(&coordinator, now);
            match event {
                Event::NoQuorum(_) => study.no_quorum(),
                Event::Study(StudyEvent::SiteAbsent { site, number, why }) => {
                    study.absent(*site, *number, *why);
                }
                _ => {}
            }
        });
    }

    /// Ends when there is nothing more to ask, or the disk fails.
    fn over(self: &Arc<Self>) -> impl Future<Output = ()> + use<> {
        let hall = Arc::clone(self);
        let mut moved = hall.moved.subscribe();
        async move {
            let is_over = |_: &u64| {
                let failed = hall.failed.lock().unwrap_or_else(PoisonError::into_inner);
                failed.is_some() || hall.coordinator().number().is_none()
            };
            let _ = moved.wait_for(is_over).await;
        }
    }

    /// The site behind a connection, if its process is the only one.
    fn who<T>(&self, request: &Request<T>, process: u64) -> Result<ClientId, Status> {
        let peer = request.extensions().get::<Peer>();
        let fingerprint = peer.and_then(|peer| peer.fingerprint.as_deref());
        let known = fingerprint.and_then(|f| self.roster.get(f)).copied();
        let (Some(peer), Some(site)) = (peer, known) else {
            self.board
                .change(|study, _| study.turned_away(Door::Stranger));
            self.tell(Event::TurnedAway(
                "a certificate that is not in the roster".to_owned(),
            ));
            return Err(Status::permission_denied(
                "this certificate is not in the study's roster",
            ));
        };
        let mut here = self.here.lock().unwrap_or_else(PoisonError::into_inner);
        match here.get(&site) {
            Some((known, _)) if *known == process => {}
            Some((_, connection)) if connection.strong_count() > 0 => {
                self.board
                    .change(|study, _| study.turned_away(Door::Second));
                let name = self.name(site);
                self.tell(Event::TurnedAway(format!("a second process of {name}")));
                return Err(Status::already_exists(
                    "another process with this kit takes part",
                ));
            }
            _ => self.tell(Event::Connected(self.name(site))),
        }
        here.insert(site, (process, peer.alive.clone()));
        self.board
            .change(|study, now| study.heard(site, &peer.alive, now));
        Ok(site)
    }

    fn name(&self, site: ClientId) -> String {
        self.names[site.0 as usize - 1].clone()
    }

    fn question(&self, site: ClientId) -> (Option<Arc<[u8]>>, bool) {
        let coordinator = self.coordinator();
        let questions = coordinator.questions();
        let mine = questions.into_iter().find(|(asked, _)| *asked == site);
        (mine.map(|(_, bytes)| bytes), coordinator.number().is_none())
    }

    /// The answer is in the ledger when this returns.
    fn receive(&self, site: ClientId, answer: &[u8]) -> Result<Receipt, Status> {
        let became = self.coordinator().receive(site, answer);
        Ok(match became {
            Ok(Became::Taken(events)) => {
                self.tell_all(events);
                Receipt::Taken
            }
            Ok(Became::Repeated) => Receipt::Repeated,
            Ok(Became::Refused(refusal)) => {
                self.tell(Event::TurnedAway(refusal.to_string()));
                Receipt::Refused
            }
            Err(error) => {
                let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
                *failed = Some(error);
                drop(failed);
                self.moved.send_modify(|n| *n += 1);
                return Err(Status::unavailable("the answer could not be kept"));
            }
        })
    }
}

#[tonic::async_trait]
impl Carrier for Hall {
    async fn next(&self, request: Request<NextRequest>) -> Result<Response<NextReply>, Status> {
        let process = request.get_ref().process;
        let site = self.who(&request, process)?;
        let mut moved = self.moved.subscribe();
        let until = tokio::time::Instant::now() + LONG_POLL;
        loop {
            moved.borrow_and_update();
            let (question, over) = self.question(site);
            let wait = question.is_none() && !over;
            if !wait
                || tokio::time::timeout_at(until, moved.changed())
                    .await
                    .is_err()
            {
                let question = question.map(|bytes| bytes.to_vec()).unwrap_or_default();
                self.board.change(|study, _| study.asked(question.len()));
                return Ok(Response::new(NextReply { question, over }));
            }
        }
    }

    async fn send(&self, request: Request<SendRequest>) -> Result<Response<SendReply>, Status> {
        let process = request.get_ref().process;
        let site = self.who(&request, process)?;
        let answer = request.into_inner().answer;
        // Writing to the disk takes a while; others are served meanwhile.
        let receipt = tokio::task::block_in_place(|| self.receive(site, &answer))?;
        let outcome = match receipt {
            Receipt::Repeated => Outcome::Repeated,
            Receipt::Refused => Outcome::Refused,
            _ => Outcome::Taken,
        };
        self.board
            .change(|study, now| study.answer(site, answer.len(), outcome, now));
        let receipt = receipt.into();
        Ok(Response::new(SendReply { receipt }))
    }
}

/// Closes every question when its time is over, if enough sites have answered.
async fn keep_time(hall: Arc<Hall>, deadline: Duration) {
    let mut moved = hall.moved.subscribe();
    loop {
        let number = hall.coordinator().number();
        let Some(number) = number else { return };
        let until = tokio::time::Instant::now() + deadline;
        let moves_on = moved.wait_for(|_| hall.coordinator().number() != Some(number));
        let timed_out = tokio::time::timeout_at(until, moves_on).await.is_err();
        if !timed_out {
            continue;
        }
        let events = {
            let mut coordinator = hall.coordinator();
            coordinator.has_quorum().then(|| {
                tokio::task::block_in_place(|| coordinator.apply(&Input::Close { number }))
            })
        };
        match events {
            None => hall.tell(Event::NoQuorum(number)),
            Some(Ok(events)) => hall.tell_all(events),
            Some(Err(error)) => {
                *hall.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                hall.moved.send_modify(|n| *n += 1);
                return;
            }
        }
    }
}

/// Lets in whoever proves to be of the study, a bounded number at once.
async fn open_door(
    listener: TcpListener,
    acceptor: TlsAcceptor,
    connections: mpsc::Sender<Secured>,
    hall: Arc<Hall>,
) {
    let room = Arc::new(Semaphore::new(CONNECTIONS * hall.names.len() + 16));
    loop {
        let Ok(place) = Arc::clone(&room).acquire_owned().await else {
            return;
        };
        let Ok((stream, _)) = listener.accept().await else {
            // Too many open files, for one: better in a moment.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let (acceptor, connections) = (acceptor.clone(), connections.clone());
        let hall = Arc::clone(&hall);
        tokio::spawn(async move {
            let _ = stream.set_nodelay(true);
            match tokio::time::timeout(HANDSHAKE, acceptor.accept(stream)).await {
                Ok(Ok(stream)) => {
                    let _ = connections.send(Secured::new(stream, place)).await;
                }
                Ok(Err(error)) => {
                    hall.board
                        .change(|study, _| study.turned_away(Door::Handshake));
                    hall.tell(Event::TurnedAway(format!("no handshake: {error}")));
                }
                Err(_) => {
                    hall.board.change(|study, _| study.turned_away(Door::Slow));
                    hall.tell(Event::TurnedAway(
                        "a handshake that took too long".to_owned(),
                    ));
                }
            }
        });
    }
}

/// Connections as they come.
struct Incoming(mpsc::Receiver<Secured>);

impl tokio_stream::Stream for Incoming {
    type Item = Result<Secured, std::io::Error>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|stream| stream.map(Ok))
    }
}
