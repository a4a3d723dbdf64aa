//! Where a journal is kept: bytes that only grow.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Bytes that only grow. What was appended is there after a crash, or the call did not return.
pub trait Store: Send {
    /// Everything so far.
    ///
    /// # Errors
    /// If it cannot be read.
    fn read(&mut self) -> io::Result<Vec<u8>>;

    /// Adds bytes at the end, and returns when they are safe.
    ///
    /// # Errors
    /// If they may not be safe; the store must then not be used any more.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Forgets what follows the first `len` bytes, the rest of a record that was never finished, and
    /// returns when these are safe. They end with `last`, which is written once more: a process that
    /// ended within [`Store::append`] leaves bytes that can be read and that a power cut would take.
    ///
    /// # Errors
    /// If they may not be safe; the store must then not be used any more.
    fn settle(&mut self, len: u64, last: &[u8]) -> io::Result<()>;

    /// The time that a record is given, in milliseconds since 1970; 0 where there is no clock.
    fn now(&self) -> u64 {
        0
    }
}

/// A store in memory. Clones share the bytes, as processes share a disk.
#[derive(Clone, Debug, Default)]
pub struct Memory(Arc<Mutex<Vec<u8>>>);

impl Memory {
    fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for Memory {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        Ok(self.bytes().clone())
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes().extend_from_slice(bytes);
        Ok(())
    }

    fn settle(&mut self, len: u64, _: &[u8]) -> io::Result<()> {
        self.bytes().truncate(len as usize);
        Ok(())
    }
}

/// A store that keeps nothing, for studies that end with their process.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nowhere;

impl Store for Nowhere {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        Ok(Vec::new())
    }

    fn append(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn settle(&mut self, _: u64, _: &[u8]) -> io::Result<()> {
        Ok(())
    }
}

const JOURNAL: &str = "journal";

/// A file in a folder of its own, used by one process at a time.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    journal: File,
}

impl Folder {
    /// Opens the folder, and makes it if it is not there.
    ///
    /// # Errors
    /// If it cannot be made, read or written, or if another process uses it.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let new: Vec<&Path> = folder.ancestors().take_while(|f| !f.exists()).collect();
        fs::create_dir_all(folder)?;
        let mut options = OpenOptions::new();
        let options = options.create(true).truncate(false).read(true).write(true);
        let path = folder.join(JOURNAL);
        let journal = options.open(&path)?;
        match journal.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let message = format!("{} is used by another process", folder.display());
                return Err(io::Error::new(io::ErrorKind::WouldBlock, message));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // Names must survive a power cut as well as contents: those of the file and of new folders.
        let around = new.iter().filter_map(|folder| folder.parent());
        around.chain([folder]).try_for_each(sync_folder)?;
        Ok(Self { path, journal })
    }

    /// An error that names the file.
    fn named(&self, error: io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{}: {error}", self.path.display()))
    }
}

/// The journal in a folder, whether or not a process uses it.
///
/// # Errors
/// If there is none, or it cannot be read.
pub fn read_folder(folder: &Path) -> io::Result<Vec<u8>> {
    fs::read(folder.join(JOURNAL))
}

/// Makes the names in a folder safe, where the system has such a thing.
fn sync_folder(folder: &Path) -> io::Result<()> {
    let folder = Some(folder).filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

impl Store for Folder {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = self.journal.seek(SeekFrom::Start(0));
        let read = read.and_then(|_| self.journal.read_to_end(&mut bytes));
        read.map(|_| bytes).map_err(|error| self.named(error))
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let written = self.journal.seek(SeekFrom::End(0));
        let written = written.and_then(|_| self.journal.write_all(bytes));
        let safe = written.and_then(|()| self.journal.sync_data());
        safe.map_err(|error| self.named(error))
    }

    fn settle(&mut self, len: u64, last: &[u8]) -> io::Result<()> {
        let at = SeekFrom::Start(len - last.len() as u64);
        let written = self.journal.set_len(len);
        let written = written.and_then(|()| self.journal.seek(at));
        // A system whose disk has failed may take bytes for safe that are not: only new ones are written.
        let written = written.and_then(|_| self.journal.write_all(last));
        let safe = written.and_then(|()| self.journal.sync_data());
        safe.map_err(|error| self.named(error))
    }

    fn now(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or(0, |since| since.as_millis() as u64)
    }
}
