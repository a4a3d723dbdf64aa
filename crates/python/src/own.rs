//! Rules and methods that are written in Python: classes of `fedcdi.own` wrap what the caller wrote.

use std::sync::Arc;

use fedcdi_core::choice::Kind;
use fedcdi_core::{
    Belief, BeliefError, Dataset, LocalMethod, LocalMethodError, Round, SampleCounts, Seed,
};
use fedcdi_data::Study as Tables;
use fedcdi_learn::registry::{Inputs, Local};
use fedcdi_learn::{About, LearnError, TableKind};
use fedcdi_protocol::rules::{Opinion, Rule};
use fedcdi_study::{Catalogue, Method};
use ndarray::Array2;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rand::Rng as _;

use crate::study::Study;
use crate::watch::Watch;

type Rows = Vec<Vec<f64>>;

/// All methods and rules, and the caller's own: `"rule"` or `"method"`, name, object.
pub(crate) fn catalogue(own: Vec<(String, String, Py<PyAny>)>, watch: &Arc<Watch>) -> Catalogue {
    let mut catalogue = Catalogue::default();
    for (what, name, object) in own {
        let watch = Arc::clone(watch);
        let own = Arc::new(Own { object, watch });
        if what == "rule" {
            let build = move |_: &_| Ok(Box::new(OwnRule(Arc::clone(&own))) as Box<dyn Rule>);
            let kind = Kind::dynamic(name, "a rule of one's own", build);
            catalogue.rules = catalogue.rules.with(kind);
        } else {
            let build = move |_: &_| Ok(Method::Local(Box::new(OwnMethod(Arc::clone(&own)))));
            let kind = Kind::dynamic(name, "a method of one's own", build);
            catalogue.methods = catalogue.methods.with(kind);
        }
    }
    catalogue
}

/// A Python object, and who hears what it raises.
struct Own {
    object: Py<PyAny>,
    watch: Arc<Watch>,
}

impl Own {
    /// What a method of the object returns; what it raises is kept, and ends the run.
    fn call<T>(&self, work: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> Option<T> {
        let result = Python::attach(|py| work(self.object.bind(py)));
        result.map_err(|error| self.watch.keep(error)).ok()
    }
}

fn rows(matrix: &Array2<f64>) -> Rows {
    matrix.rows().into_iter().map(|row| row.to_vec()).collect()
}

/// A matrix of edge probabilities as a belief.
fn belief(psi: &[Vec<f64>]) -> Result<Belief, BeliefError> {
    let n = psi.len();
    let flat: Vec<f64> = psi.iter().flatten().copied().collect();
    let matrix = Array2::from_shape_vec((n, flat.len() / n.max(1)), flat);
    Belief::from_psi(&matrix.unwrap_or_else(|_| Array2::zeros((n, 0))))
}

struct OwnRule(Arc<Own>);

impl OwnRule {
    fn opinion<'py>(py: Python<'py>, opinion: &Opinion<'_>) -> PyResult<Bound<'py, PyDict>> {
        let SampleCounts {
            n_samples,
            n_observational,
            n_interventional,
            ..
        } = opinion.counts;
        let told = PyDict::new(py);
        for (name, belief) in [("", opinion.posterior), ("prior_", opinion.prior)] {
            told.set_item(format!("{name}psi"), rows(&belief.psi()))?;
            told.set_item(format!("{name}existence"), rows(belief.existence()))?;
            told.set_item(format!("{name}orientation"), rows(belief.orientation()))?;
        }
        told.set_item("rows", n_samples)?;
        told.set_item("observational", n_observational)?;
        told.set_item("interventional", n_interventional.clone())?;
        Ok(told)
    }
}

impl Rule for OwnRule {
    fn n_terms(&self, n_vars: usize) -> usize {
        let n = self
            .0
            .call(|own| own.call_method1("n_terms", (n_vars,))?.extract());
        n.unwrap_or(1)
    }

    fn terms(&self, opinion: &Opinion<'_>) -> Vec<f64> {
        let n_vars = opinion.prior.n_vars();
        let terms = self.0.call(|own| {
            let told = Self::opinion(own.py(), opinion)?;
            own.call_method1("terms", (told,))?.extract()
        });
        // After an exception the run ends; until then there must be as many terms as planned.
        terms.unwrap_or_else(|| vec![0.0; self.n_terms(n_vars)])
    }

    fn finish(&self, n_vars: usize, terms: &[Vec<f64>]) -> Result<Belief, BeliefError> {
        let psi: Option<Rows> = self.0.call(|own| {
            let lists = terms.to_vec();
            own.call_method1("finish", (n_vars, lists))?.extract()
        });
        psi.map_or_else(|| Ok(Belief::uninformed(n_vars)), |psi| belief(&psi))
    }

    fn is_additive(&self) -> bool {
        let additive = self.0.call(|own| own.getattr("additive")?.extract());
        additive.unwrap_or(true)
    }

    fn is_sound(&self, n_vars: usize, terms: &[f64]) -> bool {
        terms.len() == self.n_terms(n_vars) && terms.iter().all(|term| term.is_finite())
    }
}

struct OwnMethod(Arc<Own>);

impl Local for OwnMethod {
    fn at(&self, inputs: Inputs<'_>) -> Result<Box<dyn LocalMethod>, LearnError> {
        let study = Tables::pooled(inputs.data.clone(), None);
        let seed = inputs.seed;
        let site = self.0.call(|own| {
            let study = Study(Arc::new(study));
            let at = own.call_method1("at", (study, number(seed)))?;
            Ok(at.unbind())
        });
        let own = Own {
            object: site.ok_or(LearnError::Cancelled)?,
            watch: Arc::clone(&self.0.watch),
        };
        Ok(Box::new(OwnSite(own)))
    }

    fn about(&self) -> About {
        About {
            title: "A method of one's own",
            does: "what its author wrote",
            needs: "what its author says",
            kinds: &[TableKind::Categorical, TableKind::Real, TableKind::Mixed],
            reference: "",
        }
    }

    fn accepts(&self, _: &Dataset) -> bool {
        true
    }
}

/// A number for a random stream of Python's.
fn number(seed: Seed) -> u64 {
    seed.derive("python", 0).rng().next_u64() >> 1
}

struct OwnSite(Own);

impl LocalMethod for OwnSite {
    fn update(&mut self, round: Round, prior: &Belief) -> Result<Belief, LocalMethodError> {
        let psi: Option<Rows> = self.0.call(|own| {
            let posterior = own.call_method1("update", (rows(&prior.psi()), round.0))?;
            posterior.extract()
        });
        let psi = psi.ok_or_else(|| LocalMethodError::new("the method raised an exception"))?;
        belief(&psi).map_err(LocalMethodError::new)
    }
}
