//! fedcdi between machines: the same study, over TLS.
//!
//! Sites connect to the coordinator and never the other way round, so that a hospital opens no port. A
//! site asks for its next question, answers it from its own rows, and sends the answer; what was
//! acknowledged is in the coordinator's ledger. Either side may be killed at any moment and started again.
//!
//! | module | holds |
//! |---|---|
//! | `identity` | the study's authority, and a certificate for every party |
//! | [`kit`] | what a kit has for the network, and how it is made |
//! | [`expiry`] | when certificates end, and warnings before that |
//! | [`request`] | keys that are made at a site and never leave it |
//! | `roster` | who takes part, as long as the study lasts |
//! | `tls` | TLS 1.3 with certificates on both sides, and nothing else |
//! | [`coordinator`] | serves a study until it is over |
//! | `courier` | the same by files, for sites without a network |
//! | `hall` | the study that is served: who is there, what each site is asked |
//! | `door` | lets in whoever proves to be of the study |
//! | `turns` | how many answers are read at once |
//! | `heads` | what parties know of each other's journals |
//! | [`site`] | takes part in one |
//! | [`page`] | the live page of either, in a browser |
//!
//! This is the only crate that opens sockets, and the only one with a clock.

pub mod coordinator;
mod courier;
mod door;
mod error;
pub mod expiry;
mod hall;
mod heads;
mod identity;
pub mod kit;
pub mod page;
pub mod request;
mod roster;
pub mod site;
mod tls;
mod turns;

pub use error::NetworkError;
pub use heads::HEADS;

/// The messages of the carrier.
pub(crate) mod wire {
    #![allow(missing_docs, clippy::pedantic, unreachable_pub)]
    tonic::include_proto!("fedcdi.carrier.v1");

    /// Room for the fields around a question or an answer.
    pub(crate) const FIELDS: usize = 1024;
}
