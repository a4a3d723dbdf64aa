//! `study.toml`: a study as its parties agree on it, and the kits made from it.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use fedcdi_core::choice;
use fedcdi_data::file_error::FileError;
use fedcdi_data::study::read_schema;
use fedcdi_data::write::{Overwrite, write_text};
use fedcdi_protocol::StudyPlan;
use serde::Deserialize;
use toml::Spanned;

use super::files::{DICTIONARY, Dictionary, PLAN, text_of};
use crate::catalogue::{Catalogue, Method};
use crate::federation::only_local;
use crate::run::RunError;
use crate::settings::parse_spec;
use crate::spec::Spec;

const COORDINATOR: &str = "coordinator";

/// Keys of a spec that are about data in one place: each site brings its own.
const NOT_OF_STUDIES: [&str; 6] = ["clients", "compare", "data", "read", "rows", "split"];

/// A study as its parties agree on it.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyFile {
    /// Where it was read from: messages name it.
    path: PathBuf,
    /// The name of the study.
    pub name: String,
    /// The names of the sites.
    pub sites: Vec<String>,
    /// The file with all variables and their categories.
    pub schema: PathBuf,
    /// Settings, as of a simulation.
    pub spec: Spec,
}

/// The keys that a study has beside those of a spec.
#[derive(Deserialize)]
struct Keys {
    name: Option<Spanned<String>>,
    sites: Option<Spanned<Vec<String>>>,
    schema: Option<Spanned<PathBuf>>,
}

impl StudyFile {
    /// Reads a study.
    ///
    /// # Errors
    /// [`FileError`] naming the line that is not understood, or the key that is missing.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let text = text_of(path)?;
        let keys = toml::from_str(&text).ok();
        let (name, sites, schema, rest) = match keys {
            Some(Keys {
                name: Some(name),
                sites: Some(sites),
                schema: Some(schema),
            }) => {
                let spans = [name.span(), sites.span(), schema.span()];
                let rest = without(&text, spans);
                (
                    name.into_inner(),
                    sites.into_inner(),
                    schema.into_inner(),
                    rest,
                )
            }
            // A file that is no TOML is refused with its line.
            None => {
                return Err(
                    parse_spec(path, &text).map_or_else(|error| error, |_| incomplete(path))
                );
            }
            Some(_) => return Err(incomplete(path)),
        };
        let folder = path.parent().unwrap_or(Path::new(""));
        let study = Self {
            path: path.to_owned(),
            name,
            sites,
            schema: folder.join(schema),
            spec: parse_spec(path, &rest)?,
        };
        study.check()?;
        Ok(study)
    }

    fn check(&self) -> Result<(), FileError> {
        let refuse = |problem: String, remedy: &str| FileError::whole(&self.path, problem, remedy);
        let (set, usual) = (
            choice::written(&self.spec),
            choice::written(&Spec::default()),
        );
        if let Some(key) = NOT_OF_STUDIES
            .iter()
            .find(|key| set.get(**key) != usual.get(**key))
        {
            let problem = format!("{key} does not apply: every site brings its own table");
            return Err(refuse(problem, "leave it out, or use fedcdi simulate"));
        }
        if self.sites.len() < 2 {
            let problem = format!("the study has {} sites", self.sites.len());
            return Err(refuse(problem, "name at least two"));
        }
        let mut seen = BTreeSet::from([COORDINATOR]);
        for name in &self.sites {
            if !is_plain(name) {
                let remedy =
                    "use letters, digits, - and _, because sites are also names of folders";
                return Err(refuse(
                    format!("{name:?} cannot be the name of a site"),
                    remedy,
                ));
            }
            if !seen.insert(name) {
                let problem = format!("two parties of the study are called {name:?}");
                return Err(refuse(problem, "rename one"));
            }
        }
        Ok(())
    }

    /// The plan, and what the sites share; their secret is new every time.
    fn plan(&self) -> Result<(StudyPlan, Dictionary), RunError> {
        let catalogue = Catalogue::default();
        match catalogue.methods.build(&self.spec.method)? {
            Method::Local(local) => local.check_for_federation()?,
            Method::Rival(_) => return Err(only_local(&self.spec.method.name).into()),
        }
        let schema = read_schema(&self.schema)?;
        self.spec.knowledge.check(&schema)?;
        let dictionary = Dictionary::new(schema);
        let shared = dictionary.shared();
        let plan = (self.spec).plan(&self.name, self.sites.clone(), &shared, &catalogue)?;
        Ok((plan, dictionary))
    }

    /// Writes the kits: a folder for the coordinator and one per site. Returns the folders.
    ///
    /// # Errors
    /// [`RunError`] if the settings make no plan, or the folder exists already: two sets of kits for
    /// one study would not fit together.
    pub fn provision(&self, out: &Path) -> Result<Vec<PathBuf>, RunError> {
        let (plan, dictionary) = self.plan()?;
        if out.exists() {
            let path = out.to_owned();
            return Err(FileError::Exists { path }.into());
        }
        let (plan, dictionary) = (plan.to_text() + "\n", dictionary.to_text());
        let parties = std::iter::once(COORDINATOR).chain(self.sites.iter().map(String::as_str));
        let mut folders = Vec::new();
        for party in parties {
            let folder = out.join(party);
            std::fs::create_dir_all(&folder).map_err(|error| FileError::io(&folder, error))?;
            write_text(&folder.join(PLAN), Overwrite::No, &plan)?;
            if party != COORDINATOR {
                write_text(&folder.join(DICTIONARY), Overwrite::No, &dictionary)?;
            }
            folders.push(folder);
        }
        Ok(folders)
    }
}

fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    !name.is_empty() && name.len() <= 64 && name.chars().all(plain)
}

fn incomplete(path: &Path) -> FileError {
    let problem = "a study needs the keys name, sites and schema";
    let remedy =
        "for example name = \"hearts\", sites = [\"basel\", \"bern\"], schema = \"schema.json\"";
    FileError::whole(path, problem, remedy)
}

/// The text with these values and their keys blanked out: what is left keeps its lines.
fn without(text: &str, values: [Range<usize>; 3]) -> String {
    let mut rest = text.to_owned();
    for Range { start, end } in values {
        let start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let blank: String = text[start..end].chars().map(blanked).collect();
        rest.replace_range(start..end, &blank);
    }
    rest
}

/// A blank as long as the character is in bytes: positions behind it stay.
fn blanked(c: char) -> String {
    if c == '\n' {
        "\n".to_owned()
    } else {
        " ".repeat(c.len_utf8())
    }
}
