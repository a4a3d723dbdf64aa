//! Site and coordinator of a study between institutions: bytes in, bytes out.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use fedcdi_core::ClientId;
use fedcdi_protocol::coordinator::Input;
use fedcdi_protocol::{Answered, Receipt, Site as Party};
use fedcdi_study::kit::{SiteFile, SiteKit, StudyFile, open_coordinator, result_so_far};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::failure::Failure;
use crate::run::{Ended, Run};
use crate::study::tables;
use crate::watch::{Watch, guarded, watched};
use fedcdi_data::read::TableOptions;

/// Makes the kits of a study; returns their folders.
#[pyfunction]
pub(crate) fn provision(
    py: Python<'_>,
    study: PathBuf,
    out: PathBuf,
) -> Result<Vec<PathBuf>, Failure> {
    guarded(py, || {
        Ok::<_, Failure>(StudyFile::read(&study)?.provision(&out)?)
    })
}

/// One site of a study.
#[pyclass(module = "fedcdi._native", frozen)]
pub(crate) struct Site {
    name: String,
    party: Mutex<Party>,
    watch: Arc<Watch>,
    threads: usize,
}

#[pymethods]
impl Site {
    /// The site that a `site.toml` describes.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf, threads: usize) -> Result<Self, Failure> {
        let watch = Arc::new(Watch::default());
        let (name, party) = watched(py, threads, None, &watch, || {
            let file = SiteFile::read(&path)?;
            let party = file.open(Some(watch.site(1)))?;
            Ok((file.name, party))
        })?;
        Ok(Self::new(name, party, watch, threads))
    }

    /// A site with its table in memory.
    #[staticmethod]
    fn with_table(
        table: Bound<'_, PyAny>,
        kit: PathBuf,
        name: String,
        policy: PathBuf,
        state: PathBuf,
        intervention_column: String,
        threads: usize,
    ) -> Result<Self, Failure> {
        let py = table.py();
        let kit = SiteKit::read(&kit, &name, Some(&policy))?;
        let options = TableOptions {
            intervention_column,
            ..kit.options()
        };
        let read = tables(vec![("data".to_owned(), table)], &options)?;
        let watch = Arc::new(Watch::default());
        let party = watched(py, threads, None, &watch, || {
            Ok(kit.open(&read[0].dataset, &state, Some(watch.site(1)))?)
        })?;
        Ok(Self::new(name, party, watch, threads))
    }

    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Whether it was sent the result.
    #[getter]
    fn finished(&self, py: Python<'_>) -> bool {
        // Another thread may be at work on an answer.
        py.detach(|| self.party().result().is_some())
    }

    /// The answer, and in words for those who look after the site why there is no better one.
    fn answer<'py>(
        &self,
        py: Python<'py>,
        question: &[u8],
    ) -> Result<(Bound<'py, PyBytes>, Option<String>), Failure> {
        let Answered { bytes, declined } = watched(py, self.threads, None, &self.watch, || {
            Ok(self.party().answer(question)?)
        })?;
        let words = declined.map(|why| why.to_string());
        Ok((PyBytes::new(py, &bytes), words))
    }
}

impl Site {
    fn new(name: String, party: Party, watch: Arc<Watch>, threads: usize) -> Self {
        Self {
            name,
            party: Mutex::new(party),
            watch,
            threads,
        }
    }

    fn party(&self) -> std::sync::MutexGuard<'_, Party> {
        self.party.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The coordinator of a study.
#[pyclass(module = "fedcdi._native", frozen)]
pub(crate) struct Coordinator {
    sites: Vec<String>,
    inner: Mutex<fedcdi_protocol::Coordinator>,
}

#[pymethods]
impl Coordinator {
    #[new]
    fn new(py: Python<'_>, kit: PathBuf, state: PathBuf) -> Result<Self, Failure> {
        let inner = guarded(py, || open_coordinator(&kit, &state))?;
        Ok(Self {
            sites: inner.plan().sites.clone(),
            inner: Mutex::new(inner),
        })
    }

    #[getter]
    fn sites(&self) -> Vec<String> {
        self.sites.clone()
    }

    #[getter]
    fn study(&self) -> String {
        self.inner().plan().name.clone()
    }

    #[getter]
    fn number(&self) -> Option<u32> {
        self.inner().number()
    }

    #[getter]
    fn has_quorum(&self) -> bool {
        self.inner().has_quorum()
    }

    /// The hash of the last record of the ledger.
    #[getter]
    fn head(&self) -> String {
        self.inner().head().to_string()
    }

    #[getter]
    fn answered(&self) -> Vec<String> {
        let answered = self.inner().answered();
        answered
            .into_iter()
            .map(|site| self.name_of(site))
            .collect()
    }

    fn questions<'py>(&self, py: Python<'py>) -> Vec<(String, Bound<'py, PyBytes>)> {
        let questions = self.inner().questions();
        let named = questions.iter();
        let named = named.map(|(site, bytes)| (self.name_of(*site), PyBytes::new(py, bytes)));
        named.collect()
    }

    /// What became of an answer: `taken`, `repeated` or `refused`, and why.
    fn receive(
        &self,
        py: Python<'_>,
        site: &str,
        answer: &[u8],
    ) -> Result<(&'static str, Option<String>), Failure> {
        let at = self.sites.iter().position(|known| known == site);
        let at = at.ok_or_else(|| {
            let sites = self.sites.join(", ");
            Failure::input(format!(
                "the plan has no site {site:?}; its sites are {sites}"
            ))
        })?;
        let site = ClientId(at as u32 + 1);
        let receipt = guarded(py, || self.inner().receive(site, answer))?;
        Ok(match receipt {
            Receipt::Taken(_) => ("taken", None),
            Receipt::Repeated => ("repeated", None),
            Receipt::Refused(refusal) => ("refused", Some(refusal.to_string())),
        })
    }

    /// Time is up for the running question.
    fn close(&self, py: Python<'_>) -> Result<(), Failure> {
        guarded(py, || {
            let mut inner = self.inner();
            let Some(number) = inner.number() else {
                return Ok::<_, Failure>(());
            };
            inner.apply(&Input::Close { number })?;
            Ok(())
        })
    }

    /// What the study came to; none while it runs.
    fn result(&self, py: Python<'_>) -> Result<Option<Run>, Failure> {
        let result = guarded(py, || result_so_far(&self.inner()))?;
        Ok(result.map(|(spec, result)| {
            Run::new(Ended {
                spec,
                result,
                comparison: None,
            })
        }))
    }
}

impl Coordinator {
    fn inner(&self) -> std::sync::MutexGuard<'_, fedcdi_protocol::Coordinator> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn name_of(&self, site: ClientId) -> String {
        self.sites[site.0 as usize - 1].clone()
    }
}
