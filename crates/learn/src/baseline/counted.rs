//! Categorical samples by column, and tables of one variable against others.

use std::collections::HashMap;

use fedcdi_core::{Dataset, VarId, VarSet};

use super::TargetFamily;
use crate::strata::MAX_COMBINATIONS;

/// Combinations up to this many per row are numbered by a list, more by a hash map.
const DENSE_PER_ROW: usize = 4;

/// A dataset as the counting scores and tests want it.
#[derive(Clone, Debug)]
pub struct Counted {
    sizes: Vec<usize>,
    /// Codes by variable.
    columns: Vec<Vec<u16>>,
    /// By variable, the samples of regimes that leave it alone.
    free_rows: Vec<Vec<u32>>,
    family: TargetFamily,
    n_samples: usize,
}

/// Rows counted by the values of some variables: a table per combination that occurs.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Categories of the counted variable.
    pub n_values: usize,
    /// Code of each combination: its digits are the values of the given variables, in their order.
    pub combinations: Vec<u64>,
    /// `[combination, value]`.
    pub counts: Vec<f64>,
}

impl Counted {
    /// Takes the columns and regimes.
    pub fn new(data: &Dataset) -> Self {
        let vars = || (0..data.n_vars()).map(VarId);
        let size = |var| data.schema().variable(var).n_categories();
        let free_rows = |var| {
            let rows = 0..data.n_samples() as u32;
            rows.filter(|r| !data.regime(*r as usize).intervenes_on(var))
                .collect()
        };
        Self {
            sizes: vars().map(size).collect(),
            columns: vars().map(|v| data.column(v).codes().collect()).collect(),
            free_rows: vars().map(free_rows).collect(),
            family: TargetFamily::of(data),
            n_samples: data.n_samples(),
        }
    }

    /// The observational samples and those of one other regime, with one variable more, the last:
    /// 0 in the former and 1 in the latter. A mechanism is invariant if it does not depend on it.
    pub fn labelled(data: &Dataset, regime: usize) -> Self {
        let of_regime = |s: &usize| data.regime_of()[*s] as usize == regime;
        let observed = data.observational();
        let samples = 0..data.n_samples();
        let mut rows = observed.clone();
        rows.extend(samples.filter(of_regime));
        let vars = || (0..data.n_vars()).map(VarId);
        let column = |var| data.column(var).select(&rows).codes().collect();
        let label = (0..rows.len()).map(|at| u16::from(at >= observed.len()));
        let size = |var| data.schema().variable(var).n_categories();
        let n_vars = data.n_vars() + 1;
        Self {
            sizes: vars().map(size).chain([2]).collect(),
            columns: vars().map(column).chain([label.collect()]).collect(),
            free_rows: vec![(0..rows.len() as u32).collect(); n_vars],
            family: TargetFamily::new(n_vars, vec![VarSet::empty(n_vars)]),
            n_samples: rows.len(),
        }
    }

    /// Number of variables.
    pub fn n_vars(&self) -> usize {
        self.sizes.len()
    }

    /// Number of samples of all regimes.
    pub fn n_samples(&self) -> usize {
        self.n_samples
    }

    /// Number of categories.
    pub fn size(&self, var: VarId) -> usize {
        self.sizes[var.index()]
    }

    /// The regimes.
    pub fn family(&self) -> &TargetFamily {
        &self.family
    }

    /// Codes of one variable, by sample.
    pub fn column(&self, var: VarId) -> &[u16] {
        &self.columns[var.index()]
    }

    /// Samples in which `var` followed its mechanism.
    pub fn free_rows(&self, var: VarId) -> &[u32] {
        &self.free_rows[var.index()]
    }

    /// Number of combinations of values, as a real number because it may be huge.
    pub fn n_combinations(&self, vars: &VarSet) -> f64 {
        vars.iter().map(|v| self.size(v) as f64).product()
    }

    /// Counts of `effect` by its parents, on the samples that leave it alone; `None` beyond
    /// [`MAX_COMBINATIONS`].
    pub fn family_table(&self, effect: VarId, parents: &VarSet) -> Option<Table> {
        let given: Vec<VarId> = parents.iter().collect();
        self.table(self.free_rows(effect), effect, &given)
    }

    /// Counts of `var` by the values of `given` on these rows; `None` beyond
    /// [`MAX_COMBINATIONS`].
    ///
    /// Complexity: O(n g) for n rows and g given variables.
    pub fn table(&self, rows: &[u32], var: VarId, given: &[VarId]) -> Option<Table> {
        let sizes = given.iter().map(|v| self.size(*v));
        if sizes.map(|s| s as f64).product::<f64>() > MAX_COMBINATIONS {
            return None;
        }
        let mut codes = vec![0u64; rows.len()];
        for &var in given {
            let (column, size) = (self.column(var), self.size(var) as u64);
            for (code, &row) in codes.iter_mut().zip(rows) {
                *code = *code * size + u64::from(column[row as usize]);
            }
        }
        let n_codes = given.iter().map(|v| self.size(*v)).product();
        let mut numbers = Numbers::new(n_codes, rows.len());
        let n_values = self.size(var);
        let mut counts = Vec::new();
        let column = self.column(var);
        for (&code, &row) in codes.iter().zip(rows) {
            let number = numbers.of(code);
            if number * n_values == counts.len() {
                counts.resize(counts.len() + n_values, 0.0);
            }
            counts[number * n_values + usize::from(column[row as usize])] += 1.0;
        }
        Some(Table {
            n_values,
            combinations: numbers.codes,
            counts,
        })
    }
}

impl Table {
    /// Counts of the values, combination by combination.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.counts.chunks_exact(self.n_values)
    }
}

/// Numbers codes in the order in which they are first met.
struct Numbers {
    codes: Vec<u64>,
    place: Place,
}

enum Place {
    /// Number by code; `u32::MAX` if not met.
    List(Vec<u32>),
    Map(HashMap<u64, u32>),
}

impl Numbers {
    fn new(n_codes: usize, n_rows: usize) -> Self {
        let place = if n_codes <= DENSE_PER_ROW * n_rows {
            Place::List(vec![u32::MAX; n_codes])
        } else {
            Place::Map(HashMap::new())
        };
        Self {
            codes: Vec::new(),
            place,
        }
    }

    fn of(&mut self, code: u64) -> usize {
        let next = self.codes.len() as u32;
        let number = match &mut self.place {
            Place::List(list) => {
                let number = &mut list[code as usize];
                if *number == u32::MAX {
                    *number = next;
                }
                *number
            }
            Place::Map(map) => *map.entry(code).or_insert(next),
        };
        if number == next {
            self.codes.push(code);
        }
        number as usize
    }
}

#[cfg(test)]
mod tests {
    use super::super::score::sample_data;
    use super::*;
    use fedcdi_core::Regime;

    #[test]
    fn only_rows_that_leave_the_variable_alone_are_counted() {
        let on_b = Regime::intervened([VarId(1)]);
        let rows: [(&[u16], Regime); 4] = [
            (&[0, 1], Regime::Observational),
            (&[1, 0], Regime::Observational),
            (&[1, 0], Regime::Observational),
            (&[1, 1], on_b),
        ];
        let counted = Counted::new(&sample_data::table(&[2, 2], &rows));
        let given_a = VarSet::from_members(2, [VarId(0)]);
        let table = counted.family_table(VarId(1), &given_a).unwrap();
        assert_eq!(table.combinations, [0, 1]);
        assert_eq!(table.counts, [0.0, 1.0, 2.0, 0.0]);
        let alone = counted.family_table(VarId(0), &VarSet::empty(2)).unwrap();
        assert_eq!(
            (alone.combinations, alone.counts),
            (vec![0], vec![1.0, 3.0])
        );
    }

    #[test]
    fn a_label_tells_regimes_apart() {
        let (on_a, on_b) = (
            Regime::intervened([VarId(0)]),
            Regime::intervened([VarId(1)]),
        );
        let rows: [(&[u16], Regime); 4] = [
            (&[0, 1], on_b.clone()),
            (&[1, 0], Regime::Observational),
            (&[1, 1], on_a),
            (&[0, 0], on_b),
        ];
        // Regimes are sorted: observational, on a, on b.
        let counted = Counted::labelled(&sample_data::table(&[2, 2], &rows), 2);
        assert_eq!(counted.column(VarId(0)), [1, 0, 0]);
        assert_eq!(counted.column(VarId(2)), [0, 1, 1]);
        assert_eq!((counted.size(VarId(2)), counted.n_samples()), (2, 3));
    }

    #[test]
    fn lists_and_maps_number_alike() {
        let codes = [7, 3, 7, 0, 3, 9];
        let numbers = |n_codes, n_rows| {
            let mut numbers = Numbers::new(n_codes, n_rows);
            codes.map(|code| numbers.of(code))
        };
        assert_eq!(numbers(10, 6), [0, 1, 0, 2, 1, 3]);
        assert_eq!(numbers(10, 6), numbers(10, 1));
    }
}
