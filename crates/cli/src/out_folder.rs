//! The folder of a run: its place is looked at before the work, and whatever becomes of it the result
//! is shown.

use std::path::Path;

use fedcdi_data::FileError;
use fedcdi_data::write::check_folder_place;
use fedcdi_study::Spec;
use fedcdi_study::run_folder::{self, RUN_FOLDER};

use crate::failure::Failure;

/// Refuses a place for a run folder that can never be written to, before hours go into the run.
pub(crate) fn check(out: Option<&Path>) -> Result<(), Failure> {
    out.map_or(Ok(()), |folder| check_folder_place(folder, &RUN_FOLDER))?;
    Ok(())
}

/// Refuses a folder that holds another run than the one `spec` leads to, before that is run; with
/// `force` it will be replaced.
pub(crate) fn check_free(out: Option<&Path>, force: bool, spec: &Spec) -> Result<(), Failure> {
    if let Some(folder) = out.filter(|_| !force) {
        run_folder::check_free(folder, spec)?;
    }
    Ok(())
}

/// Writes the folder, shows the result, with the folder if it is there, and only then fails if it
/// could not be written.
pub(crate) fn write_and_show(
    out: Option<&Path>,
    write: impl FnOnce(&Path) -> Result<(), FileError>,
    show: impl FnOnce(Option<&Path>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let written = out.map_or(Ok(()), write);
    show(out.filter(|_| written.is_ok()))?;
    Ok(written?)
}
