//! A store that can fail in the middle of a record.

use std::io;
use std::sync::{Arc, Mutex};

use fedcdi_protocol::store::{Memory, Store};

/// A store in memory that a test can look at, change, and let fail. Clones share the bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disk {
    bytes: Memory,
    /// How much of the next record is written before the machine stops, in parts of 256.
    fuse: Arc<Mutex<Option<u8>>>,
}

impl Disk {
    /// A disk with these bytes.
    pub(crate) fn with(bytes: &[u8]) -> Self {
        let mut disk = Self::default();
        disk.bytes.append(bytes).unwrap();
        disk
    }

    /// Everything on it.
    pub(crate) fn content(&self) -> Vec<u8> {
        self.bytes.clone().read().unwrap()
    }

    /// Lets the next record fail after this share of it, or none.
    pub(crate) fn set_fuse(&self, share: Option<u8>) {
        *self.fuse.lock().unwrap() = share;
    }

    /// As the journal wants it.
    pub(crate) fn store(&self) -> Box<dyn Store> {
        Box::new(self.clone())
    }
}

impl Store for Disk {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        self.bytes.read()
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(share) = self.fuse.lock().unwrap().take() else {
            return self.bytes.append(bytes);
        };
        let written = bytes.len() * usize::from(share) / 256;
        self.bytes.append(&bytes[..written])?;
        Err(io::Error::from(io::ErrorKind::StorageFull))
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        self.bytes.truncate(len)
    }
}
