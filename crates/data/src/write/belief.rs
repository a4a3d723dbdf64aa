//! A belief as CSV: one row per ordered pair of variables.

use std::path::Path;

use fedcdi_core::Belief;

use super::atomic::Overwrite;
use super::csv::write_records;
use crate::file_error::FileError;
use crate::read::BELIEF_HEADER;

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
    assert_eq!(names.len(), belief.n_vars(), "one name per variable");
    write_records(path, overwrite, "", |writer| {
        writer.write_record(BELIEF_HEADER)?;
        for (cause, effect) in belief.pairs() {
            let at = (cause.index(), effect.index());
            let numbers = [
                belief.probability(cause, effect),
                belief.existence()[at],
                belief.orientation()[at],
            ];
            let numbers = numbers.map(|number| format!("{number:?}"));
            let names = [names[at.0].as_str(), names[at.1].as_str()];
            writer.write_record(names.into_iter().chain(numbers.iter().map(String::as_str)))?;
        }
        Ok(())
    })
}
