//! Named, independent random streams.
//!
//! Randomness is an argument: whoever needs random numbers takes a [`Seed`] and derives one child
//! per purpose (`seed.derive("client", 3)`). A child depends only on its path of names, never on
//! how many numbers other streams drew, so results do not change with the number of threads or the
//! order of work.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

/// Root or node of a tree of random streams.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seed([u8; 32]);

impl Seed {
    /// The root of the tree that the user names by a number.
    pub fn new(value: u64) -> Self {
        let mut hash = Sha256::new();
        hash.update(b"fedcdi/seed/1");
        hash.update(value.to_le_bytes());
        Self(hash.finalize().into())
    }

    /// The child stream of this purpose and number.
    #[must_use]
    pub fn derive(&self, purpose: &str, index: usize) -> Self {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update((index as u64).to_le_bytes());
        // The purpose is last and everything before it has a fixed length: no two paths collide.
        hash.update(purpose.as_bytes());
        Self(hash.finalize().into())
    }

    /// A generator at the start of this stream.
    pub fn rng(&self) -> ChaCha8Rng {
        ChaCha8Rng::from_seed(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    #[test]
    fn same_path_gives_the_same_stream() {
        let draw = || Seed::new(7).derive("client", 3).rng().next_u64();
        assert_eq!(draw(), draw());
    }

    #[test]
    fn root_purpose_and_index_each_change_the_stream() {
        let base = Seed::new(7).derive("client", 3);
        for other in [
            Seed::new(8).derive("client", 3),
            Seed::new(7).derive("clients", 3),
            Seed::new(7).derive("client", 4),
            Seed::new(7).derive("client", 3).derive("client", 3),
        ] {
            assert_ne!(base, other);
        }
    }
}
