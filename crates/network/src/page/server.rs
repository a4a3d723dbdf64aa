//! Serves a page: a few addresses, all of them for reading.

use std::convert::Infallible;
use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::sse::{Event, Sse};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinHandle;
use tokio_stream::wrappers::ReceiverStream;

use super::access::Access;
use super::board::{Board, Shown};
use super::document::{Pieces, document, pieces, refusal};
use crate::error::NetworkError;

/// Connections at once; more wait.
const PLACES: u32 = 64;
/// How long a connection may take to say what it wants.
const HEADERS: Duration = Duration::from_secs(10);
/// News are gathered for this long before they are sent.
const PAUSE: Duration = Duration::from_millis(300);
/// How often it is looked whether connections are still up.
const LOOK: Duration = Duration::from_secs(1);
/// A browser that hears nothing for longer than this may take the connection for lost.
const SIGN: Duration = Duration::from_secs(15);
/// How long the last news may take.
const GOODBYE: Duration = Duration::from_secs(2);

const SCRIPT: &str = include_str!("live.js");

/// Nothing from elsewhere, no frame around it, no script but its own; drawings have inline styles.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; \
    img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const HEADERS_OF_ALL: [(HeaderName, &str); 6] = [
    (header::CACHE_CONTROL, "no-store"),
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
];

/// A page that is served.
pub(super) struct Served {
    room: Arc<Semaphore>,
    closing: watch::Sender<bool>,
    tasks: [JoinHandle<()>; 2],
}

/// What every request needs.
struct Site<S> {
    board: Board<S>,
    access: Access,
    closing: watch::Receiver<bool>,
}

impl<S: Shown> Board<S> {
    /// Serves the page, if there is to be one, with the token of the folder `state`. Returns the address
    /// with which it can be read.
    ///
    /// # Errors
    /// [`NetworkError`] if the address or the token cannot be used.
    pub async fn open(&self, state: &Path) -> Result<Option<String>, NetworkError> {
        let Some(address) = &self.0.address else {
            return Ok(None);
        };
        let cannot = |error| NetworkError::Listen(address.clone(), error);
        let listener = TcpListener::bind(address).await.map_err(cannot)?;
        let local = listener.local_addr().map_err(cannot)?;
        let access = Access::of(state, local)?;
        let url = access.url(local);
        let (closing, watched) = watch::channel(false);
        let site = Arc::new(Site {
            board: self.clone(),
            access,
            closing: watched,
        });
        let room = Arc::new(Semaphore::new(PLACES as usize));
        let served = Served {
            room: Arc::clone(&room),
            closing,
            tasks: [
                tokio::spawn(let_in(listener, routes(site), room)),
                tokio::spawn(look(self.clone())),
            ],
        };
        *self.0.served.lock().unwrap_or_else(PoisonError::into_inner) = Some(served);
        Ok(Some(url))
    }

    /// Shows how it ended to everybody who looks, and closes the page.
    pub async fn close(&self, last: impl FnOnce(&mut S)) {
        self.change(|shown, _| last(shown));
        let served = self
            .0
            .served
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(served) = served {
            served.tasks.iter().for_each(JoinHandle::abort);
            served.closing.send_replace(true);
            let gone = served.room.acquire_many(PLACES);
            let _ = tokio::time::timeout(GOODBYE, gone).await;
        }
    }
}

async fn look<S: Shown>(board: Board<S>) {
    loop {
        tokio::time::sleep(LOOK).await;
        board.refresh();
    }
}

fn routes<S: Shown>(site: Arc<Site<S>>) -> Router {
    Router::new()
        .route("/", get(page::<S>))
        .route("/events", get(events::<S>))
        .route("/live.js", get(script))
        .route("/favicon.ico", get(async || StatusCode::NO_CONTENT))
        .route("/healthz", get(health::<S>))
        .route("/metrics", get(metrics::<S>))
        .layer(from_fn_with_state(Arc::clone(&site), guard::<S>))
        .with_state(site)
}

/// One request per connection, and a bounded number of them.
async fn let_in(listener: TcpListener, routes: Router, room: Arc<Semaphore>) {
    loop {
        let Ok(place) = Arc::clone(&room).acquire_owned().await else {
            return;
        };
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let service = TowerToHyperService::new(routes.clone());
        tokio::spawn(async move {
            let _ = stream.set_nodelay(true);
            let mut one = http1::Builder::new();
            one.timer(TokioTimer::new());
            one.header_read_timeout(HEADERS).keep_alive(false);
            // Who breaks off or talks nonsense is nobody's worry.
            let _ = one.serve_connection(TokioIo::new(stream), service).await;
            drop(place);
        });
    }
}

/// Refuses other names of this machine, and says to browsers what they must not do with an answer.
async fn guard<S: Shown>(
    State(site): State<Arc<Site<S>>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = if site.access.knows_host(request.headers()) {
        next.run(request).await
    } else {
        let text = "this page has another name; open the address that the program printed\n";
        (StatusCode::MISDIRECTED_REQUEST, text).into_response()
    };
    for (name, value) in HEADERS_OF_ALL {
        let value = HeaderValue::from_static(value);
        response.headers_mut().insert(name, value);
    }
    response
}

fn without_token() -> Response {
    let text = "Open the address that the program printed: it ends with a token. \
        The token is also in the file page-token in the folder of its state.";
    (StatusCode::FORBIDDEN, Html(refusal(text))).into_response()
}

async fn page<S: Shown>(
    State(site): State<Arc<Site<S>>>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    if !site.access.has_token(&uri, &headers) {
        return without_token();
    }
    let (shown, now) = (site.board.shown(), site.board.now());
    // A large graph takes time to draw.
    let drawn = tokio::task::spawn_blocking(move || document(&*shown, now)).await;
    match drawn {
        Ok(page) => Html(page).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

async fn script() -> Response {
    let kind = [(header::CONTENT_TYPE, "text/javascript; charset=utf-8")];
    (kind, SCRIPT).into_response()
}

async fn health<S: Shown>(State(site): State<Arc<Site<S>>>) -> Response {
    match site.board.shown().trouble() {
        None => "ok\n".into_response(),
        Some(word) => (StatusCode::SERVICE_UNAVAILABLE, format!("{word}\n")).into_response(),
    }
}

async fn metrics<S: Shown>(
    State(site): State<Arc<Site<S>>>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    if !site.access.may_count(&uri, &headers) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let kind = [(
        header::CONTENT_TYPE,
        "text/plain; version=0.0.4; charset=utf-8",
    )];
    (kind, site.board.shown().metrics(site.board.now())).into_response()
}

async fn events<S: Shown>(
    State(site): State<Arc<Site<S>>>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    if !site.access.has_token(&uri, &headers) {
        return without_token();
    }
    let (out, events) = mpsc::channel::<Result<Event, Infallible>>(1);
    tokio::spawn(feed(site.board.clone(), site.closing.clone(), out));
    Sse::new(ReceiverStream::new(events)).into_response()
}

/// Sends what changed until the reader has gone, or the page is closed.
async fn feed<S: Shown>(
    board: Board<S>,
    mut closing: watch::Receiver<bool>,
    out: mpsc::Sender<Result<Event, Infallible>>,
) {
    let mut changes = board.0.shown.subscribe();
    let mut sent = Pieces::new();
    loop {
        // Asked first: what is shown after it is the last.
        let last = *closing.borrow_and_update();
        let (shown, now) = (Arc::clone(&changes.borrow_and_update()), board.now());
        let drawing = tokio::task::spawn_blocking(move || pieces(&*shown, now));
        let Ok(pieces) = drawing.await else { return };
        let is_news = |piece: &&(String, String)| !sent.contains(piece);
        let news = pieces.iter().filter(is_news).cloned();
        let news: serde_json::Map<_, _> = news.map(|(id, html)| (id, html.into())).collect();
        if !news.is_empty() {
            let data = serde_json::Value::from(news).to_string();
            let event = Event::default().event("pieces").data(data);
            if out.send(Ok(event)).await.is_err() {
                return;
            }
        }
        sent = pieces;
        if last {
            let _ = out.send(Ok(Event::default().event("over").data("-"))).await;
            return;
        }
        loop {
            tokio::select! {
                _ = changes.changed() => break,
                _ = closing.changed() => break,
                () = out.closed() => return,
                () = tokio::time::sleep(SIGN) => {
                    let sign = Event::default().comment("still here");
                    if out.send(Ok(sign)).await.is_err() {
                        return;
                    }
                }
            }
        }
        if !*closing.borrow() {
            tokio::time::sleep(PAUSE).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream;

    use super::super::{Ending, Study};
    use super::*;

    /// What an address answers, from the first line to the end.
    fn ask(address: &str, head: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(10)))
            .unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn get_of(address: &str, path: &str) -> String {
        ask(
            address,
            &format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n"),
        )
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_page_is_for_reading_by_those_who_have_the_token() {
        let folder = tempfile::tempdir().unwrap();
        let board: Board<Study> = Board::at(Some("127.0.0.1:0".to_owned()));
        let url = board.open(folder.path()).await.unwrap().unwrap();
        let (address, query) = url["http://".len()..].split_once('/').unwrap();
        let (address, query) = (address.to_owned(), query.to_owned());
        let asked = tokio::task::spawn_blocking(move || {
            let get = |path: &str| get_of(&address, path);
            let page = get(&format!("/{query}"));
            assert!(page.starts_with("HTTP/1.1 200 "), "{page}");
            for (name, value) in HEADERS_OF_ALL {
                assert!(page.contains(&format!("{name}: {value}\r\n")), "{name}");
            }
            for path in ["/", "/?token=0", "/events", "/events?token="] {
                let refused = get(path);
                assert!(refused.starts_with("HTTP/1.1 403 "), "{refused}");
                assert!(!refused.contains(&query["?token=".len()..]));
            }
            assert!(get("/live.js").contains("EventSource"));
            assert!(get("/healthz").ends_with("ok\n"));
            assert!(get("/metrics").contains("\nfedcdi_ledger_records 0\n"));
            assert!(get("/other").starts_with("HTTP/1.1 404 "));
            let post =
                format!("POST /{query} HTTP/1.1\r\nHost: {address}\r\nContent-Length: 0\r\n\r\n");
            assert!(ask(&address, &post).starts_with("HTTP/1.1 405 "));
            let other = format!("GET /{query} HTTP/1.1\r\nHost: evil.example\r\n\r\n");
            assert!(ask(&address, &other).starts_with("HTTP/1.1 421 "));
        });
        asked.await.unwrap();
        board.close(|_| ()).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn readers_hear_what_changes_and_how_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let board: Board<Study> = Board::at(Some("127.0.0.1:0".to_owned()));
        let url = board.open(folder.path()).await.unwrap().unwrap();
        let (address, query) = url["http://".len()..].split_once("/?").unwrap();
        let (address, path) = (address.to_owned(), format!("/events?{query}"));
        let reader = tokio::task::spawn_blocking(move || get_of(&address, &path));
        tokio::time::sleep(Duration::from_millis(200)).await;
        board.change(|study, _| study.no_quorum());
        tokio::time::sleep(2 * PAUSE).await;
        let start = std::time::Instant::now();
        board
            .close(|study| study.end(Ending::Result("here".to_owned())))
            .await;
        assert!(start.elapsed() < GOODBYE, "the last news took too long");
        let heard = reader.await.unwrap();
        assert!(heard.contains("content-type: text/event-stream"), "{heard}");
        let pieces: Vec<&str> = heard.lines().filter(|l| l.starts_with("data: {")).collect();
        assert!(pieces[0].contains("\"sites-body\""), "{heard}");
        let last = pieces[pieces.len() - 1];
        assert!(
            last.contains("<code>here</code>") && !last.contains("plan-body"),
            "{last}"
        );
        assert!(heard.contains("event: over\n"), "{heard}");
        // Nobody is there any more.
        let address = url["http://".len()..].split('/').next().unwrap();
        assert!(TcpStream::connect(address).is_err());
    }
}
