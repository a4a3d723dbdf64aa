//! The files of a kit.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use fedcdi_core::Schema;
use fedcdi_data::file_error::{FileError, Place};
use fedcdi_data::study::SchemaFile;
use fedcdi_protocol::{JournalError, OpenError, StudyPlan};
use serde::{Deserialize, Serialize};

use crate::federation::Shared;
use crate::refused::json_message;

pub(super) const PLAN: &str = "plan.json";
pub(super) const DICTIONARY: &str = "dictionary.json";
/// A shorter one could be guessed, and with it the labels behind the plan's fingerprint.
const SHORTEST_SECRET: usize = 32;
const NEW_KIT: &str = "get the kit again from whoever made it";

/// What the sites of a study share, as a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Dictionary {
    schema: Schema,
    /// The category that stands for all labels that are not listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    other: Option<String>,
    /// Random text; its bytes are what counts.
    secret: String,
}

impl Dictionary {
    /// With a secret that nobody had before.
    pub(super) fn new(file: SchemaFile) -> Self {
        let [a, b]: [u128; 2] = rand::random();
        let secret = format!("{a:032x}{b:032x}");
        let SchemaFile { schema, other } = file;
        Self {
            schema,
            other,
            secret,
        }
    }

    pub(super) fn schema(&self) -> &Schema {
        &self.schema
    }

    pub(super) fn shared(&self) -> Shared {
        let mut secret = self.secret.clone().into_bytes();
        if let Some(other) = &self.other {
            // Sites that read other labels differently are of different studies.
            secret.extend(b"/other/");
            secret.extend(other.as_bytes());
        }
        Shared {
            schema: Arc::new(self.schema.clone()),
            secret,
        }
    }

    pub(super) fn to_text(&self) -> String {
        serde_json::to_string_pretty(self).expect("a dictionary has nothing that JSON lacks") + "\n"
    }
}

pub(super) fn read_plan(kit: &Path) -> Result<StudyPlan, FileError> {
    let path = kit.join(PLAN);
    let text = text_of(&path)?;
    let plan = StudyPlan::from_text(text.trim_end());
    plan.map_err(|error| FileError::whole(&path, error.to_string(), NEW_KIT))
}

/// What the sites share, and the category for all labels that are not listed.
pub(super) fn read_dictionary(kit: &Path) -> Result<(Shared, Option<String>), FileError> {
    let path = kit.join(DICTIONARY);
    let dictionary: Dictionary = serde_json::from_str(&text_of(&path)?).map_err(|error| {
        let place = Place::Line(error.line() as u64);
        FileError::content(&path, place, json_message(&error), NEW_KIT)
    })?;
    if dictionary.secret.len() < SHORTEST_SECRET {
        let problem = format!("the secret has fewer than {SHORTEST_SECRET} characters");
        return Err(FileError::whole(&path, problem, NEW_KIT));
    }
    Ok((dictionary.shared(), dictionary.other))
}

pub(super) fn text_of(path: &Path) -> Result<String, FileError> {
    fs::read_to_string(path).map_err(|error| FileError::text(path, error))
}

/// Names the folder whose journal cannot be used.
pub(super) fn in_folder(state: &Path, error: OpenError) -> Result<OpenError, FileError> {
    match error {
        OpenError::Journal(JournalError::Io(error)) => Err(FileError::io(state, error)),
        OpenError::Journal(error) => {
            let text = error.to_string();
            let (problem, remedy) = text.split_once("; ").unwrap_or((&text, NEW_KIT));
            Err(FileError::whole(state, problem, remedy))
        }
        other => Ok(other),
    }
}
