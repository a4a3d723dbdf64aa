//! Sites send their answers by turns: the coordinator has room for some of them at once, and not for all.
//!
//! Whoever waits for its turn is not read from, so its answer stays where it is, but for what fits a window
//! of HTTP/2. A connection has one turn at a time: a slow site keeps nobody else waiting.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::sync::Semaphore;
use tonic::codegen::http;
use tower::{Layer, Service};

use crate::tls::Peer;

/// Answers that are read at once.
const TURNS: usize = 64;

/// Bytes that may be on their way of an answer that has no turn.
pub(crate) const WINDOW: u32 = 64 * 1024;

/// Gives turns to a service.
#[derive(Clone)]
pub(crate) struct Turns(Arc<Semaphore>);

impl Turns {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(TURNS)))
    }
}

impl<S> Layer<S> for Turns {
    type Service = ByTurns<S>;

    fn layer(&self, inner: S) -> Self::Service {
        let turns = Arc::clone(&self.0);
        ByTurns { inner, turns }
    }
}

/// A service whose answers come by turns.
#[derive(Clone)]
pub(crate) struct ByTurns<S> {
    inner: S,
    turns: Arc<Semaphore>,
}

impl<S, B> Service<http::Request<B>> for ByTurns<S>
where
    S: Service<http::Request<B>> + Clone + Send + 'static,
    S::Future: Send,
    B: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        // The one that was asked whether it is ready is the one that is called.
        let clone = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, clone);
        let peer = request.extensions().get::<Peer>();
        let sends = request.uri().path().ends_with("/Send");
        let own = peer.filter(|_| sends).map(|peer| Arc::clone(&peer.sending));
        let turns = Arc::clone(&self.turns);
        Box::pin(async move {
            let Some(own) = own else {
                return inner.call(request).await;
            };
            // Neither is ever closed.
            let _own = own.acquire().await;
            let _turn = turns.acquire().await;
            inner.call(request).await
        })
    }
}
