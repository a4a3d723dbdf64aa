//! Every method that `discover` can run: what it needs, and where it comes from.

use fedcdi_core::{Dataset, Regime, VarId};
use fedcdi_learn::LearnError;
use serde::Serialize;

/// A method by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MethodInfo {
    /// As on the command line.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// What the data must have.
    pub needs: &'static str,
    /// Kinds of variables it takes; `mixed` means both in one table.
    pub kinds: &'static [&'static str],
    /// Whether clients can run it without pooling their rows.
    pub federated: bool,
    /// Paper.
    pub reference: &'static str,
}

const CATEGORICAL: &str = "categorical";
const REAL: &str = "real";
const MIXED: &str = "mixed";

/// All methods.
pub const METHODS: [MethodInfo; 8] = [
    MethodInfo {
        name: "enco",
        summary: "neural networks compared on interventional rows; a probability per edge",
        needs: "observational rows; interventional rows for directions",
        kinds: &[CATEGORICAL, REAL, MIXED],
        federated: true,
        reference: "Lippe, Cohen, Gavves 2022",
    },
    MethodInfo {
        name: "sdi",
        summary: "parent sets weighed by their likelihood on interventional rows; a probability per edge",
        needs: "observational and interventional rows",
        kinds: &[CATEGORICAL],
        federated: true,
        reference: "Ke et al. 2019",
    },
    MethodInfo {
        name: "dcdi",
        summary: "networks and edges by gradient descent, acyclic by constraint; a probability per edge",
        needs: "rows that leave each variable alone; interventional rows for directions",
        kinds: &[CATEGORICAL, REAL],
        federated: true,
        reference: "Brouillard et al. 2020",
    },
    MethodInfo {
        name: "gies",
        summary: "greedy search over equivalence classes by a score",
        needs: "rows that leave each variable alone",
        kinds: &[CATEGORICAL, REAL],
        federated: false,
        reference: "Hauser, Bühlmann 2012",
    },
    MethodInfo {
        name: "igsp",
        summary: "sparsest permutation by tests, known targets",
        needs: "observational rows; interventions on one variable at a time",
        kinds: &[CATEGORICAL, REAL],
        federated: false,
        reference: "Wang, Solus, Yang, Uhler 2017",
    },
    MethodInfo {
        name: "ut-igsp",
        summary: "sparsest permutation by tests, targets are estimated",
        needs: "observational rows",
        kinds: &[CATEGORICAL, REAL],
        federated: false,
        reference: "Squires, Wang, Uhler 2020",
    },
    MethodInfo {
        name: "notears",
        summary: "linear regressions under a penalty of cycles; ours also uses interventional rows",
        needs: "rows that leave each variable alone",
        kinds: &[CATEGORICAL, REAL, MIXED],
        federated: true,
        reference: "Zheng et al. 2018; Ng, Zhang 2022",
    },
    MethodInfo {
        name: "feddag",
        summary: "networks under a mask that clients share; ours also uses interventional rows",
        needs: "rows that leave each variable alone",
        kinds: &[CATEGORICAL, REAL],
        federated: true,
        reference: "Gao et al. 2023",
    },
];

/// Names of the methods whose needs this data meets.
pub fn able(data: &Dataset) -> Vec<&'static str> {
    let regimes = data.regimes();
    let observed = regimes.iter().any(Regime::is_observational);
    let single = regimes.iter().all(|r| r.targets().len() <= 1);
    let free = |v| regimes.iter().any(|r| !r.intervenes_on(VarId(v)));
    let can = |name: &str| match name {
        "gies" | "dcdi" | "notears" | "feddag" => (0..data.n_vars()).all(free),
        "sdi" => observed && regimes.len() > 1,
        "igsp" => observed && single,
        _ => observed,
    };
    let kind = kind(data);
    let methods = METHODS.iter().filter(|m| m.kinds.contains(&kind));
    let names = methods.map(|method| method.name);
    names.filter(|name| can(name)).collect()
}

/// What the variables of this data are.
fn kind(data: &Dataset) -> &'static str {
    let variables = data.schema().variables().iter();
    let n_real = variables.filter(|variable| variable.is_real()).count();
    match n_real {
        0 => CATEGORICAL,
        n if n == data.n_vars() => REAL,
        _ => MIXED,
    }
}

/// Data that a method cannot use, and those that can.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{method} cannot use this data: {error}{}", others(able))]
pub struct Unfit {
    /// The method.
    pub method: String,
    /// Why.
    pub error: LearnError,
    /// Methods that could.
    pub able: Vec<&'static str>,
}

impl Unfit {
    /// No other method is named where the data would do for none.
    pub(crate) fn new(method: &str, error: LearnError, data: &Dataset) -> Self {
        let too_small = matches!(
            error,
            LearnError::OneVariable(_)
                | LearnError::OneCategory { .. }
                | LearnError::Constant { .. }
        );
        let mut able = able(data);
        able.retain(|name| *name != method && !too_small);
        Self {
            method: method.to_owned(),
            error,
            able,
        }
    }
}

fn others(able: &[&str]) -> String {
    match able {
        [] => String::new(),
        names => format!("; methods that can: {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedcdi_core::{Column, DatasetBuilder, Schema, Variable};
    use std::sync::Arc;

    fn data(targets: &[&[usize]]) -> Dataset {
        let variables = ["a", "b"].map(|name| Variable::with_codes(name, 2));
        let schema = Arc::new(Schema::new(variables.to_vec()).unwrap());
        let mut builder = DatasetBuilder::with_capacity(schema, 2);
        for set in targets {
            let regime = Regime::intervened(set.iter().copied().map(VarId));
            builder.push(&[0, 1], &regime).unwrap();
        }
        builder.finish().unwrap()
    }

    #[test]
    fn data_decides_which_methods_are_able() {
        assert_eq!(
            able(&data(&[&[], &[0]])),
            [
                "enco", "sdi", "dcdi", "gies", "igsp", "ut-igsp", "notears", "feddag"
            ]
        );
        assert_eq!(
            able(&data(&[&[], &[0, 1]])),
            [
                "enco", "sdi", "dcdi", "gies", "ut-igsp", "notears", "feddag"
            ]
        );
        assert_eq!(
            able(&data(&[&[]])),
            [
                "enco", "dcdi", "gies", "igsp", "ut-igsp", "notears", "feddag"
            ]
        );
        assert_eq!(
            able(&data(&[&[0], &[1]])),
            ["dcdi", "gies", "notears", "feddag"]
        );
        assert!(able(&data(&[&[0, 1]])).is_empty());
    }

    #[test]
    fn few_take_labels_and_reals_together() {
        let variables = vec![Variable::real("a"), Variable::with_codes("b", 2)];
        let schema = Arc::new(Schema::new(variables).unwrap());
        let columns = vec![Column::Real(vec![0.5]), Column::U8(vec![1])];
        let data = Dataset::new(schema, columns, vec![Regime::Observational], vec![0]);
        assert_eq!(able(&data.unwrap()), ["enco", "notears"]);
    }
}
