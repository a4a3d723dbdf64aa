//! What a site answers: the privacy boundary. A value that is not a field of [`Answer`] does not
//! leave a site.
//!
//! Paper: FedCDI section 3 (the server knows which variables each client intervened on) and
//! section 4 (clients share beliefs, never samples or network parameters).
//!
//! | block | why it leaves | what it reveals |
//! |---|---|---|
//! | [`Joined::schema`] | codes must mean the same everywhere | whether the site uses the study's variables and labels |
//! | [`Joined::largest`] | masses of the proximity rule compare between sites | its largest number of rows under one intervention, in bands |
//! | [`Joined::profile`] | the report, if the plan asks | rows in bands, targets, and in two words whether they are enough |
//! | [`Reply::Moved`], see [`moves`](crate::moves) | which edges interventions rule out | how strongly its rows say that one variable moves another, in halves of a nat |
//! | [`Reply::Believed`], see [`addends`](crate::addends) | the next belief | a summary of how the site's variables depend on each other |
//! | [`Reply::Summed`], see [`sums`](crate::sums) | scores of graphs | counts of its rows, for the sums that were asked for |
//! | [`Reply::Refused`] | the others need not wait | one of a few codes, never words |

use fedcdi_core::{ClientId, SchemaHash};

use crate::codec::{Coded, DecodeError, Digest, VERSION, check_version, decode, encode, wire};

/// All that leaves a site upon a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The study.
    pub plan: Digest,
    /// The question that this is the answer to.
    pub question: Digest,
    /// Who answers.
    pub site: ClientId,
    /// What.
    pub reply: Reply,
}

/// What a site replies.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// It takes part.
    Joined(Joined),
    /// What moves what in its rows.
    Moved(Vec<i64>),
    /// What it makes of the belief that it was sent, as addends.
    Believed(Vec<i64>),
    /// Sums over its rows.
    Summed(Vec<i64>),
    /// It has the result.
    Finished,
    /// It does not answer this question.
    Refused(Refused),
}

/// A site that takes part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    /// Fingerprint of its variables and labels.
    pub schema: SchemaHash,
    /// Its largest number of rows that make a mass, where the rule has masses; else 0.
    pub largest: u64,
    /// A description of its data as JSON, empty unless the plan asks for it.
    pub profile: Vec<u8>,
}

/// Why a site does not answer a question. There is no room for words: an error may quote a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refused {
    /// Its method has no posterior; the site's own log says why.
    Failed,
    /// The question is none, or not one of this study.
    Question,
    /// It asks for more than the plan allows, or again for what was answered.
    NotAllowed,
}

impl Coded for Refused {
    const WHAT: &str = "reason to refuse";
    const ALL: &[Self] = &[Self::Failed, Self::Question, Self::NotAllowed];
}

impl Answer {
    /// Its one encoding.
    pub fn encode(&self) -> Vec<u8> {
        use wire::answer::Reply as Wire;
        let reply = match &self.reply {
            Reply::Joined(joined) => Wire::Joined(wire::Joined {
                schema: joined.schema.as_bytes().to_vec(),
                largest: joined.largest,
                profile: joined.profile.clone(),
            }),
            Reply::Moved(numbers) => Wire::Moved(wire::Moved {
                numbers: numbers.clone(),
            }),
            Reply::Believed(addends) => Wire::Believed(wire::Believed {
                addends: addends.clone(),
            }),
            Reply::Summed(numbers) => Wire::Summed(wire::Summed {
                numbers: numbers.clone(),
            }),
            Reply::Finished => Wire::Finished(wire::Finished {}),
            Reply::Refused(why) => Wire::Refused(wire::Refused { code: why.code() }),
        };
        encode(&wire::Answer {
            version: VERSION,
            plan: self.plan.0.to_vec(),
            question: self.question.0.to_vec(),
            site: self.site.0,
            reply: Some(reply),
        })
    }

    /// The answer of these bytes, of at most `limit`.
    ///
    /// # Errors
    /// [`DecodeError`] saying what is wrong first.
    pub fn decode(bytes: &[u8], limit: usize) -> Result<Self, DecodeError> {
        use wire::answer::Reply as Wire;
        let sent: wire::Answer = decode(bytes, limit)?;
        check_version(sent.version)?;
        let reply = match sent.reply.ok_or(DecodeError::Field("reply"))? {
            Wire::Joined(joined) => {
                let schema = Digest::read(&joined.schema, "schema")?;
                Reply::Joined(Joined {
                    schema: SchemaHash::from_bytes(schema.0),
                    largest: joined.largest,
                    profile: joined.profile,
                })
            }
            Wire::Moved(moved) => Reply::Moved(moved.numbers),
            Wire::Believed(believed) => Reply::Believed(believed.addends),
            Wire::Summed(summed) => Reply::Summed(summed.numbers),
            Wire::Finished(_) => Reply::Finished,
            Wire::Refused(refused) => Reply::Refused(Refused::from_code(refused.code)?),
        };
        Ok(Self {
            plan: Digest::read(&sent.plan, "plan")?,
            question: Digest::read(&sent.question, "question")?,
            site: ClientId(sent.site),
            reply,
        })
    }
}
