//! From all rows to the sites that have them.

use fedcdi_core::{Dataset, Remedied, Remedy, Seed};
use fedcdi_data::split::SplitError;
use fedcdi_data::{SplitPlan, Study, TargetSplit};

use crate::spec::Spec;

/// Why there are no sites.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DivisionError {
    /// No sites.
    #[error("rows cannot be divided over 0 sites; name 1 or more")]
    NoSites,
    /// A division of tables that stay as they are.
    #[error(
        "split sets how the data is divided, but not over how many sites; add clients = K, or leave split out to take the tables of the study as they are"
    )]
    NotDivided,
    /// The data cannot be divided so.
    #[error(transparent)]
    Split(#[from] SplitError),
}

impl Remedied for DivisionError {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::NoSites | Self::NotDivided => None,
            Self::Split(error) => error.remedy(),
        }
    }
}

/// A warning if rows were left out because a value was missing.
pub fn dropped(study: &Study) -> Option<String> {
    let kept: usize = study.clients().iter().map(|c| c.data.n_samples()).sum();
    let n_dropped = study.n_dropped();
    let all = kept + n_dropped;
    (n_dropped > 0)
        .then(|| format!("{n_dropped} of {all} rows have a missing value and were left out"))
}

impl Spec {
    /// A warning if `study` has fewer rows than asked for; of tables that stay as they are, about the
    /// first that has.
    pub fn shortfall(&self, study: &Study) -> Option<String> {
        if self.clients.is_some() {
            return self.rows.shortfall(&study.pool());
        }
        study.clients().iter().find_map(|client| {
            let text = self.rows.shortfall(&client.data)?;
            Some(format!("{}: {text}", client.name))
        })
    }

    /// The sites: the data cut to the rows asked for, and divided if asked for. One site has all rows;
    /// without a number of sites, the tables stay as they are.
    ///
    /// # Errors
    /// [`DivisionError`] if the data cannot be divided so, or a division was asked for without a number.
    pub fn sites_of(&self, study: &Study) -> Result<Study, DivisionError> {
        let rows = self.rows;
        let cut = |data: &Dataset| data.first(rows.observational, rows.per_intervention);
        let Some(n_clients) = self.clients else {
            if self.split != TargetSplit::default() {
                return Err(DivisionError::NotDivided);
            }
            return Ok(study.map(cut));
        };
        let truth = study.truth().cloned();
        match n_clients {
            0 => return Err(DivisionError::NoSites),
            1 => return Ok(Study::pooled(cut(&study.pool()), truth)),
            _ => {}
        }
        let plan = SplitPlan {
            n_clients,
            targets: self.split.clone(),
        };
        let seed = Seed::new(self.seed).derive("split", 0);
        Ok(Study::split(&cut(&study.pool()), truth, &plan, seed)?)
    }
}
