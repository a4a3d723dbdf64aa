//! Scratch buffers that wander between workers: taken for one task, then put back.

use std::sync::{Mutex, PoisonError};

/// A stack of buffers; empty at first, as deep as there were workers at once later.
#[derive(Debug)]
pub(crate) struct Pool<T> {
    idle: Mutex<Vec<T>>,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self {
            idle: Mutex::new(Vec::new()),
        }
    }
}

impl<T> Pool<T> {
    /// Runs `task` with a buffer, made by `make` if none is idle.
    pub(crate) fn with<R>(&self, make: impl FnOnce() -> T, task: impl FnOnce(&mut T) -> R) -> R {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut buffer = taken.unwrap_or_else(make);
        let result = task(&mut buffer);
        idle().push(buffer);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_reused() {
        let pool = Pool::default();
        pool.with(Vec::new, |buffer: &mut Vec<u8>| buffer.push(7));
        assert_eq!(pool.with(Vec::new, |buffer| buffer.len()), 1);
    }
}
