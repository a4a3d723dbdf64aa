//! A journal: records that nobody can change, reorder or remove unnoticed.
//!
//! ```text
//!   record = head (12 bytes)  check (8 bytes)  body  hash (32 bytes)
//!   head   = length of the body (4 bytes)  time (8 bytes), both little endian
//!   check  = first bytes of SHA-256(hash of the record before, head)
//!   hash   = SHA-256(hash of the record before, head, body); before the first: 32 zeros
//! ```
//!
//! The first record names what the journal is of. A record that the file ends within was never
//! acknowledged and is dropped; any other damage is refused with its place. The check tells a length that
//! was damaged from a record that was cut off. Records that are missing at the very end cannot be seen
//! from the file alone: compare its head with one that somebody else has noted ([`Chain::heads`]). The last
//! record may have been written by a process that ended before it was safe: whoever opens the journal
//! writes it once more.
//!
//! The time, in milliseconds since 1970, is for people who read the journal: nothing is decided by it.

use std::io;

use crate::codec::Digest;
use crate::store::Store;

/// Records on a store.
pub struct Journal {
    store: Box<dyn Store>,
    head: [u8; HASH],
    n_records: u64,
    /// Set when a record may not be safe: nothing is added after that.
    broken: bool,
}

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The system fails.
    #[error(
        "the journal cannot be read or written: {0}; free or replace the disk and start again, \
         nothing that was acknowledged is lost"
    )]
    Io(#[from] io::Error),
    /// A record failed before; what follows it could be lost.
    #[error("the journal could not be written before; free the disk and start again")]
    Broken,
    /// A record was changed.
    #[error("the journal is damaged at byte {0}; restore it from a copy")]
    Damaged(usize),
    /// Not even a first record.
    #[error("the journal is empty; it has not begun, or its records were removed")]
    Empty,
    /// A record that no journal has room for.
    #[error("a record of {0} bytes is too long for a journal; the plan is too large")]
    Long(usize),
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
        let Chain { links, len } = Chain::of(&bytes)?;
        let last = links.last().map_or(0, Link::n_bytes);
        store.settle(len as u64, &bytes[len - last..len])?;
        let head = links.last().map_or(START, |link| link.head.0);
        let n_records = links.len() as u64;
        let mut journal = Self {
            store,
            head,
            n_records,
            broken: false,
        };
        let mut links = links.into_iter();
        match links.next() {
            None => journal.append(owner.as_bytes())?,
            Some(first) if first.body == owner.as_bytes() => {}
            Some(first) => {
                let found = String::from_utf8_lossy(first.body).into_owned();
                return Err(JournalError::Other(found, owner.to_owned()));
            }
        }
        Ok((journal, links.map(|link| link.body.to_vec()).collect()))
    }

    /// Adds a record, and returns when it is safe.
    ///
    /// # Errors
    /// [`JournalError`] if it may not be safe; nothing can be added after that.
    pub fn append(&mut self, body: &[u8]) -> Result<(), JournalError> {
        if self.broken {
            return Err(JournalError::Broken);
        }
        let length = u32::try_from(body.len()).map_err(|_| JournalError::Long(body.len()))?;
        let mut start = [0; HEAD];
        start[..4].copy_from_slice(&length.to_le_bytes());
        start[4..].copy_from_slice(&self.store.now().to_le_bytes());
        let hash = chained(&self.head, &start, body);
        let record = [&start[..], &check(&self.head, &start), body, &hash].concat();
        self.store
            .append(&record)
            .inspect_err(|_| self.broken = true)?;
        self.head = hash;
        self.n_records += 1;
        Ok(())
    }

    /// The hash of the last record: it stands for all of them.
    pub fn head(&self) -> Digest {
        Digest(self.head)
    }

    /// How many records it has, the first one included.
    pub fn n_records(&self) -> u64 {
        self.n_records
    }
}

/// Bytes of length and time.
const HEAD: usize = 12;
const CHECK: usize = 8;
const HASH: usize = 32;
/// What the first record follows.
const START: [u8; HASH] = [0; HASH];

/// Says that length and time are those that were written.
fn check(before: &[u8; HASH], start: &[u8; HEAD]) -> [u8; CHECK] {
    let hash = Digest::of(&[b"length", &before[..], start].concat());
    *hash.0.first_chunk().expect("8 of 32 bytes")
}

fn chained(before: &[u8; HASH], start: &[u8; HEAD], body: &[u8]) -> [u8; HASH] {
    Digest::of(&[before, &start[..], body].concat()).0
}

/// The records of a journal, as somebody reads them who has only its bytes.
#[derive(Debug, Default)]
pub struct Chain<'a> {
    /// All whole records.
    pub links: Vec<Link<'a>>,
    /// Bytes of whole records: what follows them was never finished.
    pub len: usize,
}

/// One record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link<'a> {
    /// When it was written, in milliseconds since 1970.
    pub time: u64,
    /// What it says.
    pub body: &'a [u8],
    /// The hash that stands for it and all before it.
    pub head: Digest,
}

impl Link<'_> {
    /// How long its record is.
    fn n_bytes(&self) -> usize {
        HEAD + CHECK + self.body.len() + HASH
    }
}

impl<'a> Chain<'a> {
    /// The records of these bytes.
    ///
    /// # Errors
    /// [`JournalError::Damaged`] if one of them is not as it was written.
    pub fn of(bytes: &'a [u8]) -> Result<Self, JournalError> {
        let mut chain = Self::default();
        while let Some(link) = chain.next(&bytes[chain.len..]) {
            let link = link?;
            chain.len += link.n_bytes();
            chain.links.push(link);
        }
        Ok(chain)
    }

    /// The hash after every record, in order: each stands for the journal as it was then.
    pub fn heads(&self) -> impl Iterator<Item = Digest> {
        self.links.iter().map(|link| link.head)
    }

    /// One more record; nothing if the bytes end within it.
    fn next(&self, rest: &'a [u8]) -> Option<Result<Link<'a>, JournalError>> {
        let damaged = Some(Err(JournalError::Damaged(self.len)));
        // Blocks that the system had reserved and not filled: no record has an empty body.
        rest.iter().find(|byte| **byte != 0)?;
        let before = self.links.last().map_or(START, |link| link.head.0);
        let (start, after) = rest.split_first_chunk::<HEAD>()?;
        let (written, after) = after.split_first_chunk::<CHECK>()?;
        if *written != check(&before, start) {
            return damaged;
        }
        let (length, time) = start.split_first_chunk().expect("4 of 12 bytes");
        let time = u64::from_le_bytes(*time.first_chunk().expect("8 of 8 bytes"));
        let (body, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let (hash, _) = after.split_first_chunk::<HASH>()?;
        if body.is_empty() || *hash != chained(&before, start, body) {
            return damaged;
        }
        let head = Digest(*hash);
        Some(Ok(Link { time, body, head }))
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
        let last = bytes.len() - (20 + 5 + 32);
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
        let first = 20 + 6 + 32;
        let size = 20 + 3 + 32;
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
        fn settle(&mut self, _: u64, _: &[u8]) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn after_a_failure_nothing_is_added() {
        let mut journal = Journal {
            store: Box::new(Full),
            head: START,
            n_records: 0,
            broken: false,
        };
        assert!(matches!(journal.append(b"x"), Err(JournalError::Io(_))));
        assert!(matches!(journal.append(b"x"), Err(JournalError::Broken)));
    }
}
