//! One run: by FedCDI or by a rival, on one table or among several sites.
//!
//! Paper: FedCDI Algorithm 1. The sites run as they would at their institutions: what passes between
//! them and the coordinator are the bytes of [`fedcdi_protocol`]. One table is a study of one site, which
//! reports everything to itself.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fedcdi_core::{ChoiceError, KnowledgeError, ParamsError, Remedied, Remedy};
use fedcdi_data::{FileError, Study};
use fedcdi_learn::Observer;
use fedcdi_protocol::{CarrierError, DeclineWatcher, OpenError, PlanError, StudyEvent};

use crate::catalogue::{Catalogue, Method, Unfit};
use crate::division::DivisionError;
use crate::result::{Comparison, RunResult};
use crate::spec::Spec;

/// Why a run has no result.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The rows cannot be divided so.
    #[error(transparent)]
    Division(#[from] DivisionError),
    /// A file of the study.
    #[error(transparent)]
    File(#[from] FileError),
    /// The knowledge contradicts itself or the data.
    #[error(transparent)]
    Knowledge(#[from] KnowledgeError),
    /// A setting is out of range.
    #[error(transparent)]
    Params(#[from] ParamsError),
    /// No such rule or method, or a setting of it is not what it should be.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    /// The plan is none.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The method cannot learn from the data: of all sites, or of the only one.
    #[error(transparent)]
    Data(Box<Unfit>),
    /// The method cannot learn from the data of one site.
    #[error("{0}: {1}")]
    Site(String, Box<Unfit>),
    /// The method failed on the way, and why.
    #[error("{0}: {1}")]
    Failed(String, String),
    /// Stopped before there was anything to give.
    #[error("stopped before there was a result")]
    Cancelled,
    /// The coordinator or a site cannot begin.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A round failed.
    #[error(transparent)]
    Round(#[from] CarrierError),
}

impl RunError {
    /// Whether the user has to change something, as opposed to the run failing.
    pub fn is_bad_input(&self) -> bool {
        match self {
            Self::Round(_) | Self::Failed(..) | Self::Cancelled => false,
            Self::File(error) => error.is_bad_input(),
            _ => true,
        }
    }
}

impl Remedied for RunError {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Division(error) => error.remedy(),
            Self::File(error) => error.remedy(),
            _ => None,
        }
    }
}

/// Who watches a run.
#[derive(Default)]
pub struct Watchers<'a> {
    /// Receives every event of a study.
    pub events: Option<&'a mut dyn FnMut(&StudyEvent)>,
    /// One observer per site, which sees how far its learning is; a rival is seen by the first.
    pub clients: Vec<Arc<dyn Observer>>,
    /// Set from outside to stop at the end of the running round.
    pub cancel: Option<&'a AtomicBool>,
    /// Receives the questions that a site declines, in the site's own words.
    pub declined: Option<&'a DeclineWatcher<'a>>,
}

/// Runs what `spec` asks for on these sites.
///
/// # Errors
/// [`RunError`] if settings, knowledge or data do not allow it, or it fails on the way. A run that is
/// stopped before there is a first graph has nothing to give.
pub fn run(study: &Study, spec: &Spec, watchers: Watchers<'_>) -> Result<RunResult, RunError> {
    Catalogue::default().run(study, spec, watchers)
}

/// The same rows without a federation: what a run is compared with. Somebody watches every part.
///
/// # Errors
/// As [`run`].
pub fn compare(
    study: &Study,
    mut part: impl FnMut(&Study) -> Result<RunResult, RunError>,
) -> Result<Comparison, RunError> {
    let pooled = Study::pooled(study.pool(), study.truth().cloned());
    Ok(Comparison {
        centralised: part(&pooled)?,
        isolated: (0..study.clients().len())
            .map(|site| part(&study.only(site)))
            .collect::<Result<_, _>>()?,
    })
}

impl Catalogue {
    /// As [`run`], with methods and rules of one's own.
    ///
    /// # Errors
    /// As [`run`].
    pub fn run(
        &self,
        study: &Study,
        spec: &Spec,
        watchers: Watchers<'_>,
    ) -> Result<RunResult, RunError> {
        let spec = spec.among(study);
        match self.methods.build(&spec.method)? {
            method @ (Method::Local(_) | Method::Score(_)) => {
                if study.clients().len() > 1 {
                    method.check_for_federation()?;
                }
                self.federate(study, &spec, watchers)
            }
            Method::Rival(rival) => {
                let observer = watchers.clients.first().map(AsRef::as_ref);
                self.rival(study, &spec, rival.as_ref(), observer)
            }
        }
    }
}

/// Calls `work` on one of rayon's threads. Called from another, each of thousands of short parallel
/// loops would be handed over and waited for.
pub(crate) fn on_workers<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    rayon::scope(|_| work())
}
