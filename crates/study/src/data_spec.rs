//! Where the data of a run comes from.

use std::path::PathBuf;

use fedcdi_core::{Dag, Dataset, ParamsError, Remedied, Remedy, SchemaError, Seed};
use fedcdi_data::file_error::FileError;
use fedcdi_data::graphs::GraphError;
use fedcdi_data::networks::{Builtin, BuiltinError};
use fedcdi_data::read::TableOptions;
use fedcdi_data::{
    GraphKind, InterventionKind, Network, RealFamily, SamplePlan, SetTo, Study, sample, standardise,
};
use serde::{Deserialize, Serialize};

/// A file, or samples from a random network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DataSpec {
    /// A table or study folder.
    File(PathBuf),
    /// Samples from a random network.
    Generated(GeneratedData),
    /// Samples from a network that comes with fedcdi.
    Network(NetworkData),
}

/// Samples from a network that comes with fedcdi.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkData {
    /// asia, sachs or alarm.
    pub name: String,
    /// Observational rows.
    pub obs: usize,
    /// Interventional rows in all, spread evenly over all variables.
    pub int: usize,
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
    /// Real variables instead of categorical ones.
    // Left out where it is absent: results are stored under a fingerprint of older specs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub real: Option<RealData>,
}

/// How generated real variables behave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RealData {
    /// What kind of function of its parents a variable is.
    pub mechanism: RealFamily,
    /// What interventions draw their targets from.
    #[serde(default)]
    pub set_to: SetTo,
    /// Whether columns are brought to mean 0 and deviation 1.
    #[serde(default)]
    pub standardise: bool,
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
            real: None,
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
    /// There is no such network.
    #[error(transparent)]
    Network(#[from] BuiltinError),
    /// The variables cannot be made.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// The rows cannot be drawn.
    #[error(transparent)]
    Plan(#[from] ParamsError),
}

impl Remedied for DataError {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::File(error) => error.remedy(),
            Self::Graph(error) => error.remedy(),
            Self::Schema(error) => error.remedy(),
            Self::Network(_) | Self::Plan(_) => None,
        }
    }
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
            Self::Network(known) => {
                let network = known.name.parse::<Builtin>()?.load();
                let data = rows(&network, known.obs, known.int, None, seed)?;
                Ok(Study::pooled(data, Some(network.dag().clone())))
            }
        }
    }
}

impl GeneratedData {
    fn draw(&self, seed: Seed) -> Result<(Dataset, Dag), DataError> {
        let dag = self.graph.draw(self.vars, seed.derive("graph", 0))?;
        let of_network = seed.derive("network", 0);
        let network = match &self.real {
            None => Network::random(&dag, self.categories, of_network)?,
            Some(real) => {
                let unset = self.categories == Self::default().categories;
                let need = "left out where real is set";
                ParamsError::require("categories", self.categories, need, unset)?;
                Network::random_real(&dag, real.mechanism, of_network)?
            }
        };
        let data = rows(&network, self.obs, self.int, self.real.as_ref(), seed)?;
        Ok((data, dag))
    }
}

/// Observational rows, and interventional ones spread evenly over all variables.
fn rows(
    network: &Network,
    obs: usize,
    int: usize,
    real: Option<&RealData>,
    seed: Seed,
) -> Result<Dataset, ParamsError> {
    let regimes = SamplePlan::every_variable(network.schema().n_vars());
    let mut plan = SamplePlan::even(obs, int, regimes, InterventionKind::Perfect)?;
    plan.set_to = real.map_or(plan.set_to, |real| real.set_to);
    let data = sample(network, &plan, seed.derive("samples", 0), &|_| ());
    match real {
        Some(real) if real.standardise => Ok(standardise(&data)),
        _ => Ok(data),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_without_real_variables_read_as_they_always_did() {
        let text = toml::to_string(&GeneratedData::default()).unwrap();
        assert!(!text.contains("real"), "{text}");
        let real = "vars = 5\nobs = 10\nint = 5\nreal = { mechanism = \"additive\" }";
        let spec: GeneratedData = toml::from_str(real).unwrap();
        let (data, dag) = spec.draw(Seed::new(1)).unwrap();
        assert_eq!((data.n_samples(), dag.n_vars()), (15, 5));
        assert!(
            data.schema()
                .variables()
                .iter()
                .all(fedcdi_core::Variable::is_real)
        );
        let both = GeneratedData {
            categories: 3,
            ..spec
        };
        assert!(matches!(both.draw(Seed::new(1)), Err(DataError::Plan(_))));
    }

    #[test]
    fn a_known_network_is_drawn_by_name() {
        let data = |name: &str| {
            let (name, obs, int) = (name.to_owned(), 30, 16);
            let spec = DataSpec::Network(NetworkData { name, obs, int });
            spec.load(&TableOptions::default(), Seed::new(1))
        };
        let asia = data("asia").unwrap();
        assert_eq!(asia.pool().n_samples(), 46);
        assert_eq!(asia.truth().unwrap().n_edges(), 8);
        let refused = data("asien").unwrap_err().to_string();
        assert!(refused.contains("asia, sachs or alarm"), "{refused}");
    }
}
