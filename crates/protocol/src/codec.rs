//! One encoding per message.
//!
//! | rule | why |
//! |---|---|
//! | protobuf by `proto/fedcdi.proto`, fields in order | one schema, readable from any language |
//! | what was decoded is encoded again and must give the same bytes | a digest names a message |
//! | a length limit before anything is read | memory is bounded by the plan |
//! | numbers are checked where they become values of the program | nothing half-valid gets further |

use std::fmt;

use fedcdi_core::{Belief, BeliefError, Origin};
use ndarray::Array2;
use prost::Message;
use sha2::{Digest as _, Sha256};

/// The messages as the schema has them.
#[allow(
    clippy::all,
    clippy::pedantic,
    unreachable_pub,
    reason = "generated from proto/fedcdi.proto"
)]
pub(crate) mod wire {
    include!(concat!(env!("OUT_DIR"), "/fedcdi.rs"));
}

/// Version of the messages that this program speaks.
pub const VERSION: u32 = 2;

/// SHA-256 of some bytes: the name of a plan, a question, an answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub(crate) [u8; 32]);

impl Digest {
    /// Of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    pub(crate) fn read(bytes: &[u8], what: &'static str) -> Result<Self, DecodeError> {
        let bytes = bytes.try_into();
        bytes.map(Self).map_err(|_| DecodeError::Field(what))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// Why bytes are not a message. Nothing of the bytes is quoted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DecodeError {
    /// Longer than any such message of the study: bytes that came, bytes that can come.
    #[error("a message of {0} bytes, where at most {1} are possible")]
    TooLong(usize, usize),
    /// Not a message at all, or cut off.
    #[error("not a message, or not a whole one")]
    Malformed,
    /// The same content written otherwise than the one way.
    #[error("a message in another form than the one that counts")]
    NotCanonical,
    /// Another version of the protocol.
    #[error(
        "version {0} of the protocol, where version {VERSION} is spoken; update the older side"
    )]
    Version(u32),
    /// A part that is missing, or not what it should be.
    #[error("its {0} is missing or not what it should be")]
    Field(&'static str),
    /// Numbers that are no belief.
    #[error("its belief is none: {0}")]
    Belief(#[from] BeliefError),
}

/// The one encoding.
pub(crate) fn encode(message: &impl Message) -> Vec<u8> {
    message.encode_to_vec()
}

/// The message, if these bytes are its one encoding.
pub(crate) fn decode<M: Message + Default>(bytes: &[u8], limit: usize) -> Result<M, DecodeError> {
    if bytes.len() > limit {
        return Err(DecodeError::TooLong(bytes.len(), limit));
    }
    let message = M::decode(bytes).map_err(|_| DecodeError::Malformed)?;
    let is_canonical = encode(&message) == bytes;
    is_canonical
        .then_some(message)
        .ok_or(DecodeError::NotCanonical)
}

pub(crate) fn check_version(version: u32) -> Result<(), DecodeError> {
    let is_ours = version == VERSION;
    is_ours.then_some(()).ok_or(DecodeError::Version(version))
}

/// A value that travels as a number: its place in the list of all, from 1.
pub(crate) trait Coded: Copy + PartialEq + 'static {
    const ALL: &[Self];
    const WHAT: &str;

    fn code(self) -> u32 {
        let at = Self::ALL.iter().position(|value| *value == self);
        at.expect("the list has every value") as u32 + 1
    }

    fn from_code(code: u32) -> Result<Self, DecodeError> {
        let value = (code as usize)
            .checked_sub(1)
            .and_then(|at| Self::ALL.get(at));
        value.copied().ok_or(DecodeError::Field(Self::WHAT))
    }
}

/// Ordered pairs of different variables, row by row: the order of everything about edges.
pub(crate) fn edges(n_vars: usize) -> impl Iterator<Item = (usize, usize)> {
    let all = (0..n_vars).flat_map(move |i| (0..n_vars).map(move |j| (i, j)));
    all.filter(|(i, j)| i != j)
}

/// Pairs with the smaller number first: the order of everything about orientation.
pub(crate) fn pairs(n_vars: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n_vars).flat_map(move |i| (i + 1..n_vars).map(move |j| (i, j)))
}

pub(crate) fn n_edges(n_vars: usize) -> usize {
    n_vars * n_vars.saturating_sub(1)
}

pub(crate) fn n_pairs(n_vars: usize) -> usize {
    n_edges(n_vars) / 2
}

/// Logits of existence in the order of [`edges`], then of orientation in the order of [`pairs`].
pub(crate) fn logits(belief: &Belief) -> impl Iterator<Item = f64> {
    let existence = edges(belief.n_vars()).map(|at| belief.existence()[at]);
    existence.chain(pairs(belief.n_vars()).map(|at| belief.orientation()[at]))
}

/// The belief with these [`logits`].
pub(crate) fn assemble(n_vars: usize, logits: &[f64]) -> Result<Belief, BeliefError> {
    let (existence, orientation) = logits.split_at(n_edges(n_vars));
    let mut orientation = matrix(n_vars, pairs(n_vars), orientation);
    for (i, j) in pairs(n_vars) {
        orientation[(j, i)] = -orientation[(i, j)];
    }
    Belief::new(matrix(n_vars, edges(n_vars), existence), orientation)
}

/// A matrix with these values at these places, and 0 elsewhere.
pub(crate) fn matrix(
    n_vars: usize,
    places: impl Iterator<Item = (usize, usize)>,
    values: &[f64],
) -> Array2<f64> {
    let mut matrix = Array2::zeros((n_vars, n_vars));
    places
        .zip(values)
        .for_each(|(at, value)| matrix[at] = *value);
    matrix
}

impl From<&Belief> for wire::Belief {
    fn from(belief: &Belief) -> Self {
        let mut existence: Vec<f64> = logits(belief).collect();
        Self {
            n_vars: belief.n_vars() as u32,
            orientation: existence.split_off(n_edges(belief.n_vars())),
            existence,
            from_psi: belief.origin() == Origin::Psi,
        }
    }
}

impl TryFrom<&wire::Belief> for Belief {
    type Error = DecodeError;

    fn try_from(sent: &wire::Belief) -> Result<Self, DecodeError> {
        // Checked before it is squared: a claim of four billion variables is no shape.
        let n_vars = sent.n_vars as usize;
        let squared = n_vars.checked_mul(n_vars.saturating_sub(1));
        let fits = squared == Some(sent.existence.len());
        if !fits || sent.orientation.len() * 2 != sent.existence.len() {
            return Err(DecodeError::Field("size of the belief"));
        }
        let belief = assemble(n_vars, &[&sent.existence[..], &sent.orientation].concat())?;
        let origin = [Origin::Logits, Origin::Psi][usize::from(sent.from_psi)];
        Ok(belief.with_origin(origin))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn a_belief_is_the_same_after_the_wire() {
        let psi = array![[0.0, 0.7, 0.1], [0.1, 0.0, 0.2], [0.3, 0.0, 0.0]];
        let split = Belief::from_psi(&psi).unwrap();
        for belief in [split.clone(), split.with_origin(Origin::Logits)] {
            let sent = wire::Belief::from(&belief);
            assert_eq!(Belief::try_from(&sent).unwrap(), belief);
        }
    }

    #[test]
    fn numbers_that_are_no_belief_are_refused() {
        let sent = wire::Belief::from(&Belief::uninformed(3));
        let changed = |change: fn(&mut wire::Belief)| {
            let mut other = sent.clone();
            change(&mut other);
            Belief::try_from(&other).unwrap_err()
        };
        let size = DecodeError::Field("size of the belief");
        assert_eq!(changed(|b| b.n_vars = 4), size);
        assert_eq!(changed(|b| b.n_vars = u32::MAX), size);
        assert_eq!(changed(|b| b.orientation.truncate(1)), size);
        let infinite = changed(|b| b.existence[2] = f64::INFINITY);
        assert!(matches!(infinite, DecodeError::Belief(_)));
        let nan = changed(|b| b.orientation[0] = f64::NAN);
        assert!(matches!(nan, DecodeError::Belief(_)));
    }

    #[test]
    fn there_is_one_encoding() {
        let message = wire::Refused { code: 300 };
        let bytes = encode(&message);
        assert_eq!(decode::<wire::Refused>(&bytes, 100), Ok(message));
        // The same number with a needless byte, a field twice, a field that nobody knows.
        for other in [
            vec![0x08, 0xac, 0x82, 0x00],
            [bytes.clone(), bytes.clone()].concat(),
            [bytes.clone(), vec![0x10, 0x01]].concat(),
        ] {
            let read = decode::<wire::Refused>(&other, 100);
            assert_eq!(read, Err(DecodeError::NotCanonical), "{other:?}");
        }
        assert_eq!(
            decode::<wire::Refused>(&[0x08], 100),
            Err(DecodeError::Malformed)
        );
        let long = DecodeError::TooLong(3, 2);
        assert_eq!(decode::<wire::Refused>(&bytes, 2), Err(long));
    }
}
