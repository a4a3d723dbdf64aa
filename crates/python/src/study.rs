//! The tables of one or several sites, and what can be asked of them without learning.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fedcdi_core::graph::{GraphScores, ProbabilityScores};
use fedcdi_core::{Dag, Digraph, Regime, Seed, VarId};
use fedcdi_data::NamedGraph;
use fedcdi_data::read::{Table, TableOptions};
use fedcdi_data::study::TableFormat;
use fedcdi_data::write::Overwrite;
use fedcdi_study::{DataSpec, Inspected, Reading, Spec, dropped, of_json, second_look};
use ndarray::Array2;
use pyo3::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::failure::{Arguments, Failure};
use crate::table::Batches;
use crate::watch::guarded;

/// The tables of one or several sites.
#[pyclass(module = "fedcdi._native", frozen)]
pub(crate) struct Study(pub(crate) Arc<fedcdi_data::Study>);

/// A column as Python has it.
#[derive(IntoPyObject)]
pub(crate) enum Values {
    Numbers(Vec<f64>),
    Labels(Vec<String>),
}

type Named = Vec<(String, Values)>;

/// Where a name that is unknown can be looked up.
pub(crate) const SEE: &str =
    "help(fedcdi.simulate) explains all arguments, fedcdi.methods() lists all settings";

/// What the package says as JSON.
pub(crate) fn settings<T: DeserializeOwned>(json: &str) -> Result<T, Failure> {
    let value = serde_json::from_str(json).map_err(|error| Failure::input(error.to_string()))?;
    of_json(value, SEE).map_err(argument)
}

/// What is not understood, as an argument: where it is in a spec is nobody's business.
pub(crate) fn argument(error: String) -> Failure {
    const PLACES: [&str; 3] = ["coordinator.", "generated.", "network."];
    let found = PLACES.iter().find_map(|place| error.strip_prefix(place));
    Failure::Input(found.map_or_else(|| error.clone(), str::to_owned))
}

fn reading(json: &str) -> Result<TableOptions, Failure> {
    let reading: Reading = settings(json)?;
    Ok(reading.options()?)
}

pub(crate) fn overwrite(yes: bool) -> Overwrite {
    if yes { Overwrite::Yes } else { Overwrite::No }
}

/// Reads tables as the sites of one study.
pub(crate) fn tables(
    tables: Vec<(String, Bound<'_, PyAny>)>,
    options: &TableOptions,
) -> Result<Vec<Table>, Failure> {
    let mut read = Vec::with_capacity(tables.len());
    for (name, source) in tables {
        let batches = Batches::of(&source)?;
        read.push(
            source
                .py()
                .detach(|| batches.read(Path::new(&name), options))?,
        );
    }
    Ok(read)
}

#[pymethods]
impl Study {
    /// A table or study folder on disk.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf, reading_json: &str) -> Result<Self, Failure> {
        let options = reading(reading_json)?;
        let study = guarded(py, || fedcdi_data::Study::read(&path, &options))?;
        Ok(Self(Arc::new(study)))
    }

    /// Tables in memory, by name of their site.
    #[staticmethod]
    fn of(named: Vec<(String, Bound<'_, PyAny>)>, reading_json: &str) -> Result<Self, Failure> {
        let names: Vec<String> = named.iter().map(|(name, _)| name.clone()).collect();
        let read = tables(named, &reading(reading_json)?)?;
        let paths = names.iter().map(Path::new);
        let tables: Vec<(&Path, Table)> = paths.zip(read).collect();
        let study = fedcdi_data::Study::of_tables(names.clone(), &tables)?;
        Ok(Self(Arc::new(study)))
    }

    /// Rows drawn from a network, as `data` in a spec.
    #[staticmethod]
    fn draw(py: Python<'_>, data_json: &str, seed: u64) -> Result<Self, Failure> {
        let data: DataSpec = settings(data_json)?;
        let options = TableOptions::default();
        let study = guarded(py, || data.load(&options, Seed::new(seed)))?;
        Ok(Self(Arc::new(study)))
    }

    /// The rows divided over sites, as a run with these settings would.
    fn divided(&self, py: Python<'_>, spec_json: &str) -> Result<Self, Failure> {
        let spec: Spec = settings(spec_json)?;
        let study = guarded(py, || {
            let study = spec.sites_of(&self.0);
            study.map_err(fedcdi_study::RunError::from)
        })?;
        Ok(Self(Arc::new(study)))
    }

    fn sites(&self) -> Vec<String> {
        self.0.clients().iter().map(|c| c.name.clone()).collect()
    }

    fn variables(&self) -> Vec<String> {
        self.0.schema().names()
    }

    /// Edges of the true graph, where it is known.
    fn truth(&self) -> Option<Vec<(String, String)>> {
        let schema = self.0.schema();
        let name = |var: VarId| schema.name(var).to_owned();
        let edges = self.0.truth()?.edges();
        Some(
            edges
                .map(|(cause, effect)| (name(cause), name(effect)))
                .collect(),
        )
    }

    /// The table of a site: its columns, and the names of what was intervened on per row.
    fn columns(&self, site: &str) -> Result<(Named, Vec<String>), Failure> {
        let found = self.0.clients().iter().find(|c| c.name == site);
        let data = &found
            .ok_or_else(|| {
                let sites = self.sites().join(", ");
                Failure::input(format!("there is no site {site:?}; the sites are {sites}"))
            })?
            .data;
        let schema = data.schema();
        let column = |var: VarId| {
            let labels = schema.variable(var).categories();
            let values = if let Some(numbers) = data.column(var).reals() {
                Values::Numbers(numbers.to_vec())
            } else {
                let codes = data.column(var).codes();
                Values::Labels(codes.map(|code| labels[code as usize].clone()).collect())
            };
            (schema.name(var).to_owned(), values)
        };
        let named = |regime: &Regime| {
            let names = regime.targets().iter().map(|var| schema.name(*var));
            names.collect::<Vec<_>>().join(";")
        };
        let regimes: Vec<String> = data.regimes().iter().map(named).collect();
        let of_rows = data
            .regime_of()
            .iter()
            .map(|at| regimes[*at as usize].clone());
        Ok((schema.ids().map(column).collect(), of_rows.collect()))
    }

    /// What the tables hold, as JSON.
    fn inspect(&self, py: Python<'_>) -> Result<String, Failure> {
        let found = guarded(py, || Ok::<_, Failure>(Inspected::of(&self.0)))?;
        Ok(serde_json::to_string(&found).expect("an inspection has nothing that JSON lacks"))
    }

    /// What deserves a second look.
    fn warnings(&self, py: Python<'_>) -> Result<Vec<String>, Failure> {
        let study = &self.0;
        guarded(py, || {
            let warnings = dropped(study).into_iter();
            Ok::<_, Failure>(warnings.chain(second_look(study, &Arguments)).collect())
        })
    }

    fn write(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        parquet: bool,
        replace: bool,
    ) -> Result<(), Failure> {
        let format = if parquet {
            TableFormat::Parquet
        } else {
            TableFormat::Csv
        };
        guarded(py, || self.0.write(&folder, format, overwrite(replace)))
    }
}

/// Edges by name as a graph over these variables.
fn graph(names: &[String], edges: &[(String, String)]) -> Result<Digraph, Failure> {
    let find = |name: &String| {
        let at = names.iter().position(|known| known == name);
        at.map(VarId).ok_or_else(|| {
            Failure::input(format!(
                "an edge names {name:?}, which is no variable; the variables are {}",
                names.join(", ")
            ))
        })
    };
    let mut graph = Digraph::empty(names.len());
    for (cause, effect) in edges {
        if cause == effect {
            return Err(Failure::input(format!(
                "an edge leads from {cause:?} to itself; remove it, no variable is its own cause"
            )));
        }
        graph.add_edge(find(cause)?, find(effect)?);
    }
    Ok(graph)
}

/// Scores of a found graph against the true one, as JSON.
#[pyfunction]
#[pyo3(signature = (names, truth, found, probabilities=None))]
pub(crate) fn evaluate(
    py: Python<'_>,
    names: Vec<String>,
    truth: Vec<(String, String)>,
    found: Vec<(String, String)>,
    probabilities: Option<Vec<Vec<f64>>>,
) -> Result<String, Failure> {
    let truth = NamedGraph::new(names.clone(), graph(&names, &truth)?)
        .map_err(|error| Failure::input(error.to_string()))?;
    let dag = Dag::try_from(truth.graph.clone()).map_err(|error| {
        let cycle = error.describe(&names);
        Failure::input(format!(
            "the true graph has a cycle: {cycle}; a causal truth has none"
        ))
    })?;
    let found = NamedGraph {
        graph: graph(&names, &found)?,
        open: BTreeSet::new(),
        ..truth
    };
    let n = names.len();
    let matrix = probabilities.map(|rows| {
        let flat: Vec<f64> = rows.into_iter().flatten().collect();
        Array2::from_shape_vec((n, n), flat).map_err(|_| {
            Failure::input("probabilities must be one row and one column per variable")
        })
    });
    let matrix = matrix.transpose()?;
    let scores = guarded(py, || {
        let graph = GraphScores::of(&dag, &found.graph);
        let of_matrix = matrix.map(|matrix| ProbabilityScores::of(&dag, &matrix));
        Ok::<_, Failure>((graph, of_matrix))
    })?;
    Ok(json!([scores.0, scores.1]).to_string())
}
