//! A tiny world for the tests of this crate: plans of a few variables and sites, toy methods, and a
//! network that loses, repeats and reorders what it carries.
//!
//! | module | holds |
//! |---|---|
//! | `plans` | small plans, one for every rule and every choice that changes what a site sends |
//! | `toy` | methods without data: what they believe follows from site, round and prior |
//! | `rows` | small tables, for plans with scores |
//! | `parties` | sites and coordinator of a plan, and their study on one machine |
//! | `stage` | a study in its second round, and what its coordinator refuses |
//! | `disk` | a store that can fail in the middle of a record |
//! | `wire` | messages by hand, also wrong ones |
//! | `network` | a study by bytes alone, under bad luck |

pub(crate) mod disk;
pub(crate) mod network;
pub(crate) mod parties;
pub(crate) mod plans;
pub(crate) mod rows;
pub(crate) mod stage;
pub(crate) mod toy;
pub(crate) mod wire;
