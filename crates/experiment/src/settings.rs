//! Reading settings and knowledge from TOML files.

use std::fs;
use std::path::Path;

use fedcdi_core::KnowledgeFile;
use fedcdi_data::file_error::{FileError, Place};
use fedcdi_learn::enco::EncoParams;
use serde::de::DeserializeOwned;

use crate::spec::SimulateSpec;

/// Reads background knowledge.
///
/// # Errors
/// [`FileError`] naming the line that is not understood.
pub fn read_knowledge(path: &Path) -> Result<KnowledgeFile, FileError> {
    read_toml(path, "the keys are required, forbidden and tiers")
}

/// Reads settings of ENCO; what is not mentioned keeps its default.
///
/// # Errors
/// [`FileError`] naming the line that is not understood.
pub fn read_settings(path: &Path) -> Result<EncoParams, FileError> {
    read_toml(path, "see docs/enco.md for all settings")
}

/// Reads the settings of a simulation; what is not mentioned keeps its default.
///
/// # Errors
/// [`FileError`] naming the line that is not understood.
pub fn read_spec(path: &Path) -> Result<SimulateSpec, FileError> {
    read_toml(path, "see docs/simulate.md for all settings")
}

fn read_toml<T: DeserializeOwned>(path: &Path, remedy: &str) -> Result<T, FileError> {
    let text = fs::read_to_string(path).map_err(|error| FileError::io(path, error))?;
    toml::from_str(&text).map_err(|error| {
        let place = error.span().map_or(Place::Whole, |span| {
            let before = &text[..span.start.min(text.len())];
            Place::Line(before.matches('\n').count() as u64 + 1)
        });
        FileError::content(path, place, error.message().trim(), remedy)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_key_is_named_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("k.toml");
        fs::write(&path, "forbidden = []\nrequird = []\n").unwrap();
        let text = read_knowledge(&path).unwrap_err().to_string();
        assert!(
            text.contains("line 2") && text.contains("requird"),
            "{text}"
        );
    }

    #[test]
    fn settings_that_are_not_mentioned_keep_their_defaults() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("enco.toml");
        fs::write(&path, "rounds = 3\n").unwrap();
        let settings = read_settings(&path).unwrap();
        assert_eq!(settings.rounds, 3);
        assert_eq!(settings.epochs, EncoParams::default().epochs);
    }
}
