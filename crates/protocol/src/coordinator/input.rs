//! What goes into the coordinator, and how its journal has it.

use fedcdi_core::ClientId;

use crate::codec::{DecodeError, VERSION, check_version, decode, encode, wire};
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
        let input = match self {
            Self::Start => Wire::Start(wire::Start {}),
            Self::Received { site, answer } => Wire::Received(wire::Received {
                site: site.0,
                answer: answer.clone(),
            }),
            Self::Absent { site, number, why } => Wire::Absent(wire::Absent {
                site: site.0,
                number: *number,
                why: why.code(),
            }),
            Self::Close { number } => Wire::Close(wire::Close { number: *number }),
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
            Wire::Received(received) => Self::Received {
                site: ClientId(received.site),
                answer: received.answer,
            },
            Wire::Absent(absent) => Self::Absent {
                site: ClientId(absent.site),
                number: absent.number,
                why: Absence::from_code(absent.why).ok_or(DecodeError::Field("absence"))?,
            },
            Wire::Close(close) => Self::Close {
                number: close.number,
            },
            Wire::Cancel(_) => Self::Cancel,
        })
    }
}
