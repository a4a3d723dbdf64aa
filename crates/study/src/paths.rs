//! Paths in specs: relative to the file that holds them. So a spec means the same from any folder, and a
//! run folder does not say where it lies, only the way from there to its data.

use std::path::{Component, Path, PathBuf};

use crate::data_spec::DataSpec;
use crate::spec::Spec;

impl Spec {
    /// The spec as a file in `folder` has it.
    #[must_use]
    pub fn within(&self, folder: &Path) -> Self {
        self.with_paths(|path| from_within(path, folder))
    }

    /// The spec that `file` holds, for use from any folder.
    pub(crate) fn beside(&self, file: &Path) -> Self {
        let folder = file.parent().unwrap_or(Path::new(""));
        self.with_paths(|path| folder.join(path))
    }

    fn with_paths(&self, change: impl Fn(&Path) -> PathBuf) -> Self {
        let mut spec = self.clone();
        let file = match &mut spec.data {
            Some(DataSpec::File(path)) => Some(path),
            _ => None,
        };
        for path in file.into_iter().chain(&mut spec.read.schema) {
            *path = change(path);
        }
        spec
    }
}

/// The path without `..` that only undo the step before: `one/../a` is `a`.
fn without_detours(path: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in path.components() {
        let undoes = part == Component::ParentDir && whole.file_name().is_some();
        if undoes {
            whole.pop();
        } else {
            whole.push(part);
        }
    }
    whole
}

/// The way from `folder` to `path`; the name alone where they have nothing in common, to be found again
/// by naming the data again.
fn from_within(path: &Path, folder: &Path) -> PathBuf {
    let (Ok(path), Ok(folder)) = (std::path::absolute(path), std::path::absolute(folder)) else {
        return path.to_owned();
    };
    let (path, folder) = (without_detours(&path), without_detours(&folder));
    let common = path.components().zip(folder.components());
    let n_common = common.take_while(|(a, b)| a == b).count();
    // Nothing in common but the root: the way would be the whole path with dots in front.
    let mut shared = path.components().take(n_common);
    if !shared.any(|part| matches!(part, Component::Normal(_))) {
        return path.file_name().map_or(path.clone(), PathBuf::from);
    }
    let up = folder.components().skip(n_common);
    let up = up.map(|_| Component::ParentDir);
    up.chain(path.components().skip(n_common)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_finds_its_data_wherever_it_lies() {
        let spec = Spec {
            data: Some(DataSpec::File("/data/a/table.csv".into())),
            ..Spec::default()
        };
        let kept = spec.within(Path::new("/data/runs/one"));
        let file = |path: &str| Some(DataSpec::File(path.into()));
        assert_eq!(kept.data, file("../../a/table.csv"));
        let found = kept.beside(Path::new("/data/runs/one/spec.toml"));
        let found = found.with_paths(|path| from_within(path, Path::new("/data")));
        assert_eq!(found.data, file("a/table.csv"));
    }
}
