//! The fingerprint that two sites compare instead of their schemas.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::schema::Schema;
use crate::variable::Kind;

/// Fingerprint of a [`Schema`]; prints and serialises as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct SchemaHash([u8; 32]);

/// The text is not a fingerprint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a schema hash; expected 64 hexadecimal digits")]
pub struct SchemaHashError(String);

impl SchemaHash {
    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// From its 32 bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl Schema {
    /// A fingerprint of names and labels in order: equal hashes mean that codes can be compared.
    /// Anyone can guess a label from it and compare; between sites use [`Self::fingerprint`].
    pub fn hash(&self) -> SchemaHash {
        self.hash_after(b"fedcdi/schema/1", &[])
    }

    /// The fingerprint that sites of one study compare. Without the study's `secret` no label can be
    /// guessed from it, and in another study the same schema has another one.
    pub fn fingerprint(&self, study: &str, secret: &[u8]) -> SchemaHash {
        self.hash_after(b"fedcdi/schema/2", &[study.as_bytes(), secret])
    }

    fn hash_after(&self, domain: &[u8], salts: &[&[u8]]) -> SchemaHash {
        let mut hash = Sha256::new();
        hash.update(domain);
        for salt in salts {
            hash.update((salt.len() as u64).to_le_bytes());
            hash.update(salt);
        }
        let mut text = |text: &str| {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        };
        for variable in self.variables() {
            text(&variable.name);
            match &variable.kind {
                Kind::Categorical(labels) => {
                    text(&labels.len().to_string());
                    labels.iter().for_each(|label| text(label));
                }
                Kind::Real => text("real"),
            }
        }
        SchemaHash(hash.finalize().into())
    }
}

impl fmt::Display for SchemaHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for SchemaHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SchemaHash({self})")
    }
}

impl From<SchemaHash> for String {
    fn from(hash: SchemaHash) -> Self {
        hash.to_string()
    }
}

impl TryFrom<String> for SchemaHash {
    type Error = SchemaHashError;

    fn try_from(text: String) -> Result<Self, SchemaHashError> {
        let error = || SchemaHashError(text.clone());
        // Digits alone: from_str_radix would also take a sign.
        if text.len() != 64 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(error());
        }
        let mut bytes = [0; 32];
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).map_err(|_| error())?;
        }
        Ok(Self(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variable::Variable;

    #[test]
    fn text_round_trips() {
        let schema = Schema::new(vec![Variable::with_codes("a", 2)]).unwrap();
        let hash = schema.hash();
        assert_eq!(hash.to_string().try_into(), Ok(hash));
        let json = serde_json::to_string(&hash).unwrap();
        assert_eq!(json, format!("\"{hash}\""));
        assert_eq!(serde_json::from_str::<SchemaHash>(&json).unwrap(), hash);
    }

    #[test]
    fn other_text_is_refused() {
        for text in ["", "abc", &"x".repeat(64), &"+1".repeat(32)] {
            let refused = SchemaHash::try_from(text.to_owned()).unwrap_err();
            assert!(refused.to_string().contains("64 hexadecimal digits"));
        }
    }
}
