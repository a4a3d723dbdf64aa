//! What goes into the coordinator, and how its journal has it.

use fedcdi_core::ClientId;

use crate::codec::{Coded as _, DecodeError, VERSION, check_version, decode, encode, wire};
use crate::event::Absence;

/// Something that the coordinator must react to.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// Ask the sites to join.
    Start,
    /// A site's answer; the carrier knows from whom it is.
    Received {
        /// Who sent it.
        site: ClientId,
        /// The answer.
        answer: Vec<u8>,
    },
    /// A site that will not answer: it failed, or cannot be reached.
    Absent {
        /// Who.
        site: ClientId,
        /// The question that it misses.
        number: u32,
        /// Why.
        why: Absence,
    },
    /// Time is up for this question; closing another than the running one has no effect.
    Close {
        /// Its number.
        number: u32,
    },
    /// Stop at the end of the running round.
    Cancel,
}

impl Input {
    /// The record of a journal.
    pub fn encode(&self) -> Vec<u8> {
        use wire::entry::Input as Wire;
        let input = match self.clone() {
            Self::Start => Wire::Start(wire::Start {}),
            Self::Received { site, answer } => {
                let site = site.0;
                Wire::Received(wire::Received { site, answer })
            }
            Self::Absent { site, number, why } => {
                let (site, why) = (site.0, why.code());
                Wire::Absent(wire::Absent { site, number, why })
            }
            Self::Close { number } => Wire::Close(wire::Close { number }),
            Self::Cancel => Wire::Cancel(wire::Cancel {}),
        };
        encode(&wire::Entry {
            version: VERSION,
            input: Some(input),
        })
    }

    /// The input of a record.
    ///
    /// # Errors
    /// [`DecodeError`] if it is none.
    pub fn decode(record: &[u8]) -> Result<Self, DecodeError> {
        use wire::entry::Input as Wire;
        let entry: wire::Entry = decode(record, record.len())?;
        check_version(entry.version)?;
        Ok(match entry.input.ok_or(DecodeError::Field("input"))? {
            Wire::Start(_) => Self::Start,
            Wire::Received(wire::Received { site, answer }) => {
                let site = ClientId(site);
                Self::Received { site, answer }
            }
            Wire::Absent(wire::Absent { site, number, why }) => {
                let (site, why) = (ClientId(site), Absence::from_code(why)?);
                Self::Absent { site, number, why }
            }
            Wire::Close(wire::Close { number }) => Self::Close { number },
            Wire::Cancel(_) => Self::Cancel,
        })
    }
}
