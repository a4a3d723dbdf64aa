//! What a journal says, for people who look after a party: what came, what left, when.
//!
//! Nothing here needs a plan or a table, so anybody can check a copy of a journal. Messages are shown by
//! kind, size and digest, and not by content.

use serde::{Serialize, Serializer};

use crate::answer::{Answer, Refused, Reply};
use crate::codec::{Digest, decode, wire};
use crate::coordinator::Input;
use crate::event::Absence;
use crate::journal::{Chain, JournalError, Link};
use crate::question::{Ask, Question};
use crate::sums;

/// A journal as it was read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Audit {
    /// Which party of which study it is of.
    pub owner: String,
    /// Its records after the first, which names the owner.
    pub entries: Vec<Entry>,
    /// Bytes at the end of a record that was never finished, so never acknowledged.
    pub unfinished: usize,
    /// The hash after every record, the first included: each stands for the journal as it was then.
    pub heads: Vec<Digest>,
}

/// A record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Its place in the journal; the record that names the owner is 1.
    pub record: usize,
    /// When it was written, in milliseconds since 1970.
    pub time: u64,
    /// What happened.
    #[serde(flatten)]
    pub what: What,
}

/// What a record says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum What {
    /// A site was asked, and answered.
    Answered {
        /// The question.
        question: Sent,
        /// The answer: it left after this record was safe.
        answer: Sent,
    },
    /// The coordinator began the study.
    Started,
    /// The coordinator took an answer.
    Received {
        /// Number of the site.
        site: u32,
        /// The answer.
        answer: Sent,
    },
    /// The coordinator no longer waits for a site.
    Absent {
        /// Number of the site.
        site: u32,
        /// Number of the question.
        question: u32,
        /// Why.
        why: Absence,
    },
    /// The time for a question was over.
    Closed {
        /// Number of the question.
        question: u32,
    },
    /// The study was stopped.
    Cancelled,
}

/// A message by its kind, size and digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sent {
    /// What kind of message.
    pub kind: String,
    /// How long it is.
    pub bytes: usize,
    /// SHA-256 of its bytes.
    pub digest: Digest,
}

impl Sent {
    fn new(kind: String, bytes: &[u8]) -> Self {
        Self {
            kind,
            bytes: bytes.len(),
            digest: Digest::of(bytes),
        }
    }

    fn question(bytes: &[u8]) -> Option<Self> {
        let question = Question::decode(bytes, bytes.len()).ok()?;
        Some(Self::new(kind_of_question(&question.ask), bytes))
    }

    fn answer(bytes: &[u8]) -> Option<Self> {
        let answer = Answer::decode(bytes, bytes.len()).ok()?;
        Some(Self::new(kind_of_answer(&answer.reply), bytes))
    }
}

fn kind_of_question(ask: &Ask) -> String {
    match ask {
        Ask::Join => "join".to_owned(),
        Ask::Moves => "what moves what".to_owned(),
        Ask::Believe(asked) if asked.tested.is_nothing() => format!("round {}", asked.round),
        Ask::Believe(asked) => format!("round {} with tests", asked.round),
        Ask::Sum(asked) => sums::words(asked),
        Ask::Finish(_) => "result".to_owned(),
    }
}

fn kind_of_answer(reply: &Reply) -> String {
    match reply {
        Reply::Joined(joined) if joined.profile.is_empty() => "joined".to_owned(),
        Reply::Joined(_) => "joined, with profile".to_owned(),
        Reply::Moved(numbers) | Reply::Believed(numbers) | Reply::Summed(numbers) => {
            format!("{} numbers", numbers.len())
        }
        Reply::Finished => "received".to_owned(),
        Reply::Refused(Refused::Failed) => "refused: failed".to_owned(),
        Reply::Refused(Refused::Question) => "refused: not a question of this study".to_owned(),
        Reply::Refused(Refused::NotAllowed) => "refused: not allowed".to_owned(),
    }
}

impl Audit {
    /// Of the bytes of a journal.
    ///
    /// # Errors
    /// [`JournalError`] naming the byte or the record that is not as it was written.
    pub fn of(bytes: &[u8]) -> Result<Self, JournalError> {
        let chain = Chain::of(bytes)?;
        let (first, rest) = chain.links.split_first().ok_or(JournalError::Empty)?;
        let owner = std::str::from_utf8(first.body).map_err(|_| JournalError::Record(1))?;
        let entries = rest.iter().zip(2..);
        let entries = entries.map(|(link, record)| entry(link, record));
        Ok(Self {
            owner: owner.to_owned(),
            entries: entries.collect::<Result<_, _>>()?,
            unfinished: bytes.len() - chain.len,
            heads: chain.heads().collect(),
        })
    }

    /// The hash of the last record.
    pub fn head(&self) -> Digest {
        *self.heads.last().expect("a journal has a first record")
    }

    /// Whether the journal once was as somebody noted: after so many records with this head.
    pub fn has(&self, records: u64, head: &str) -> bool {
        let at = (records as usize).checked_sub(1);
        let found = at.and_then(|at| self.heads.get(at));
        found.is_some_and(|found| found.to_string() == head)
    }
}

fn entry(link: &Link<'_>, record: usize) -> Result<Entry, JournalError> {
    let what = of_site(link.body).or_else(|| of_coordinator(link.body));
    Ok(Entry {
        record,
        time: link.time,
        what: what.ok_or(JournalError::Record(record))?,
    })
}

fn of_site(body: &[u8]) -> Option<What> {
    let exchange: wire::Exchange = decode(body, body.len()).ok()?;
    Some(What::Answered {
        question: Sent::question(&exchange.question)?,
        answer: Sent::answer(&exchange.answer)?,
    })
}

fn of_coordinator(body: &[u8]) -> Option<What> {
    Some(match Input::decode(body).ok()? {
        Input::Start => What::Started,
        Input::Received { site, answer } => What::Received {
            site: site.0,
            answer: Sent::answer(&answer)?,
        },
        Input::Absent { site, number, why } => What::Absent {
            site: site.0,
            question: number,
            why,
        },
        Input::Close { number } => What::Closed { question: number },
        Input::Cancel => What::Cancelled,
    })
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use fedcdi_core::ClientId;

    use super::*;
    use crate::journal::Journal;
    use crate::store::{Memory, Store as _};

    fn answer(reply: Reply) -> Vec<u8> {
        let (plan, question) = (Digest::of(b"plan"), Digest::of(b"question"));
        let site = ClientId(2);
        let answer = Answer {
            plan,
            question,
            site,
            reply,
        };
        answer.encode()
    }

    #[test]
    fn a_journal_is_told_without_content() {
        let store = Memory::default();
        let (mut journal, _) = Journal::open(Box::new(store.clone()), "coordinator").unwrap();
        let (site, number) = (ClientId(2), 1);
        let secret = 4711;
        let bytes = answer(Reply::Believed(vec![secret, secret]));
        for input in [
            Input::Start,
            Input::Received {
                site,
                answer: bytes.clone(),
            },
            Input::Close { number },
        ] {
            journal.append(&input.encode()).unwrap();
        }
        let audit = Audit::of(&store.clone().read().unwrap()).unwrap();
        assert_eq!(
            (&*audit.owner, audit.head()),
            ("coordinator", journal.head())
        );
        let whats: Vec<&What> = audit.entries.iter().map(|entry| &entry.what).collect();
        let taken = What::Received {
            site: 2,
            answer: Sent {
                kind: "2 numbers".to_owned(),
                bytes: bytes.len(),
                digest: Digest::of(&bytes),
            },
        };
        assert_eq!(
            whats,
            [&What::Started, &taken, &What::Closed { question: 1 }]
        );
        let told = serde_json::to_string(&audit).unwrap();
        assert!(!told.contains("4711"), "{told}");
        assert!(audit.has(4, &journal.head().to_string()));
        assert!(
            !audit.has(3, &journal.head().to_string()) && !audit.has(0, "") && !audit.has(5, "")
        );
    }

    #[test]
    fn a_record_that_is_none_is_named() {
        let store = Memory::default();
        let (mut journal, _) = Journal::open(Box::new(store.clone()), "site 1").unwrap();
        journal.append(b"anything").unwrap();
        let refused = Audit::of(&store.clone().read().unwrap()).unwrap_err();
        assert!(matches!(refused, JournalError::Record(2)), "{refused}");
        assert!(matches!(Audit::of(b"").unwrap_err(), JournalError::Empty));
    }
}
