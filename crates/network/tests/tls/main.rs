//! Who may connect to whom: certificates of every wrong kind, over real sockets, at either side. Each is
//! refused with its own reason.
#![allow(clippy::unwrap_used)]

mod coordinators;
mod limits;
mod place;
mod sites;
