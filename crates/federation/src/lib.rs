//! Rounds and transports of fedcdi.
//!
//! | module | holds |
//! |---|---|
//! | [`coordinator`] | the protocol, as a pure function from state and input to state and outputs |
//! | [`client`] | one client: a local method and what may be told about its data |
//! | [`event`] | [`RoundEvent`]: everything the outside may want to know |
//! | [`in_process`] | all clients on this machine's cores |
//!
//! Every transport drives the same coordinator step and the same client step: what is measured on
//! one machine is what runs between sites.

pub mod client;
pub mod coordinator;
pub mod event;
pub mod in_process;

pub use client::{Client, Tested};
pub use coordinator::{
    Coordinator, CoordinatorParams, FederationError, Input, Outcome, Output, State, Study,
};
pub use event::{Absence, RefusalKind, RoundEvent, RoundRecord, StopReason};
pub use in_process::{FailureWatcher, InProcess};
