//! Who may connect to whom: certificates of every wrong kind, over real sockets, at either side. Each is
//! refused with its own reason.
//!
//! | a certificate that is | of a site | of a coordinator |
//! |---|---|---|
//! | expired; not yet valid; of another authority; self-signed; of another name; of another role | `sites` | `coordinators` |
//! | of kits of another time; changed; without its key; signed by a party; the authority's own | `forgers` | `forgers` |
//! | behind TLS 1.2 | `sites` | `coordinators` |
//!
//! Also: no certificate, no TLS, two certificates of a site, one that is taken out of the roster while it is
//! connected, kits that are damaged, and certificates whose end the kit names.
#![allow(clippy::unwrap_used)]

mod coordinators;
mod forgers;
mod limits;
mod place;
mod sites;
