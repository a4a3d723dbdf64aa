//! Which variables of an archive are real.

use std::io::{Read, Seek};
use std::path::Path;

use fedcdi_core::Remedy;

use super::archive::Archive;
use super::npy::NpyArray;
use crate::file_error::FileError;
use crate::read::TableOptions;
use crate::read::header::check_real;
use crate::read::options::RealColumns;

/// Whether each variable is real: a schema decides, else the archive's own `real`, else the type of
/// the arrays; what the caller declares comes on top.
pub(super) fn real_variables<R: Read + Seek>(
    archive: &mut Archive<'_, R>,
    path: &Path,
    names: &[String],
    arrays: &[&NpyArray],
    options: &TableOptions,
) -> Result<Vec<bool>, FileError> {
    check_real(path, names, options)?;
    if options.schema.is_some() {
        return Ok(names.iter().map(|name| options.is_real(name)).collect());
    }
    let mut real = if let Some(real) = archive.real(names.len())? {
        real
    } else {
        let categories = archive.has("num_categs") || archive.has("labels");
        let declared = options.real == RealColumns::All;
        let by_type = !categories && !declared && by_type(path, arrays)?;
        vec![by_type; names.len()]
    };
    for (real, name) in real.iter_mut().zip(names) {
        *real |= options.real.contains(name);
    }
    Ok(real)
}

/// Whether the arrays are floating-point, all or none of them.
fn by_type(path: &Path, arrays: &[&NpyArray]) -> Result<bool, FileError> {
    let n_floats = arrays.iter().filter(|array| array.is_float()).count();
    if n_floats == 0 || n_floats == arrays.len() {
        return Ok(n_floats > 0);
    }
    Err(FileError::whole(
        path,
        "of data_obs and data_int one holds floating-point numbers and the other integers",
        Remedy::from(
            "store real numbers as floats in both, category codes as integers in both, or pass ",
        )
        .set("real", "all"),
    ))
}
