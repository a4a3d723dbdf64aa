//! Files, through the public interface: round trips, damage, published files.

#![expect(clippy::unwrap_used, reason = "everything here is a test")]

mod damaged;
mod published;
mod round_trip;
mod strategies;
