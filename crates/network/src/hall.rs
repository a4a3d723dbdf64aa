//! A study that is served: its coordinator, who is there, and what each site is asked.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use fedcdi_core::ClientId;
use fedcdi_protocol::coordinator::Input;
use fedcdi_protocol::{Coordinator, JournalError, Receipt as Became, StudyEvent};
use tokio::sync::{OwnedSemaphorePermit, mpsc, watch};
use tonic::{Request, Response, Status};

use crate::coordinator::Event;
use crate::heads::Heads;
use crate::page::{Board, Door, Outcome, Study};
use crate::roster::Roster;
use crate::tls::Peer;
use crate::wire::carrier_server::Carrier;
use crate::wire::{Head, NextReply, NextRequest, Receipt, SendReply, SendRequest};

/// How long a site that asks for a question waits for one before it hears that there is none.
const LONG_POLL: Duration = Duration::from_secs(20);

/// A study that is served.
pub(crate) struct Hall {
    names: Vec<String>,
    /// None where all answers come by courier.
    roster: Option<Roster>,
    coordinator: Mutex<Coordinator>,
    /// Answers are written down one after another.
    desk: tokio::sync::Mutex<()>,
    /// Where the study stands, for all who wait.
    standing: watch::Sender<Standing>,
    /// The process of every site, and the connection it was last heard on.
    here: Mutex<BTreeMap<ClientId, (u64, Weak<OwnedSemaphorePermit>)>>,
    heads: Mutex<Heads>,
    events: mpsc::UnboundedSender<Event>,
    failed: Mutex<Option<JournalError>>,
    board: Board<Study>,
}

/// Where a study stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Standing {
    /// The running question; none after the last.
    number: Option<u32>,
    /// The disk failed: nothing more is taken.
    failed: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hall {
    pub(crate) fn new(
        roster: Option<Roster>,
        coordinator: Coordinator,
        heads: Heads,
        events: mpsc::UnboundedSender<Event>,
        board: Board<Study>,
    ) -> Self {
        let names = coordinator.plan().sites.clone();
        let standing = Standing {
            number: coordinator.number(),
            failed: false,
        };
        Self {
            roster,
            names,
            coordinator: Mutex::new(coordinator),
            desk: tokio::sync::Mutex::default(),
            standing: watch::Sender::new(standing),
            here: Mutex::default(),
            heads: Mutex::new(heads),
            events,
            failed: Mutex::default(),
            board,
        }
    }

    pub(crate) fn coordinator(&self) -> MutexGuard<'_, Coordinator> {
        lock(&self.coordinator)
    }

    /// The sites, with their names.
    pub(crate) fn sites(&self) -> Vec<(ClientId, String)> {
        let ids = (1..).map(ClientId);
        ids.zip(self.names.iter().cloned()).collect()
    }

    /// The turn to write something down.
    pub(crate) async fn desk(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.desk.lock().await
    }

    pub(crate) fn question_to(&self, site: ClientId) -> Option<Arc<[u8]>> {
        self.coordinator().question_to(site)
    }

    pub(crate) fn longest_message(&self) -> usize {
        self.coordinator().longest_message()
    }

    pub(crate) fn tell(&self, event: Event) {
        // Nobody listens any more once the study is over.
        let _ = self.events.send(event);
    }

    /// Tells of somebody who was turned away.
    pub(crate) fn turn_away(&self, why: Door, words: String) {
        self.board.change(|study, _| study.turned_away(why));
        self.tell(Event::TurnedAway(words));
    }

    /// Shows what happened on the page.
    pub(crate) fn show(&self, event: &Event) {
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

    /// Why the disk cannot be used, if that is so.
    pub(crate) fn failure(&self) -> Option<JournalError> {
        lock(&self.failed).take()
    }

    /// Tells everybody who waits where the study stands now.
    fn tell_standing(&self, failed: bool) {
        let number = self.coordinator().number();
        self.standing.send_if_modified(|before| {
            let now = Standing {
                number,
                failed: failed || before.failed,
            };
            std::mem::replace(before, now) != now
        });
    }

    /// What an input changes; the error is kept for whoever runs the study.
    fn became<T>(&self, changed: Result<T, JournalError>) -> Option<T> {
        let failed = changed.is_err();
        // The first says why; those after it only that there was one.
        let changed = changed.map_err(|error| {
            lock(&self.failed).get_or_insert(error);
        });
        self.tell_standing(failed);
        changed.ok()
    }

    fn tell_all(&self, events: Vec<StudyEvent>) {
        for event in events {
            if let StudyEvent::SiteAbsent { site, number, why } = event {
                self.tell(Event::Absent(self.name(site), number, why));
            }
            self.tell(Event::Study(event));
        }
    }

    /// Ends when there is nothing more to ask, or the disk fails.
    pub(crate) fn over(self: &Arc<Self>) -> impl Future<Output = ()> + use<> {
        let mut standing = self.standing.subscribe();
        async move {
            let is_over = |now: &Standing| now.failed || now.number.is_none();
            let _ = standing.wait_for(is_over).await;
        }
    }

    /// Closes every question when its time is over, if enough sites have answered.
    pub(crate) async fn keep_time(self: Arc<Self>, deadline: Duration) {
        let mut standing = self.standing.subscribe();
        loop {
            let Standing {
                number: Some(number),
                failed: false,
            } = *standing.borrow_and_update()
            else {
                return;
            };
            let until = tokio::time::Instant::now() + deadline;
            let moves_on = standing.wait_for(|now| now.number != Some(number) || now.failed);
            if tokio::time::timeout_at(until, moves_on).await.is_err() {
                let _desk = self.desk().await;
                tokio::task::block_in_place(|| self.close(number));
            }
        }
    }

    /// The time for a question is over.
    fn close(&self, number: u32) {
        let closed = {
            let mut coordinator = self.coordinator();
            let has_quorum = coordinator.has_quorum();
            has_quorum.then(|| coordinator.apply(&Input::Close { number }))
        };
        match closed {
            None => self.tell(Event::NoQuorum(number)),
            Some(closed) => self.tell_all(self.became(closed).unwrap_or_default()),
        }
    }

    /// The site behind a connection, if its process is the only one.
    fn who<T>(&self, request: &Request<T>, process: u64) -> Result<ClientId, Status> {
        let peer = request.extensions().get::<Peer>();
        let known = (peer.zip(self.roster.as_ref()))
            .and_then(|(peer, roster)| roster.site(&peer.fingerprint));
        let (Some(peer), Some(site)) = (peer, known) else {
            let why = "a certificate that is not in the roster";
            self.turn_away(Door::Stranger, why.to_owned());
            let why = "this certificate is not in the study's roster";
            return Err(Status::permission_denied(why));
        };
        let mut here = lock(&self.here);
        match here.get(&site) {
            Some((known, _)) if *known == process => {}
            Some((_, connection)) if connection.strong_count() > 0 => {
                let why = format!("a second process of {}", self.name(site));
                self.turn_away(Door::Second, why);
                let why = "another process with this kit takes part";
                return Err(Status::already_exists(why));
            }
            _ => self.tell(Event::Connected(self.name(site))),
        }
        here.insert(site, (process, peer.alive.clone()));
        (self.board).change(|study, now| study.heard(site, &peer.alive, now));
        Ok(site)
    }

    fn name(&self, site: ClientId) -> String {
        self.names[site.0 as usize - 1].clone()
    }

    /// Keeps what a site says of its own journal: nobody can shorten that unnoticed.
    fn note(&self, site: ClientId, head: Option<Head>) {
        let owner = self.coordinator().owner_of(site);
        if let Some(head) = head {
            lock(&self.heads).note(&owner, &head);
        }
    }

    /// The answer is in the ledger when this returns.
    pub(crate) fn receive(&self, site: ClientId, answer: &[u8]) -> Result<SendReply, Status> {
        let (became, head) = {
            let mut coordinator = self.coordinator();
            let became = coordinator.receive(site, answer);
            let head = Head {
                records: coordinator.n_records(),
                hash: coordinator.head().as_bytes().to_vec(),
            };
            (became, head)
        };
        let Some(became) = self.became(became) else {
            return Err(Status::unavailable("the answer could not be kept"));
        };
        let (receipt, outcome) = match became {
            Became::Taken(events) => {
                self.tell_all(events);
                (Receipt::Taken, Outcome::Taken)
            }
            Became::Repeated => (Receipt::Repeated, Outcome::Repeated),
            Became::Refused(refusal) => {
                self.tell(Event::TurnedAway(refusal.to_string()));
                (Receipt::Refused, Outcome::Refused)
            }
        };
        let n_bytes = answer.len();
        (self.board).change(|study, now| study.answer(site, n_bytes, outcome, now));
        Ok(SendReply {
            receipt: receipt.into(),
            head: Some(head),
        })
    }
}

#[tonic::async_trait]
impl Carrier for Hall {
    async fn next(&self, request: Request<NextRequest>) -> Result<Response<NextReply>, Status> {
        let process = request.get_ref().process;
        let site = self.who(&request, process)?;
        let mut standing = self.standing.subscribe();
        let until = tokio::time::Instant::now() + LONG_POLL;
        loop {
            let now = *standing.borrow_and_update();
            if now.failed {
                // The server ends when nobody waits any more.
                return Err(Status::unavailable("the coordinator cannot go on"));
            }
            let over = now.number.is_none();
            let question = self.question_to(site);
            let waits = question.is_none() && !over;
            if !waits
                || tokio::time::timeout_at(until, standing.changed())
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
        let SendRequest { answer, head, .. } = request.into_inner();
        let _desk = self.desk().await;
        // Writing to the disk takes a while; others are served meanwhile.
        let reply = tokio::task::block_in_place(|| {
            self.note(site, head);
            self.receive(site, &answer)
        })?;
        Ok(Response::new(reply))
    }
}
