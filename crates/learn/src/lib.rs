//! Everything of fedcdi that fits.
//!
//! | module | holds |
//! |---|---|
//! | [`aggregate`] | rules that turn the reports of a round into one belief |

pub mod aggregate;
