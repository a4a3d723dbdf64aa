//! Whether scores of all rows refine the graph that the rounds end with.

use std::fmt;

use fedcdi_core::ParamsError;
use fedcdi_score::SearchParams;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The last stage of FedCDI: `"never"`, or the settings of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Refine {
    /// The graph is that of the belief.
    Never,
    /// Edges come in, go out and are turned as long as the score of all rows grows.
    By(SearchParams),
}

impl Default for Refine {
    fn default() -> Self {
        Self::By(SearchParams::default())
    }
}

const NEVER: &str = "never";
const USUAL: &str = "usual";

impl Refine {
    /// What a face may offer by one word.
    pub const WORDS: [&str; 2] = [NEVER, USUAL];

    /// One of [`Self::WORDS`].
    pub fn of_word(word: &str) -> Option<Self> {
        match word {
            NEVER => Some(Self::Never),
            USUAL => Some(Self::default()),
            _ => None,
        }
    }

    /// The settings of the search, if there is one.
    pub fn search(self) -> Option<SearchParams> {
        match self {
            Self::Never => None,
            Self::By(search) => Some(search),
        }
    }

    /// # Errors
    /// [`ParamsError`] naming the first field out of range.
    pub fn check(self) -> Result<(), ParamsError> {
        self.search().map_or(Ok(()), |search| search.check())
    }
}

impl Serialize for Refine {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Never => serializer.serialize_str(NEVER),
            Self::By(search) => search.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Refine {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WordOrSettings)
    }
}

/// Reads settings as those of a table, so that a name which is none is refused with all that there are.
struct WordOrSettings;

impl<'de> Visitor<'de> for WordOrSettings {
    type Value = Refine;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"never\", \"usual\", or settings by name")
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<Refine, E> {
        Refine::of_word(word).ok_or_else(|| E::unknown_variant(word, &Refine::WORDS))
    }

    fn visit_map<A: MapAccess<'de>>(self, settings: A) -> Result<Refine, A::Error> {
        SearchParams::deserialize(MapAccessDeserializer::new(settings)).map(Refine::By)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Holder {
        refine: Refine,
    }

    fn read(text: &str) -> Result<Refine, String> {
        let read = toml::from_str::<Holder>(text);
        read.map(|held| held.refine).map_err(|e| e.to_string())
    }

    #[test]
    fn it_is_a_word_or_settings() {
        assert_eq!(read("refine = 'never'"), Ok(Refine::Never));
        assert_eq!(read("refine = 'usual'"), Ok(Refine::default()));
        let Ok(Refine::By(search)) = read("refine = { level = 0.01 }") else {
            panic!("settings are read");
        };
        assert_eq!((search.level, search.questions), (0.01, 50_000));
        for refine in [Refine::Never, Refine::By(search)] {
            let text = toml::to_string(&Holder { refine }).unwrap();
            assert_eq!(read(&text), Ok(refine));
            let json = serde_json::to_string(&Holder { refine }).unwrap();
            assert_eq!(
                serde_json::from_str::<Holder>(&json).unwrap().refine,
                refine
            );
        }
    }

    #[test]
    fn what_is_none_is_refused_by_name() {
        let text = read("refine = { levle = 0.01 }").unwrap_err();
        assert!(text.contains("unknown field `levle`"), "{text}");
        let text = read("refine = 'nevre'").unwrap_err();
        assert!(text.contains("unknown variant `nevre`"), "{text}");
        assert!(read("refine = 3").is_err());
    }
}
