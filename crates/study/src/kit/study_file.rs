//! `study.toml`: a study as its parties agree on it, and the kits made from it.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use fedcdi_core::choice::{self, Params as _};
use fedcdi_data::file_error::FileError;
use fedcdi_data::study::read_schema;
use fedcdi_data::write::{Overwrite, write_text};
use fedcdi_protocol::{Moves, StudyPlan};
use fedcdi_score::SearchParams;
use serde::Deserialize;
use serde::de::IgnoredAny;
use toml::Spanned;

use super::files::{DICTIONARY, Dictionary, PLAN, text_of};
use crate::catalogue::{Catalogue, Method};
use crate::federation::only_local;
use crate::refine::Refine;
use crate::run::RunError;
use crate::settings::{parse, parse_spec};
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
    /// Where the coordinator will be, host and port, if the sites connect to it themselves.
    pub address: Option<String>,
    /// Seconds that sites have for a question.
    pub deadline: u64,
    /// Days for which certificates are valid.
    pub valid_days: u32,
    /// Settings, as of a simulation.
    pub spec: Spec,
}

/// The keys that a study has beside those of a spec.
#[derive(Deserialize)]
struct Keys {
    name: Option<Spanned<String>>,
    sites: Option<Spanned<Vec<String>>>,
    schema: Option<Spanned<PathBuf>>,
    address: Option<Spanned<String>>,
    deadline: Option<Spanned<u64>>,
    valid_days: Option<Spanned<u32>>,
    /// Keys of a spec that studies must have to be refined, or asked what moves what: see
    /// [`StudyFile::read`].
    refine: Option<IgnoredAny>,
    moves: Option<IgnoredAny>,
}

const KEYS: &str =
    "for example name = \"hearts\", sites = [\"basel\", \"bern\"], schema = \"schema.json\"";

impl StudyFile {
    /// Seconds that sites have for a question, unless the study says otherwise.
    pub const DEADLINE: u64 = 3600;
    /// Days for which certificates are valid, unless the study says otherwise.
    pub const VALID_DAYS: u32 = 365;

    /// Reads a study. Its graph is refined by scores, and its sites are asked what moves what, only if it
    /// says so.
    ///
    /// # Errors
    /// [`FileError`] naming the line that is not understood, or the key that is missing.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let text = text_of(path)?;
        let keys: Keys = parse(path, &text, KEYS)?;
        let mut rest = parse_spec(path, &keys.blanked_out_of(&text))?;
        // Between sites, scores are for those who ask for them: counts say more than beliefs.
        if keys.refine.is_none() && rest.method.name != SearchParams::NAME {
            rest.refine = Refine::Never;
        }
        // A question more to agree on: whoever wants it says so.
        if keys.moves.is_none() {
            rest.moves = Some(Moves::Ignore);
        }
        let (Some(name), Some(sites), Some(schema)) = (keys.name, keys.sites, keys.schema) else {
            return Err(FileError::whole(
                path,
                "a study needs the keys name, sites and schema",
                KEYS,
            ));
        };
        let folder = path.parent().unwrap_or(Path::new(""));
        let study = Self {
            path: path.to_owned(),
            name: name.into_inner(),
            sites: sites.into_inner(),
            schema: folder.join(schema.into_inner()),
            address: keys.address.map(Spanned::into_inner),
            deadline: keys.deadline.map_or(Self::DEADLINE, Spanned::into_inner),
            valid_days: keys
                .valid_days
                .map_or(Self::VALID_DAYS, Spanned::into_inner),
            spec: rest,
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
        if self.deadline == 0 {
            return Err(refuse(
                "deadline is 0".to_owned(),
                "name the seconds that sites have for a question",
            ));
        }
        if !(1..=3650).contains(&self.valid_days) {
            let problem = format!("valid_days is {}", self.valid_days);
            return Err(refuse(
                problem,
                "name the days that the study may take, from 1 to 3650",
            ));
        }
        if self.sites.len() < 2 {
            let problem = format!("the study has {} sites", self.sites.len());
            return Err(refuse(problem, "name at least two"));
        }
        let mut seen = BTreeSet::from([COORDINATOR]);
        for name in &self.sites {
            if !is_site_name(name) {
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
            Method::Rival(_) => return Err(only_local(&self.spec.method.name).into()),
            method => method.check_for_federation()?,
        }
        let dictionary = Dictionary::new(read_schema(&self.schema)?);
        self.spec.knowledge.check(dictionary.schema())?;
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

/// Whether a site can have this name: sites are also names of folders.
pub fn is_site_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    !name.is_empty() && name.len() <= 64 && name.chars().all(plain)
}

impl Keys {
    /// The text with these keys and their values blanked out: what is left keeps its lines.
    fn blanked_out_of(&self, text: &str) -> String {
        let spans = [
            self.name.as_ref().map(Spanned::span),
            self.sites.as_ref().map(Spanned::span),
            self.schema.as_ref().map(Spanned::span),
            self.address.as_ref().map(Spanned::span),
            self.deadline.as_ref().map(Spanned::span),
            self.valid_days.as_ref().map(Spanned::span),
        ];
        let mut rest = text.to_owned();
        for Range { start, end } in spans.into_iter().flatten() {
            let start = text[..start].rfind('\n').map_or(0, |at| at + 1);
            let blank: String = text[start..end].chars().map(blanked).collect();
            rest.replace_range(start..end, &blank);
        }
        rest
    }
}

/// A blank as long as the character is in bytes: positions behind it stay.
fn blanked(c: char) -> String {
    if c == '\n' {
        "\n".to_owned()
    } else {
        " ".repeat(c.len_utf8())
    }
}
