//! Buffers of f32 that start on a cache line: vector loads of a row then never straddle two lines.

use std::ops::{Deref, DerefMut};

/// Bytes of a cache line, and the numbers it holds.
const LINE: usize = 64;
const PER_LINE: usize = LINE / size_of::<f32>();

#[derive(Debug, Default)]
pub(crate) struct Aligned {
    storage: Vec<f32>,
    start: usize,
    len: usize,
}

impl Aligned {
    pub(crate) fn zeros(len: usize) -> Self {
        let storage = vec![0.0; len + PER_LINE];
        let start = storage.as_ptr().align_offset(LINE).min(PER_LINE);
        Self {
            storage,
            start,
            len,
        }
    }

    /// Makes room for `len` values if there is less; their content is then unspecified.
    pub(crate) fn grow(&mut self, len: usize) {
        if self.len < len {
            *self = Self::zeros(len);
        }
    }
}

impl Clone for Aligned {
    fn clone(&self) -> Self {
        let mut copy = Self::zeros(self.len);
        copy.copy_from_slice(self);
        copy
    }
}

impl Deref for Aligned {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.storage[self.start..self.start + self.len]
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.storage[self.start..self.start + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_are_aligned_too() {
        for len in [1, 7, 64, 1000] {
            let mut buffer = Aligned::zeros(len);
            buffer[len - 1] = 2.0;
            let copy = buffer.clone();
            assert_eq!(&*copy, &*buffer);
            assert_eq!(copy.as_ptr().addr() % LINE, 0);
        }
    }
}
