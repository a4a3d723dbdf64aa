//! Networks that come with fedcdi, by name: Asia, Sachs and ALARM. Structure and probability tables, in files of our own format.
//!
//! Each file names its authors. Variables stand in alphabetical order, which says nothing about
//! the causal one.

use std::str::FromStr;
use std::sync::Arc;

use fedcdi_core::{Schema, Variable};
use serde::Deserialize;

use super::mechanism::{Cpt, Mechanism};
use super::network::Network;

/// A network that comes with fedcdi.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    /// Chest clinic (Lauritzen and Spiegelhalter 1988): 8 variables, 8 edges.
    Asia,
    /// Protein signalling (Sachs et al. 2005): 11 variables, 17 edges.
    Sachs,
    /// Intensive care monitoring (Beinlich et al. 1989): 37 variables, 46 edges.
    Alarm,
}

/// There is no such network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no built-in network {0:?}; choose asia, sachs or alarm, or read a .bif file")]
pub struct BuiltinError(pub String);

impl FromStr for Builtin {
    type Err = BuiltinError;

    fn from_str(name: &str) -> Result<Self, BuiltinError> {
        let found = Self::ALL.into_iter().find(|n| n.name() == name);
        found.ok_or_else(|| BuiltinError(name.to_owned()))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NetworkFile {
    variable: Vec<VariableEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VariableEntry {
    name: String,
    categories: Vec<String>,
    parents: Vec<String>,
    /// One row per combination of parent values, the first parent varying slowest.
    table: Vec<Vec<f64>>,
}

impl Builtin {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Asia, Self::Sachs, Self::Alarm];

    /// The name by which users ask for it.
    pub fn name(self) -> &'static str {
        self.name_and_file().0
    }

    fn name_and_file(self) -> (&'static str, &'static str) {
        match self {
            Self::Asia => ("asia", include_str!("../../networks/asia.toml")),
            Self::Sachs => ("sachs", include_str!("../../networks/sachs.toml")),
            Self::Alarm => ("alarm", include_str!("../../networks/alarm.toml")),
        }
    }

    /// The network.
    pub fn load(self) -> Network {
        let file = toml::from_str(self.name_and_file().1);
        let file: NetworkFile = file.expect("built-in files are well formed");
        let entry = |v: &VariableEntry| Variable::new(v.name.clone(), v.categories.clone());
        let schema = Schema::new(file.variable.iter().map(entry).collect());
        let schema = Arc::new(schema.expect("built-in names are distinct"));
        let entries = file.variable.into_iter();
        let mechanisms = entries.map(|v| table(&schema, v)).collect();
        Network::new(schema, mechanisms).expect("built-in networks are acyclic")
    }
}

fn table(schema: &Schema, entry: VariableEntry) -> Mechanism {
    let parents = entry.parents.iter().map(|name| {
        let id = schema.find(name).expect("built-in parents are variables");
        (id, schema.variable(id).n_categories())
    });
    let n_categories = entry.categories.len();
    let table = Cpt::new(parents.collect(), n_categories, entry.table.concat());
    Mechanism::Table(table.expect("built-in rows sum to 1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_the_published_ones() {
        let sizes = Builtin::ALL.map(|n| {
            let network = n.load();
            (network.schema().n_vars(), network.dag().n_edges())
        });
        assert_eq!(sizes, [(8, 8), (11, 17), (37, 46)]);
    }

    #[test]
    fn names_are_found_and_others_refused() {
        assert_eq!("sachs".parse(), Ok(Builtin::Sachs));
        let error = "cancer".parse::<Builtin>().unwrap_err();
        assert!(error.to_string().contains("asia, sachs or alarm"));
    }
}
