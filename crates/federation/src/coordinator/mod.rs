//! The protocol.
//!
//! A study has a fixed list of clients, one schema and one aggregator. The coordinator sends every
//! client the same belief; each answers with one [`ClientReport`](fedcdi_core::ClientReport); the
//! reports become one belief; that is sent in the next round.
//!
//! ```text
//!           Start                all answered, or Close
//!   Ready --------> Collecting --------------------------> quorum holds? --no--> Failed
//!                      ^                                        | yes
//!                      |  no: Broadcast the next round          v
//!                      +-------------------------------- converged, round limit,
//!                                                         or cancelled? --yes--> Finished
//! ```
//!
//! | input | meaning | effect while collecting |
//! |---|---|---|
//! | [`Input::Start`] | begin the first round | none |
//! | [`Input::Report`] | a client answers | accepted, or refused, named and counted |
//! | [`Input::Unreadable`] | an answer that cannot be decoded | refused; the client has answered |
//! | [`Input::Absent`] | a client will not answer | counted |
//! | [`Input::Close`] | time is up | who has not answered is absent |
//! | [`Input::Cancel`] | stop | the round is finished, then the run |
//!
//! A report is refused if its sender is unknown, has answered already or means another round, or
//! if its content fails [`ClientReport::check`](fedcdi_core::ClientReport::check). Bad content
//! uses up the client's answer of the round; a stale or repeated report does not disturb it.
//!
//! A round needs [`CoordinatorParams::quorum`] of the clients, else the run fails and names the
//! missing. It ends as converged when no edge probability moved by more than
//! [`CoordinatorParams::tolerance`] and the clients' graphs differ by at most
//! [`CoordinatorParams::max_entropy`], [`CoordinatorParams::patience`] rounds in a row; or when the
//! graph stays the same for [`CoordinatorParams::graph_patience`] rounds of such agreement.
//!
//! The result is the mean of the last [`CoordinatorParams::average`] aggregates (1 takes the last,
//! as the paper does). It always becomes a DAG. Edges that the clients' independence tests do not show
//! are taken back ([`CoordinatorParams::pruning`]), and edges that they do show come in once the graph
//! rests ([`CoordinatorParams::grafting`]).
//!
//! No clock, no input or output, no randomness: time limits are [`Input::Close`] from outside, and
//! the same inputs give the same outputs. The order in which reports arrive changes the order of
//! events, and nothing else.

mod average;
mod close;
mod convergence;
mod message;
mod params;
mod refusal;
mod state;
mod step;
mod verdicts;

pub use message::{Input, Output};
pub use params::{Coordinator, CoordinatorParams, Study};
pub use state::{Collecting, FederationError, Outcome, State};
