//! What a run came to.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fedcdi_study::report::figure;
use fedcdi_study::run_folder::{RUN_FOLDER, RunFiles, run_files, write_files};
use fedcdi_study::{Comparison, RunResult, Spec, write_run};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::study::overwrite;
use crate::watch::guarded;

/// A run, as it ended or as it was pickled.
#[pyclass(module = "fedcdi._native", frozen)]
pub(crate) struct Run(Kept);

enum Kept {
    Live(Arc<Ended>),
    /// Files with whole paths, and the drawing.
    Files(RunFiles, String),
}

pub(crate) struct Ended {
    pub(crate) spec: Spec,
    pub(crate) result: RunResult,
    pub(crate) comparison: Option<Comparison>,
}

impl Run {
    pub(crate) fn new(ended: Ended) -> Self {
        Self(Kept::Live(Arc::new(ended)))
    }
}

#[pymethods]
impl Run {
    /// A run that was pickled.
    #[staticmethod]
    fn restored(files: RunFiles, drawing: String) -> Result<Self, Failure> {
        match files.keys().find(|name| !(RUN_FOLDER.may_hold)(name)) {
            Some(name) => Err(Failure::input(format!("{name:?} is no file of a run"))),
            None => Ok(Self(Kept::Files(files, drawing))),
        }
    }

    /// Everything that Python shows of it, as JSON; none of one that was pickled.
    fn summary(&self) -> Option<String> {
        let Kept::Live(ended) = &self.0 else {
            return None;
        };
        Some(ended.summary().to_string())
    }

    /// The files of its folder, by name.
    fn files(&self, py: Python<'_>) -> Result<RunFiles, Failure> {
        match &self.0 {
            Kept::Live(ended) => guarded(py, || Ok::<_, Failure>(ended.files())),
            Kept::Files(files, _) => Ok(files.clone()),
        }
    }

    /// The graph as HTML for a notebook.
    fn drawing(&self, py: Python<'_>) -> Result<String, Failure> {
        match &self.0 {
            Kept::Live(ended) => guarded(py, || Ok::<_, Failure>(figure(&ended.result))),
            Kept::Files(_, drawing) => Ok(drawing.clone()),
        }
    }

    fn save(&self, py: Python<'_>, folder: PathBuf, replace: bool) -> Result<(), Failure> {
        let replace = overwrite(replace);
        guarded(py, || match &self.0 {
            Kept::Live(ended) => {
                let compare = ended.comparison.as_ref();
                write_run(&folder, &ended.spec, &ended.result, compare, replace)
            }
            Kept::Files(files, _) => write_files(&folder, files, replace),
        })
    }
}

impl Ended {
    fn files(&self) -> RunFiles {
        // As if they were written to the current folder: a page does not say where it lies.
        let spec = self.spec.within(Path::new("."));
        run_files(&spec, &self.result, self.comparison.as_ref())
    }

    fn summary(&self) -> Value {
        let run = &self.result;
        let confounded = run.belief().map(|found| {
            let named = found.confounded.iter();
            let named = named.map(|(a, b, s)| (run.schema.name(*a), run.schema.name(*b), *s));
            named.collect::<Vec<_>>()
        });
        json!({
            "method": run.method,
            "variables": run.schema.names(),
            "edges": run.edges(),
            "next": run.next_experiment(),
            "probabilities": run.probabilities().map(|p| {
                p.rows().into_iter().map(|row| row.to_vec()).collect::<Vec<_>>()
            }),
            "rounds": run.rounds(),
            "stop": run.stop,
            "oriented": run.is_oriented(),
            "warnings": run.warnings,
            "scores": run.scores,
            "sites": run.sites.iter().map(|site| json!({"name": site.name, "shd": site.shd})).collect::<Vec<_>>(),
            "confounded": confounded,
            "targets": run.estimated_targets(),
            "truth": run.truth.as_ref().map(|truth| {
                truth.edges().map(|(c, e)| [run.schema.name(c), run.schema.name(e)]).collect::<Vec<_>>()
            }),
            "compare": self.comparison.as_ref().map(|with| json!({
                "centralised": brief(&with.centralised),
                "isolated": with.isolated.iter().map(brief).collect::<Vec<_>>(),
            })),
        })
    }
}

fn brief(run: &RunResult) -> Value {
    json!({"edges": run.edges(), "scores": run.scores})
}
