//! A store that can fail in the middle of a record, and a disk behind it that power can be cut from.

use std::io;
use std::sync::{Arc, Mutex};

use fedcdi_protocol::store::Store;

/// A store in memory that a test can look at, change, and let fail. Clones share the bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disk(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// What whoever reads finds.
    bytes: Vec<u8>,
    /// So much of it outlives a power cut.
    safe: usize,
    /// How much of the next record is written before the disk fails, in parts of 255.
    fuse: Option<u8>,
}

impl Disk {
    /// A disk with these bytes.
    pub(crate) fn with(bytes: &[u8]) -> Self {
        let disk = Self::default();
        disk.clone().append(bytes).unwrap();
        disk
    }

    /// Everything that can be read.
    pub(crate) fn content(&self) -> Vec<u8> {
        self.0.lock().unwrap().bytes.clone()
    }

    /// Lets the next record fail after this share of it, or none. At 255 all of it can be read.
    pub(crate) fn set_fuse(&self, share: Option<u8>) {
        self.0.lock().unwrap().fuse = share;
    }

    /// Takes what is not safe, but for this share of it in parts of 255.
    pub(crate) fn cut_power(&self, share: u8) {
        let mut state = self.0.lock().unwrap();
        let unsafe_bytes = state.bytes.len() - state.safe;
        let kept = state.safe + unsafe_bytes * usize::from(share) / 255;
        state.bytes.truncate(kept);
        // What is there now is on the disk.
        state.safe = kept;
    }

    /// As the journal wants it.
    pub(crate) fn store(&self) -> Box<dyn Store> {
        Box::new(self.clone())
    }
}

impl Store for Disk {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        Ok(self.content())
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        let Some(share) = state.fuse.take() else {
            state.bytes.extend_from_slice(bytes);
            // What failed before stays where it is: this disk makes safe only what is new.
            if state.safe + bytes.len() == state.bytes.len() {
                state.safe = state.bytes.len();
            }
            return Ok(());
        };
        let written = bytes.len() * usize::from(share) / 255;
        state.bytes.extend_from_slice(&bytes[..written]);
        Err(io::Error::from(io::ErrorKind::StorageFull))
    }

    fn settle(&mut self, len: u64, last: &[u8]) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        state.bytes.truncate(len as usize);
        assert!(state.bytes.ends_with(last));
        state.safe = state.safe.min(state.bytes.len());
        if state.safe + last.len() >= state.bytes.len() {
            state.safe = state.bytes.len();
        }
        Ok(())
    }
}
