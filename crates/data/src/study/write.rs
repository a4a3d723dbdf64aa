//! Writing a study folder.

use std::path::Path;

use super::{Study, TableFormat};
use crate::file_error::FileError;
use crate::formats::Format;
use crate::named_graph::NamedGraph;
use crate::read::TableOptions;
use crate::write::{
    FolderKind, GraphFormat, Overwrite, write_folder, write_graph, write_table, write_text,
};

/// The file that holds the schema and marks a folder as a study.
pub(super) const SCHEMA: &str = "schema.json";

pub(super) const TRUTH: &str = "truth.json";

const STUDY_FOLDER: FolderKind = FolderKind {
    mark: SCHEMA,
    may_hold: |name| {
        let is_table = Format::of(Path::new(name), &Format::BUILT_IN).is_some();
        is_table || [SCHEMA, TRUTH].contains(&name)
    },
};

impl Study {
    /// Writes the folder: `schema.json`, one table per client, and `truth.json` if it is known.
    /// Whole or not at all; a folder with the same content is left alone.
    ///
    /// # Errors
    /// [`FileError::Exists`] if the folder holds something else and may not be replaced;
    /// [`FileError::Io`] if the system fails.
    pub fn write(
        &self,
        folder: &Path,
        format: TableFormat,
        overwrite: Overwrite,
    ) -> Result<(), FileError> {
        write_folder(folder, &STUDY_FOLDER, overwrite, |inside| {
            self.fill(inside, format)
        })
    }

    fn fill(&self, folder: &Path, format: TableFormat) -> Result<(), FileError> {
        let mut schema = serde_json::to_string_pretty(self.schema().as_ref())
            .expect("a schema has nothing that JSON lacks");
        schema.push('\n');
        write_text(&folder.join(SCHEMA), Overwrite::No, &schema)?;
        let options = TableOptions::default();
        for client in &self.clients {
            let path = folder.join(format!("{}.{}", client.name, format.extension()));
            write_table(&path, &client.data, None, &options, Overwrite::No)?;
        }
        if let Some(truth) = &self.truth {
            let graph = NamedGraph::of(self.schema(), truth);
            write_graph(
                &folder.join(TRUTH),
                &graph,
                GraphFormat::Json,
                Overwrite::No,
            )?;
        }
        Ok(())
    }
}
