//! The coordinator: asks, adds, decides.
//!
//! Paper: FedCDI Algorithm 1.
//!
//! | Algorithm 1 | code |
//! |---|---|
//! | for each client k: psi^k from LCDM(D^k, psi) | `Site::believed` in [`crate::site`](crate::Site) |
//! | psi from the psi^k, by naive or proximity-based aggregation | `aggregate` in `close`, [`crate::rules`] |
//! | until T iterations or convergence | `close_round` in `close`, `convergence` |
//! | psi > 0.5 | `raw_graph`; [`above_half`](fedcdi_core::graph::extract::above_half) |
//!
//! ```text
//!          start           all joined, or closed         all answered, or closed
//!   Ready -------> Joining --> (what moves what) -> Round ------------------------> quorum? --no--> Failed
//!                                                    ^                                | yes
//!                                                    |   no: ask the next round       v
//!                                                    +----------------------- converged, round
//!                                                                             limit, or cancelled?
//!                                                                                     | yes
//!                                                             no scores, or cancelled |  scores
//!                      Over <-- all have the result, or closed -- Finishing <---------+----------+
//!                                                                     ^                          v
//!                                     nothing better, or the limit    |                       Search
//!                                                                     +-- quorum? <-- all answered, or closed
//!                                                                           ^ |
//!                                                         ask for more sums +-+
//! ```
//!
//! | input | meaning | effect |
//! |---|---|---|
//! | [`Input::Start`] | begin | sites are asked to join |
//! | [`Input::Received`] | a site answers | counts once; the same bytes again change nothing |
//! | [`Input::Absent`] | a site will not answer | it is absent from the question |
//! | [`Input::Close`] | time is up for a question | who has not answered is absent |
//! | [`Input::Cancel`] | stop | the round is finished, then the study |
//!
//! A plan may ask what moves what ([`Moves`](crate::Moves)), once, after the sites have joined and before all
//! else. The answers need no quorum: a site that does not tell takes part in the rest. What they rule out is in
//! no belief and no graph that follows.
//!
//! A plan may have scores ([`ScorePlan`](crate::ScorePlan)). Then the rounds are followed by a search over
//! sums of the sites' rows, which adds, removes and turns edges; or the search takes the place of the rounds.
//! All sums of a search are over the same sites: those that answered its first question. If one of them is
//! lost, the search begins anew over those that remain. Its graph is the result, and the belief agrees
//! with it (`refined`). A study that is cancelled in its rounds does not search.
//!
//! An answer that cannot be used is refused by name ([`Refusal`]) and changes nothing: the site may
//! send a better one until the question is closed. A site that joins late takes part from the next
//! round on.
//!
//! A round needs [`RoundParams::quorum`](crate::RoundParams::quorum) of the sites, else the study fails
//! and names the missing. It ends as converged when no edge probability moved by more than
//! [`tolerance`](crate::RoundParams::tolerance) and the sites' graphs differ by at most
//! [`max_entropy`](crate::RoundParams::max_entropy), [`patience`](crate::RoundParams::patience)
//! rounds in a row; or when the graph stays the same for
//! [`graph_patience`](crate::RoundParams::graph_patience) rounds of such agreement.
//!
//! The result is the mean of the last [`average`](crate::RoundParams::average) aggregates (1 takes the
//! last, as the paper does), made acyclic. Edges that the sites' independence tests do not show are taken
//! back ([`pruning`](crate::RoundParams::pruning)), and edges that they do show come in once the graph
//! rests ([`grafting`](crate::RoundParams::grafting)).
//!
//! No clock and no randomness: the same inputs give the same state. Inputs that change the state are in
//! the journal before anybody is told, so replaying it is recovery. Sums are of integers, so the order
//! in which answers arrive changes the order of events, and nothing else.

mod admit;
mod answers;
mod average;
mod close;
mod convergence;
mod driver;
mod input;
mod refined;
mod search;
mod state;
mod step;
mod verdicts;

pub use admit::{Refusal, RefusalKind};
pub use driver::{Coordinator, Receipt};
pub use input::Input;
pub use state::{Outcome, SiteVoice, State, StudyError};
