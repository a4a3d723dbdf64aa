//! A belief as CSV: one row per ordered pair of variables.

use std::path::Path;

use fedcdi_core::Belief;

use super::atomic::{Overwrite, write_text};
use super::graph::to_text;
use crate::file_error::FileError;
use crate::read::BELIEF_HEADER;

/// A belief over variables of these names. Panics if the number of names is not the number of variables.
pub fn format_belief(names: &[String], belief: &Belief) -> String {
    assert_eq!(names.len(), belief.n_vars(), "one name per variable");
    let record = |(cause, effect): (fedcdi_core::VarId, fedcdi_core::VarId)| {
        let at = (cause.index(), effect.index());
        let numbers = [
            belief.probability(cause, effect),
            belief.existence()[at],
            belief.orientation()[at],
        ];
        let mut record = vec![names[at.0].clone(), names[at.1].clone()];
        record.extend(numbers.map(|number| format!("{number:?}")));
        record
    };
    let header = BELIEF_HEADER.map(str::to_owned).to_vec();
    let records: Vec<Vec<String>> = std::iter::once(header)
        .chain(belief.pairs().map(record))
        .collect();
    to_text(&records)
}

/// Writes a belief over variables of these names, one per variable.
///
/// # Errors
/// [`FileError`] if the file cannot be written. Panics if the number of names is not the number of
/// variables.
pub fn write_belief(
    path: &Path,
    names: &[String],
    belief: &Belief,
    overwrite: Overwrite,
) -> Result<(), FileError> {
    write_text(path, overwrite, &format_belief(names, belief))
}
