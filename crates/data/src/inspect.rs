//! What a table holds, and what in it deserves a second look before learning from it.

mod warning;

use std::collections::BTreeMap;

use fedcdi_core::{Dataset, VarId};
use serde::Serialize;

use warning::alike;
pub use warning::{Warning, by_client, looks, shown};

/// Interventional groups smaller than this are pointed out: the laws under an intervention on a
/// ten-category variable cannot be seen in fewer rows than categories.
const TINY_GROUP: usize = 10;

/// More categories than this look like an identifier or a measurement that was never binned.
const MANY_CATEGORIES: usize = 50;

/// Contents of one table.
#[derive(Clone, Debug, Serialize)]
pub struct Inspection {
    /// All samples.
    pub n_samples: usize,
    /// Samples under no intervention.
    pub n_observational: usize,
    /// Per variable, in schema order.
    pub variables: Vec<VariableSummary>,
    /// Interventional regimes, in order of their targets.
    pub interventions: Vec<RegimeSummary>,
    /// What deserves a second look.
    pub warnings: Vec<Warning>,
}

/// One variable of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VariableSummary {
    /// Column name.
    pub name: String,
    /// Labels, in code order; none of a real variable.
    pub categories: Vec<String>,
    /// Samples of each category.
    pub counts: Vec<usize>,
    /// Where the numbers of a real variable lie.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub real: Option<RealSummary>,
    /// Samples taken while it was intervened on.
    pub n_intervened: usize,
}

/// Where the numbers of a real variable lie, over all samples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RealSummary {
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation, divided by the number of samples.
    pub deviation: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

impl RealSummary {
    fn of(values: &[f64]) -> Self {
        let n = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / n;
        let square = |value: &f64| (value - mean) * (value - mean);
        Self {
            mean,
            deviation: (values.iter().map(square).sum::<f64>() / n).sqrt(),
            min: values.iter().copied().fold(f64::INFINITY, f64::min),
            max: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

/// One interventional regime of a table.
#[derive(Clone, Debug, Serialize)]
pub struct RegimeSummary {
    /// Names of the intervened variables.
    pub targets: Vec<String>,
    /// Samples under this intervention.
    pub n_samples: usize,
}

impl Inspection {
    /// Looks at a table.
    pub fn of(dataset: &Dataset) -> Self {
        let schema = dataset.schema();
        let intervened = dataset.interventional_counts();
        let variable = |var: VarId| VariableSummary::of(dataset, var, intervened[var.index()]);
        let variables: Vec<VariableSummary> = schema.ids().map(variable).collect();
        let groups = dataset.samples_by_regime();
        let name = |target: &VarId| schema.name(*target).to_owned();
        let interventions = dataset.regimes().iter().zip(&groups);
        let interventions = interventions.filter(|(regime, _)| !regime.is_observational());
        let interventions = interventions.map(|(regime, samples)| RegimeSummary {
            targets: regime.targets().iter().map(name).collect(),
            n_samples: samples.len(),
        });
        let interventions: Vec<RegimeSummary> = interventions.collect();
        let n_interventional: usize = interventions.iter().map(|group| group.n_samples).sum();
        let n_observational = dataset.n_samples() - n_interventional;
        let mut warnings = coverage_warnings(n_observational, &variables, &interventions);
        warnings.extend(variables.iter().flat_map(variable_warnings));
        warnings.extend(fixed_targets(dataset, &groups));
        let tiny = interventions.iter().filter(|g| g.n_samples < TINY_GROUP);
        warnings.extend(tiny.cloned().map(|group| Warning::TinyGroup {
            targets: group.targets,
            n_samples: group.n_samples,
        }));
        Self {
            n_samples: dataset.n_samples(),
            n_observational,
            variables,
            interventions,
            warnings,
        }
    }
}

impl VariableSummary {
    fn of(dataset: &Dataset, var: VarId, n_intervened: usize) -> Self {
        let variable = dataset.schema().variable(var);
        let column = dataset.column(var);
        Self {
            name: variable.name.clone(),
            categories: variable.categories().to_vec(),
            counts: match column.reals() {
                Some(_) => Vec::new(),
                None => column.counts(variable.n_categories()),
            },
            real: column.reals().map(RealSummary::of),
            n_intervened,
        }
    }
}

fn coverage_warnings(
    n_observational: usize,
    variables: &[VariableSummary],
    interventions: &[RegimeSummary],
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if let [only] = variables {
        warnings.push(Warning::OneVariable {
            variable: only.name.clone(),
        });
    }
    if n_observational == 0 {
        warnings.push(Warning::NoObservational);
    }
    if interventions.is_empty() {
        warnings.push(Warning::NoInterventional);
        return warnings;
    }
    let never = variables.iter().filter(|v| v.n_intervened == 0);
    let never: Vec<String> = never.map(|v| v.name.clone()).collect();
    if !never.is_empty() {
        warnings.push(Warning::NeverIntervened { variables: never });
    }
    warnings
}

fn variable_warnings(variable: &VariableSummary) -> Vec<Warning> {
    let name = || variable.name.clone();
    if let Some(real) = variable.real {
        let constant = (real.min == real.max).then(|| Warning::Constant {
            variable: name(),
            value: real.min.to_string(),
        });
        return constant.into_iter().collect();
    }
    let label = |code: usize| variable.categories[code].clone();
    let (seen, unseen): (Vec<usize>, Vec<usize>) =
        (0..variable.counts.len()).partition(|code| variable.counts[*code] > 0);
    let labels = alike(&variable.categories);
    let constant = (seen.len() == 1).then(|| Warning::Constant {
        variable: name(),
        value: label(seen[0]),
    });
    let unseen = (!unseen.is_empty()).then(|| Warning::UnseenCategories {
        variable: name(),
        categories: unseen.into_iter().map(label).collect(),
    });
    let many = (seen.len() > MANY_CATEGORIES).then(|| Warning::ManyCategories {
        variable: name(),
        n_categories: seen.len(),
    });
    let alike = (!labels.is_empty()).then(|| Warning::LabelsAlike {
        variable: name(),
        labels,
    });
    [constant, unseen, many, alike]
        .into_iter()
        .flatten()
        .collect()
}

/// Targets that are set to one value in all rows under interventions on them, alone or with others.
fn fixed_targets(dataset: &Dataset, groups: &[Vec<usize>]) -> Vec<Warning> {
    let schema = dataset.schema();
    let fixed = |(target, samples): (VarId, Vec<usize>)| {
        let variable = schema.variable(target);
        let values = dataset.column(target).select(&samples);
        let value = if let Some(values) = values.reals() {
            same(values).then(|| values[0].to_string())
        } else {
            let codes: Vec<u16> = values.codes().collect();
            let fixed = same(&codes) && variable.n_categories() > 1;
            fixed.then(|| variable.categories()[usize::from(codes[0])].clone())
        };
        Some(Warning::FixedTarget {
            variable: variable.name.clone(),
            value: value?,
            n_samples: samples.len(),
        })
    };
    let mut samples: BTreeMap<VarId, Vec<usize>> = BTreeMap::new();
    for (regime, group) in dataset.regimes().iter().zip(groups) {
        for target in regime.targets() {
            samples.entry(*target).or_default().extend(group);
        }
    }
    samples.into_iter().filter_map(fixed).collect()
}

/// Whether there are several, all the same.
fn same<T: PartialEq>(values: &[T]) -> bool {
    values.len() > 1 && values.iter().all(|value| *value == values[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedcdi_core::{DatasetBuilder, Regime, Schema, Variable};
    use std::sync::Arc;

    fn table(rows: &[([u16; 3], &[usize])]) -> Dataset {
        let variables = ["a", "b", "c"].map(|name| Variable::with_codes(name, 3));
        let schema = Arc::new(Schema::new(variables.to_vec()).unwrap());
        let mut builder = DatasetBuilder::with_capacity(schema, rows.len());
        for (codes, targets) in rows {
            let regime = Regime::intervened(targets.iter().copied().map(VarId));
            builder.push(codes, &regime).unwrap();
        }
        builder.finish().unwrap()
    }

    #[test]
    fn a_target_is_fixed_if_all_its_regimes_set_the_same_value() {
        let fixed = |rows: &[([u16; 3], &[usize])]| {
            let warnings = Inspection::of(&table(rows)).warnings;
            let is_fixed = |w: &&Warning| matches!(w, Warning::FixedTarget { .. });
            warnings.iter().filter(is_fixed).count()
        };
        let alone: [([u16; 3], &[usize]); 2] = [([1, 0, 0], &[0]), ([1, 1, 0], &[0])];
        let with_b: [([u16; 3], &[usize]); 2] = [([0, 0, 1], &[0, 1]), ([0, 1, 0], &[0, 1])];
        assert_eq!(fixed(&alone), 1);
        assert_eq!(fixed(&[alone, with_b].concat()), 0);
    }

    #[test]
    fn counts_are_per_regime_and_category() {
        let table = table(&[([0, 1, 2], &[]), ([0, 1, 1], &[1]), ([1, 2, 0], &[1, 2])]);
        let found = Inspection::of(&table);
        assert_eq!((found.n_samples, found.n_observational), (3, 1));
        assert_eq!(found.variables[0].counts, [2, 1, 0]);
        assert_eq!(found.variables[1].n_intervened, 2);
        assert_eq!(found.interventions[1].targets, ["b", "c"]);
    }

    #[test]
    fn every_oddity_is_pointed_out() {
        let table = table(&[([0, 0, 2], &[]), ([0, 1, 1], &[1]), ([0, 1, 0], &[1])]);
        let texts: Vec<String> = Inspection::of(&table)
            .warnings
            .iter()
            .map(ToString::to_string)
            .collect();
        let all = texts.join("\n");
        for part in [
            "never intervened on: a, c",
            "a is always \"0\"",
            "b never takes 2",
            "only 2 rows under an intervention on b",
            "all 2 rows under an intervention on b set it to \"1\"",
        ] {
            assert!(all.contains(part), "{part} is missing in:\n{all}");
        }
    }

    #[test]
    fn a_table_without_either_kind_of_rows_is_pointed_out() {
        let none = Inspection::of(&table(&[
            ([0, 1, 2], &[]),
            ([1, 2, 0], &[]),
            ([2, 0, 1], &[]),
        ]));
        assert_eq!(none.warnings, [Warning::NoInterventional]);
        let only = Inspection::of(&table(&[([0, 1, 2], &[0, 1, 2])]));
        assert!(only.warnings.contains(&Warning::NoObservational));
    }

    #[test]
    fn one_variable_is_nothing_to_discover() {
        let schema = Schema::new(vec![Variable::with_codes("a", 2)]).unwrap();
        let mut builder = DatasetBuilder::with_capacity(Arc::new(schema), 2);
        for code in [0, 1] {
            builder.push(&[code], &Regime::Observational).unwrap();
        }
        let found = Inspection::of(&builder.finish().unwrap());
        let text = found.warnings[0].to_string();
        assert!(text.contains("nothing to discover"), "{text}");
    }
}
