//! Which variables of an archive are real.

use std::io::{Read, Seek};
use std::path::Path;

use fedcdi_core::Remedy;

use super::archive::Archive;
use super::samples::Samples;
use crate::file_error::FileError;
use crate::read::TableOptions;
use crate::read::header::check_real;
use crate::read::options::RealColumns;

/// Whether each variable is real: a schema decides, else the archive's own `real`, else the type of
/// the arrays; what the caller declares comes on top.
pub(super) fn real_variables<R: Read + Seek>(
    archive: &mut Archive<'_, R>,
    names: &[String],
    samples: &Samples<'_>,
    options: &TableOptions,
) -> Result<Vec<bool>, FileError> {
    let path = archive.path;
    check_real(path, names, options)?;
    if options.schema.is_some() {
        return Ok(names.iter().map(|name| options.is_real(name)).collect());
    }
    let mut real = if let Some(real) = archive.real(names.len())? {
        real
    } else {
        let categories = archive.has("num_categs") || archive.has("labels");
        let declared = options.real == RealColumns::All;
        let by_type = !categories && !declared && by_type(path, samples)?;
        vec![by_type; names.len()]
    };
    for (real, name) in real.iter_mut().zip(names) {
        *real |= options.real.contains(name);
    }
    Ok(real)
}

/// Whether the arrays are floating-point, all or none of them.
fn by_type(path: &Path, samples: &Samples<'_>) -> Result<bool, FileError> {
    let n_floats = samples.arrays().filter(|array| array.is_float()).count();
    if n_floats == 0 || n_floats == samples.arrays().count() {
        return Ok(n_floats > 0);
    }
    let problem =
        "of data_obs and data_int one holds floating-point numbers and the other integers";
    let remedy =
        "store real numbers as floats in both, category codes as integers in both, or pass ";
    let remedy = Remedy::from(remedy).set("real", "all");
    Err(FileError::whole(path, problem, remedy))
}
