//! Files, through the public interface: round trips, damage, published files.

mod damaged;
mod published;
mod round_trip;
mod strategies;
