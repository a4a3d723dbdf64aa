//! A journal: records that nobody can change, reorder or remove unnoticed.
//!
//! ```text
//!   record = length of the body (4 bytes, little endian)  check (8 bytes)  body  hash (32 bytes)
//!   check  = first bytes of SHA-256(hash of the record before, length)
//!   hash   = SHA-256(hash of the record before, length, body); before the first: 32 zeros
//! ```
//!
//! The first record names what the journal is of. A record that the file ends within was never
//! acknowledged and is dropped; any other damage is refused with its place. The check tells a length that
//! was damaged from a record that was cut off. Records that are missing at
//! the very end cannot be seen from the file alone: compare [`Journal::head`] with a copy.

use std::io;

use crate::codec::Digest;
use crate::store::Store;

/// Records on a store.
pub struct Journal {
    store: Box<dyn Store>,
    head: [u8; 32],
    /// Set when a record may not be safe: nothing is added after that.
    broken: bool,
}

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The system fails.
    #[error("the journal cannot be read or written: {0}")]
    Io(#[from] io::Error),
    /// A record failed before; what follows it could be lost.
    #[error("the journal could not be written before; free the disk and start again")]
    Broken,
    /// A record was changed.
    #[error("the journal is damaged at byte {0}; restore it from a copy")]
    Damaged(usize),
    /// Of another study, or of another site: what it is of, what it should be of.
    #[error("the journal belongs to {0}, not to {1}; use another folder")]
    Other(String, String),
    /// A record that was not written by this program.
    #[error(
        "record {0} of the journal does not follow from those before it; restore it from a copy"
    )]
    Record(usize),
}

impl Journal {
    /// Opens the journal of `owner`, or begins it; and its records but for the first.
    ///
    /// # Errors
    /// [`JournalError`] if the store fails, is damaged or belongs to somebody else.
    pub fn open(
        mut store: Box<dyn Store>,
        owner: &str,
    ) -> Result<(Self, Vec<Vec<u8>>), JournalError> {
        let bytes = store.read()?;
        let Parsed { records, head, len } = Parsed::of(&bytes)?;
        if len < bytes.len() {
            store.truncate(len as u64)?;
        }
        let mut journal = Self {
            store,
            head,
            broken: false,
        };
        let mut records = records.into_iter();
        match records.next() {
            None => journal.append(owner.as_bytes())?,
            Some(first) if first == owner.as_bytes() => {}
            Some(first) => {
                let found = String::from_utf8_lossy(first).into_owned();
                return Err(JournalError::Other(found, owner.to_owned()));
            }
        }
        Ok((journal, records.map(<[u8]>::to_vec).collect()))
    }

    /// Adds a record, and returns when it is safe.
    ///
    /// # Errors
    /// [`JournalError`] if it may not be safe; nothing can be added after that.
    pub fn append(&mut self, body: &[u8]) -> Result<(), JournalError> {
        if self.broken {
            return Err(JournalError::Broken);
        }
        let head = chained(&self.head, body);
        let length = (body.len() as u32).to_le_bytes();
        let check = check(&self.head, length);
        let record = [&length[..], &check[..], body, &head[..]].concat();
        self.store
            .append(&record)
            .inspect_err(|_| self.broken = true)?;
        self.head = head;
        Ok(())
    }

    /// The hash of the last record: it stands for all of them.
    pub fn head(&self) -> Digest {
        Digest(self.head)
    }
}

/// Says that a length is the one that was written.
fn check(before: &[u8; 32], length: [u8; 4]) -> [u8; 8] {
    let hash = Digest::of(&[b"length", &before[..], &length].concat());
    *hash.0.first_chunk().expect("8 of 32 bytes")
}

fn chained(before: &[u8; 32], body: &[u8]) -> [u8; 32] {
    let length = (body.len() as u32).to_le_bytes();
    Digest::of(&[before, &length[..], body].concat()).0
}

#[derive(Default)]
struct Parsed<'a> {
    records: Vec<&'a [u8]>,
    head: [u8; 32],
    /// Bytes of whole records.
    len: usize,
}

impl<'a> Parsed<'a> {
    fn of(bytes: &'a [u8]) -> Result<Self, JournalError> {
        let mut parsed = Self::default();
        while let Some(read) = parsed.read_next(&bytes[parsed.len..]) {
            read?;
        }
        Ok(parsed)
    }

    /// Reads one more record; nothing if the bytes end within it.
    fn read_next(&mut self, rest: &'a [u8]) -> Option<Result<(), JournalError>> {
        let damaged = Some(Err(JournalError::Damaged(self.len)));
        // Blocks that the system had reserved and not filled: no record has an empty body.
        rest.iter().find(|byte| **byte != 0)?;
        let (length, after) = rest.split_first_chunk::<4>()?;
        let (written, after) = after.split_first_chunk::<8>()?;
        if *written != check(&self.head, *length) {
            return damaged;
        }
        let (body, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let (hash, _) = after.split_first_chunk::<32>()?;
        if body.is_empty() || *hash != chained(&self.head, body) {
            return damaged;
        }
        self.records.push(body);
        self.head = *hash;
        self.len += 12 + body.len() + 32;
        Some(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Folder, Memory};

    fn filled(store: &Memory) -> Vec<u8> {
        let (mut journal, records) = Journal::open(Box::new(store.clone()), "site a").unwrap();
        assert!(records.is_empty());
        for body in [&b"one"[..], b"two", b"three"] {
            journal.append(body).unwrap();
        }
        store.clone().read().unwrap()
    }

    fn with(bytes: &[u8]) -> Box<dyn Store> {
        let mut store = Memory::default();
        store.append(bytes).unwrap();
        Box::new(store)
    }

    #[test]
    fn records_are_there_again() {
        let store = Memory::default();
        filled(&store);
        let (mut journal, records) = Journal::open(Box::new(store.clone()), "site a").unwrap();
        assert_eq!(records, [&b"one"[..], b"two", b"three"]);
        journal.append(b"four").unwrap();
        let (again, records) = Journal::open(Box::new(store.clone()), "site a").unwrap();
        assert_eq!((records.len(), again.head()), (4, journal.head()));
        let other = Journal::open(Box::new(store), "site b").err().unwrap();
        let text = other.to_string();
        assert!(text.contains("belongs to site a, not to site b"), "{text}");
    }

    #[test]
    fn a_record_that_was_cut_off_is_dropped_and_nothing_else() {
        let bytes = filled(&Memory::default());
        let last = bytes.len() - (12 + 5 + 32);
        for len in last..bytes.len() {
            let (_, records) = Journal::open(with(&bytes[..len]), "site a").unwrap();
            assert_eq!(records.len(), 2, "{len}");
        }
        // A system that reserved the space and did not fill it.
        let mut zeros = bytes[..last].to_vec();
        zeros.resize(bytes.len(), 0);
        let (mut journal, records) = Journal::open(with(&zeros), "site a").unwrap();
        assert_eq!(records.len(), 2);
        journal.append(b"three").unwrap();
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let bytes = filled(&Memory::default());
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                assert!(Journal::open(with(&damaged), "site a").is_err(), "{at}");
            }
        }
    }

    #[test]
    fn records_cannot_change_places_or_go() {
        let bytes = filled(&Memory::default());
        let first = 12 + 6 + 32;
        let size = 12 + 3 + 32;
        let (one, two) = (first..first + size, first + size..first + 2 * size);
        let swapped = [
            &bytes[..first],
            &bytes[two.clone()],
            &bytes[one.clone()],
            &bytes[two.end..],
        ];
        let without = [&bytes[..first], &bytes[two]];
        for damaged in [swapped.concat(), without.concat()] {
            let refused = Journal::open(with(&damaged), "site a").err().unwrap();
            assert!(matches!(refused, JournalError::Damaged(at) if at == first));
        }
    }

    #[test]
    fn a_folder_is_used_by_one_process_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new");
        let (mut journal, _) =
            Journal::open(Box::new(Folder::open(&path).unwrap()), "site a").unwrap();
        journal.append(b"one").unwrap();
        let second = Folder::open(&path).unwrap_err().to_string();
        assert!(second.contains("another process"), "{second}");
        drop(journal);
        let (_, records) = Journal::open(Box::new(Folder::open(&path).unwrap()), "site a").unwrap();
        assert_eq!(records, [b"one"]);
    }

    /// A disk that is full.
    struct Full;

    impl Store for Full {
        fn read(&mut self) -> io::Result<Vec<u8>> {
            Ok(Vec::new())
        }
        fn append(&mut self, _: &[u8]) -> io::Result<()> {
            Err(io::Error::from(io::ErrorKind::StorageFull))
        }
        fn truncate(&mut self, _: u64) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn after_a_failure_nothing_is_added() {
        let mut journal = Journal {
            store: Box::new(Full),
            head: [0; 32],
            broken: false,
        };
        assert!(matches!(journal.append(b"x"), Err(JournalError::Io(_))));
        assert!(matches!(journal.append(b"x"), Err(JournalError::Broken)));
    }
}
