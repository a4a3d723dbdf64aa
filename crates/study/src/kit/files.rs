//! The files of a kit.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use fedcdi_core::Schema;
use fedcdi_data::file_error::{FileError, Place};
use fedcdi_protocol::StudyPlan;
use serde::{Deserialize, Serialize};

use crate::federation::Shared;
use crate::refused::json_message;

pub(super) const PLAN: &str = "plan.json";
pub(super) const DICTIONARY: &str = "dictionary.json";
const NEW_KIT: &str = "get the kit again from whoever made it";

/// What the sites of a study share, as a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Dictionary {
    schema: Schema,
    /// 32 bytes as hexadecimal digits.
    secret: String,
}

impl Dictionary {
    pub(super) fn new(schema: Schema, secret: &[u8]) -> Self {
        let secret = secret.iter().map(|byte| format!("{byte:02x}")).collect();
        Self { schema, secret }
    }

    pub(super) fn shared(&self) -> Option<Shared> {
        let digits = self.secret.as_bytes();
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let secret: Option<Vec<u8>> = digits.chunks(2).map(byte).collect();
        let whole = digits.len() == 64 && digits.iter().all(u8::is_ascii_hexdigit);
        Some(Shared {
            schema: Arc::new(self.schema.clone()),
            secret: secret.filter(|_| whole)?,
        })
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

pub(super) fn read_dictionary(kit: &Path) -> Result<Shared, FileError> {
    let path = kit.join(DICTIONARY);
    let dictionary: Dictionary = serde_json::from_str(&text_of(&path)?).map_err(|error| {
        let place = Place::Line(error.line() as u64);
        FileError::content(&path, place, json_message(&error), NEW_KIT)
    })?;
    let refused = || FileError::whole(&path, "the secret is not 64 hexadecimal digits", NEW_KIT);
    dictionary.shared().ok_or_else(refused)
}

pub(super) fn text_of(path: &Path) -> Result<String, FileError> {
    fs::read_to_string(path).map_err(|error| FileError::text(path, error))
}
