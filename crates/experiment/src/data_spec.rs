//! Where the data of a run comes from.

use std::path::PathBuf;

use fedcdi_core::{Dag, Dataset, ParamsError, SchemaError, Seed};
use fedcdi_data::file_error::FileError;
use fedcdi_data::graphs::GraphError;
use fedcdi_data::read::TableOptions;
use fedcdi_data::{GraphKind, InterventionKind, Network, SamplePlan, Study, sample};
use serde::{Deserialize, Serialize};

/// A file, or samples from a random network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DataSpec {
    /// A table or study folder.
    File(PathBuf),
    /// Samples from a random network.
    Generated(GeneratedData),
}

/// Samples from a random network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GeneratedData {
    /// Number of variables.
    pub vars: usize,
    /// Categories of every variable.
    pub categories: usize,
    /// Observational rows.
    pub obs: usize,
    /// Interventional rows in all, spread evenly over all variables.
    pub int: usize,
    /// Family of the graph.
    pub graph: GraphKind,
}

impl Default for GeneratedData {
    /// The paper's usual study: ER-2, 20 variables of 10 categories, 10000 and 2000 rows.
    fn default() -> Self {
        Self {
            vars: 20,
            categories: 10,
            obs: 10_000,
            int: 2_000,
            graph: GraphKind::Er { degree: 2.0 },
        }
    }
}

impl Default for DataSpec {
    fn default() -> Self {
        Self::Generated(GeneratedData::default())
    }
}

/// Why there is no data.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The graph cannot be drawn.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The variables cannot be made.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// The rows cannot be drawn.
    #[error(transparent)]
    Plan(#[from] ParamsError),
}

impl DataSpec {
    /// Reads or draws the data.
    ///
    /// # Errors
    /// [`DataError`] naming what is wrong with the file or the numbers.
    pub fn load(&self, options: &TableOptions, seed: Seed) -> Result<Study, DataError> {
        match self {
            Self::File(path) => Ok(Study::read(path, options)?),
            Self::Generated(generated) => {
                let (data, dag) = generated.draw(seed)?;
                Ok(Study::pooled(data, Some(dag)))
            }
        }
    }
}

impl GeneratedData {
    fn draw(&self, seed: Seed) -> Result<(Dataset, Dag), DataError> {
        let dag = self.graph.draw(self.vars, seed.derive("graph", 0))?;
        let network = Network::random(&dag, self.categories, seed.derive("network", 0))?;
        let regimes = SamplePlan::every_variable(self.vars);
        let plan = SamplePlan::even(self.obs, self.int, regimes, InterventionKind::Perfect)?;
        let data = sample(&network, &plan, seed.derive("samples", 0), &|_| ());
        Ok((data, dag))
    }
}
