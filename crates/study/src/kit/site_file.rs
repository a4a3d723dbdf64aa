//! `site.toml`: what a site brings to a study, and the site itself.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fedcdi_core::{Dataset, Remedied, Remedy, first_few};
use fedcdi_data::FileError;
use fedcdi_data::read::{Naming, Others, TableOptions, read_table};
use fedcdi_learn::Observer;
use fedcdi_protocol::store::{Folder, Memory, Store};
use fedcdi_protocol::{Moves, NotAllowed, OpenError, Policy, Rehearsal, Site, StudyPlan};
use serde::Deserialize;

use super::files::{in_folder, read_dictionary, read_plan};
use super::groups::{TooFew, large_groups, small_groups};
use crate::catalogue::Catalogue;
use crate::federation::Shared;
use crate::reading::Reading;
use crate::run::RunError;
use crate::settings::read;

const SEE: &str = "see docs/engines.md for all keys";
const SEE_POLICY: &str = "see docs/what-leaves.md for all limits";
/// Groups of rows that are listed.
const FEW: usize = 8;

/// What a site brings to a study. Nothing in it leaves the site.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteFile {
    /// Its name in the plan.
    pub name: String,
    /// The folder with plan and dictionary.
    pub kit: PathBuf,
    /// Its table.
    pub data: PathBuf,
    /// What it allows; the careful defaults of [`Policy`] without one.
    pub policy: Option<PathBuf>,
    /// The folder that keeps its answers.
    pub state: PathBuf,
    /// How the table is read.
    pub read: Reading,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    name: Option<String>,
    kit: Option<PathBuf>,
    data: Option<PathBuf>,
    policy: Option<PathBuf>,
    state: Option<PathBuf>,
    #[serde(default)]
    read: Reading,
}

impl SiteFile {
    /// Reads what a site brings. Paths in it are relative to the file.
    ///
    /// # Errors
    /// [`FileError`] naming the line that is not understood, or the key that is missing.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let keys: Keys = read(path, SEE)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let missing = |key: &str, what: &str| {
            let problem = format!("the key {key} is missing");
            FileError::whole(path, problem, format!("name {what}"))
        };
        let place = |key: &str, value: Option<PathBuf>, what: &str| {
            value
                .map(|value| folder.join(value))
                .ok_or_else(|| missing(key, what))
        };
        if keys.read.schema.is_some() {
            let problem = "schema does not apply: the study's dictionary has the categories";
            return Err(FileError::whole(path, problem, "leave it out"));
        }
        if keys.read.real != Reading::default().real {
            let problem = "real does not apply: the study's dictionary says which columns are real";
            return Err(FileError::whole(path, problem, "leave it out"));
        }
        let name = "the site as the study's plan does";
        Ok(Self {
            name: keys.name.ok_or_else(|| missing("name", name))?,
            kit: place(
                "kit",
                keys.kit,
                "the folder with plan.json and dictionary.json",
            )?,
            data: place("data", keys.data, "the table with this site's rows")?,
            // Nobody sees what the program says when it starts from such a file, so the limits are named.
            policy: Some(place(
                "policy",
                keys.policy,
                "a file that says what this site allows, such as policy = \"policy.toml\"; an empty one has careful limits",
            )?),
            state: place(
                "state",
                keys.state,
                "a folder that keeps this site's answers",
            )?,
            read: keys.read,
        })
    }

    /// The site with its own table.
    ///
    /// # Errors
    /// As [`SiteFile::prepare`] and [`Prepared::open`].
    pub fn open(&self, observer: Option<Arc<dyn Observer>>) -> Result<Site, SiteError> {
        self.prepare()?.open(&self.state, observer)
    }

    /// Everything that is checked before anything is written or sent: the kit, the policy, and the whole
    /// table.
    ///
    /// # Errors
    /// [`SiteError`] if the policy does not allow the plan, or the table is not as the study's dictionary
    /// says; every difference is named.
    pub fn prepare(&self) -> Result<Prepared, SiteError> {
        let kit = SiteKit::read(&self.kit, &self.name, self.policy.as_deref())?;
        let options = TableOptions {
            intervention_column: self.read.intervention_column.clone(),
            missing: self.read.missing,
            ..kit.options()
        };
        let table = read_table(&self.data, &options)?;
        let small = small_groups(&table.dataset, kit.policy.smallest_group);
        let mut notes = Vec::new();
        if self.policy.is_none() {
            let limits = kit.policy.words();
            notes.push(format!(
                "no policy was named, so this site's limits are the defaults: {limits}"
            ));
        }
        if kit.plan.score.is_some() && !kit.policy.count {
            notes.push(
                "the plan asks for sums over rows, which this site's policy does not allow: it takes part in \
                 the rounds, and its rows are not in the scores (count = true in policy.toml allows them)"
                    .to_owned(),
            );
        }
        if kit.plan.moves == Moves::Use && !kit.policy.moves {
            notes.push(
                "the plan asks what moves what, which this site's policy does not allow: it takes part in all \
                 else (moves = true in policy.toml allows it)"
                    .to_owned(),
            );
        }
        if table.n_dropped > 0 {
            let n = table.n_dropped;
            notes.push(format!("{n} rows have a missing value and take no part"));
        }
        notes.extend(table.others.iter().map(|others| {
            let Others { variable, n_labels } = others;
            let other = options.other.as_deref().unwrap_or_default();
            let labels = match n_labels {
                1 => "1 label is".to_owned(),
                n => format!("{n} labels are"),
            };
            format!("column {variable:?}: {labels} not in the dictionary, read as {other:?}")
        }));
        if !small.is_empty() {
            let least = kit.policy.smallest_group;
            let small = first_few(&small, FEW);
            notes.push(format!(
                "groups of fewer than {least} rows take no part (smallest_group): {small}"
            ));
        }
        let rows = table.dataset;
        Ok(Prepared { kit, rows, notes })
    }
}

/// A site whose kit and table were checked.
pub struct Prepared {
    kit: SiteKit,
    rows: Dataset,
    notes: Vec<String>,
}

impl Prepared {
    /// What those who look after the site should know. It is from their own rows and stays with them.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Passes over its rows that the method makes in a round.
    pub fn epochs(&self) -> usize {
        let method = Catalogue::default().methods.build(&self.kit.plan.local);
        method.map_or(1, |method| method.epochs())
    }

    /// What the site allows.
    pub fn policy(&self) -> &Policy {
        &self.kit.policy
    }

    /// The site, with its state in this folder.
    ///
    /// # Errors
    /// As [`SiteKit::open`].
    pub fn open(
        &self,
        state: &Path,
        observer: Option<Arc<dyn Observer>>,
    ) -> Result<Site, SiteError> {
        self.kit.open(&self.rows, state, observer)
    }

    /// What would leave the site.
    ///
    /// # Errors
    /// As [`SiteKit::rehearse`].
    pub fn rehearse(&self, observer: Option<Arc<dyn Observer>>) -> Result<Rehearsal, SiteError> {
        self.kit.rehearse(&self.rows, observer)
    }
}

/// A kit that the site's policy allows.
pub struct SiteKit {
    plan: StudyPlan,
    shared: Shared,
    other: Option<String>,
    policy: Policy,
    at: usize,
}

impl SiteKit {
    /// Reads the kit of the site of this name.
    ///
    /// # Errors
    /// [`SiteError`] if it is not one, is of another site, its parts are of different studies, or the
    /// policy does not allow its plan.
    pub fn read(kit: &Path, name: &str, policy: Option<&Path>) -> Result<Self, SiteError> {
        let policy: Policy = match policy {
            Some(path) => read(path, SEE_POLICY)?,
            None => Policy::default(),
        };
        let plan = read_plan(kit)?;
        policy.check(&plan)?;
        let (shared, other) = read_dictionary(kit)?;
        if shared.schema.fingerprint(&plan.name, &shared.secret) != plan.schema {
            return Err(OpenError::Schema.into());
        }
        let at = plan.sites.iter().position(|known| known == name);
        let at = at.ok_or_else(|| SiteError::Stranger {
            name: name.to_owned(),
            sites: plan.sites.join(", "),
        })?;
        Ok(Self {
            plan,
            shared,
            other,
            policy,
            at,
        })
    }

    /// How the table must be read: these variables and categories, and everything that is wrong is named.
    pub fn options(&self) -> TableOptions {
        TableOptions {
            schema: Some(Arc::clone(&self.shared.schema)),
            other: self.other.clone(),
            naming: Naming::All,
            ..TableOptions::default()
        }
    }

    /// The site with these rows and its state in this folder. Rows of groups that are smaller than the
    /// policy allows are left out.
    ///
    /// # Errors
    /// [`SiteError`] if no group is large enough, the method cannot learn from the rows, or the folder
    /// cannot be used.
    pub fn open(
        &self,
        rows: &Dataset,
        state: &Path,
        observer: Option<Arc<dyn Observer>>,
    ) -> Result<Site, SiteError> {
        let opened = self.open_with(rows, observer, || Ok(Box::new(open_folder(state)?)));
        opened.map_err(|error| match error {
            SiteError::Open(error) => match in_folder(state, error) {
                Ok(error) => error.into(),
                Err(error) => error.into(),
            },
            other => other,
        })
    }

    /// What would leave the site, if it were alone in its study: nothing is kept and nothing is sent.
    ///
    /// # Errors
    /// [`SiteError`] as for [`Self::open`].
    pub fn rehearse(
        &self,
        rows: &Dataset,
        observer: Option<Arc<dyn Observer>>,
    ) -> Result<Rehearsal, SiteError> {
        let site = self.open_with(rows, observer, || Ok(Box::new(Memory::default())))?;
        let rules = Catalogue::default().rules;
        Ok(Rehearsal::of(self.plan.clone(), &rules, site)?)
    }

    fn open_with(
        &self,
        rows: &Dataset,
        observer: Option<Arc<dyn Observer>>,
        store: impl FnOnce() -> Result<Box<dyn Store>, FileError>,
    ) -> Result<Site, SiteError> {
        let catalogue = Catalogue::default();
        let rows = large_groups(rows, self.policy.smallest_group)?;
        let mut data = catalogue.enrol(&self.plan, &self.shared, (self.at, &rows), observer)?;
        data.rows = data.rows.filter(|_| self.policy.count);
        data.moves = data.moves.filter(|_| self.policy.moves);
        let plan = self.plan.clone();
        Ok(Site::open(plan, &catalogue.rules, data, store()?)?)
    }
}

pub(super) fn open_folder(state: &Path) -> Result<Folder, FileError> {
    Folder::open(state).map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock => {
            let remedy = "stop that process, or wait until it has ended";
            FileError::whole(state, "another process uses this folder", remedy)
        }
        _ => FileError::io(state, error),
    })
}

/// Why a site cannot take part; for those who look after it.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// One of its files.
    #[error(transparent)]
    File(#[from] FileError),
    /// The plan goes too far.
    #[error(transparent)]
    NotAllowed(#[from] NotAllowed),
    /// The kit is not of this site.
    #[error(
        "the plan has no site {name:?}, its sites are {sites}; correct the name, or get the kit of this site"
    )]
    Stranger {
        /// What the site calls itself.
        name: String,
        /// Who takes part.
        sites: String,
    },
    /// Its rows are too few for its policy.
    #[error(transparent)]
    TooFew(#[from] TooFew),
    /// Its rows or settings.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Plan, data and state do not fit together.
    #[error(transparent)]
    Open(#[from] OpenError),
}

impl SiteError {
    /// Whether somebody has to change something, as opposed to the system failing.
    pub fn is_bad_input(&self) -> bool {
        match self {
            Self::File(error) => error.is_bad_input(),
            Self::Run(error) => error.is_bad_input(),
            _ => true,
        }
    }
}

impl Remedied for SiteError {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::File(error) => error.remedy(),
            Self::Run(error) => error.remedy(),
            _ => None,
        }
    }
}
