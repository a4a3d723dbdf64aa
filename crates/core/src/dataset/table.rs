//! The table itself: columns of codes, and one regime per sample.

use std::sync::Arc;

use super::Column;
use super::check::{DatasetError, check_columns, check_regimes};
use crate::regime::Regime;
use crate::schema::{Schema, SchemaError};
use crate::variable::{VarId, Variable};

/// Samples of categorical and real variables; each sample is observational or intervened on a set of them.
///
/// Values are stored by column, codes in one or two bytes. Equal content compares equal: the list of
/// distinct regimes is kept sorted and without unused entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dataset {
    schema: Arc<Schema>,
    columns: Vec<Column>,
    regimes: Vec<Regime>,
    regime_of: Vec<u32>,
}

impl Dataset {
    /// A table of these columns; sample `s` was taken under `regimes[regime_of[s]]`.
    ///
    /// # Errors
    /// [`DatasetError`] naming the first column, code or regime that does not fit.
    pub fn new(
        schema: Arc<Schema>,
        columns: Vec<Column>,
        regimes: Vec<Regime>,
        regime_of: Vec<u32>,
    ) -> Result<Self, DatasetError> {
        check_columns(&schema, &columns, regime_of.len())?;
        check_regimes(&schema, &regimes, &regime_of)?;
        let (regimes, regime_of) = canonical_regimes(regimes, regime_of);
        Ok(Self {
            schema,
            columns,
            regimes,
            regime_of,
        })
    }

    /// Names and kinds.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// Number of variables.
    pub fn n_vars(&self) -> usize {
        self.columns.len()
    }

    /// Number of samples.
    pub fn n_samples(&self) -> usize {
        self.regime_of.len()
    }

    /// Values of one variable.
    pub fn column(&self, var: VarId) -> &Column {
        &self.columns[var.index()]
    }

    /// Code of one categorical variable in one sample. Panics if the variable is real.
    pub fn value(&self, sample: usize, var: VarId) -> u16 {
        self.columns[var.index()].get(sample)
    }

    /// Distinct regimes that occur, sorted (observational first).
    pub fn regimes(&self) -> &[Regime] {
        &self.regimes
    }

    /// Position of each sample's regime in [`Self::regimes`].
    pub fn regime_of(&self) -> &[u32] {
        &self.regime_of
    }

    /// The regime of one sample.
    pub fn regime(&self, sample: usize) -> &Regime {
        &self.regimes[self.regime_of[sample] as usize]
    }

    /// Samples of each regime of [`Self::regimes`], in file order.
    pub fn samples_by_regime(&self) -> Vec<Vec<usize>> {
        let mut samples = vec![Vec::new(); self.regimes.len()];
        for (sample, &regime) in self.regime_of.iter().enumerate() {
            samples[regime as usize].push(sample);
        }
        samples
    }

    /// Observational samples, in file order.
    pub fn observational(&self) -> Vec<usize> {
        let observed = |&sample: &usize| self.regime(sample).is_observational();
        (0..self.n_samples()).filter(observed).collect()
    }

    /// How many samples were taken while each variable was intervened on.
    pub fn interventional_counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.n_vars()];
        for &regime in &self.regime_of {
            for target in self.regimes[regime as usize].targets() {
                counts[target.index()] += 1;
            }
        }
        counts
    }

    /// These samples, in this order.
    #[must_use]
    pub fn select(&self, samples: &[usize]) -> Self {
        let columns = self.columns.iter().map(|c| c.select(samples)).collect();
        let regime_of = samples.iter().map(|&s| self.regime_of[s]).collect();
        let (regimes, regime_of) = canonical_regimes(self.regimes.clone(), regime_of);
        Self {
            schema: Arc::clone(&self.schema),
            columns,
            regimes,
            regime_of,
        }
    }

    /// The first `n_observational` observational samples and the first `per_regime` of every
    /// interventional regime, in file order; `None` keeps all.
    #[must_use]
    pub fn first(&self, n_observational: Option<usize>, per_regime: Option<usize>) -> Self {
        let mut taken = vec![0; self.regimes.len()];
        let keep = |&sample: &usize| {
            let regime = self.regime_of[sample] as usize;
            let limit = if self.regimes[regime].is_observational() {
                n_observational
            } else {
                per_regime
            };
            taken[regime] += 1;
            limit.is_none_or(|limit| taken[regime] <= limit)
        };
        let samples: Vec<usize> = (0..self.n_samples()).filter(keep).collect();
        self.select(&samples)
    }

    /// The same samples under another schema: variables and labels are matched by name.
    ///
    /// # Errors
    /// [`SchemaError::Differs`] if a variable, or a label in use, is not in `schema`.
    pub fn recode(&self, schema: &Arc<Schema>) -> Result<Self, DatasetError> {
        if self.schema == *schema {
            return Ok(self.clone());
        }
        // The merged schema has exactly the target's variables, or there is an error to report.
        Schema::merge([schema.as_ref(), self.schema.as_ref()])?;
        let mut columns = Vec::with_capacity(self.n_vars());
        let mut new_id = vec![VarId(0); self.n_vars()];
        for (to, variable) in schema.variables().iter().enumerate() {
            let from = self.schema.find(&variable.name);
            let from = from.expect("merge found every name");
            new_id[from.index()] = VarId(to);
            columns.push(self.recoded(from, variable)?);
        }
        let renamed = |r: &Regime| Regime::intervened(r.targets().iter().map(|t| new_id[t.0]));
        let regimes = self.regimes.iter().map(renamed).collect();
        Self::new(Arc::clone(schema), columns, regimes, self.regime_of.clone())
    }

    /// The column of `var` under the labels of `variable`, which is of the same kind. Labels that no
    /// sample uses may be missing.
    fn recoded(&self, var: VarId, variable: &Variable) -> Result<Column, DatasetError> {
        let (column, old) = (self.column(var), self.schema.variable(var));
        if variable.is_real() {
            return Ok(column.clone());
        }
        let used = column.counts(old.n_categories());
        let new_code = |(label, &count): (&String, &usize)| match variable
            .categories()
            .iter()
            .position(|l| l == label)
        {
            Some(code) => Ok(code as u16),
            None if count == 0 => Ok(0),
            None => Err(SchemaError::Differs(format!("{} = {label}", old.name))),
        };
        let codes = old.categories().iter().zip(&used).map(new_code);
        let codes: Vec<u16> = codes.collect::<Result<_, _>>()?;
        Ok(column.recode(&codes, variable.n_categories()))
    }

    /// All samples of these tables, one after another, under their merged schema.
    ///
    /// # Errors
    /// [`DatasetError::Schema`] if their variables differ or the list is empty.
    pub fn concat(tables: &[&Self]) -> Result<Self, DatasetError> {
        let schema = Arc::new(Schema::merge(tables.iter().map(|t| t.schema.as_ref()))?);
        let n_samples = tables.iter().map(|t| t.n_samples()).sum();
        let variables = schema.variables().iter();
        let mut columns: Vec<Column> = variables.map(|v| Column::of(v, n_samples)).collect();
        let mut regimes = Vec::new();
        let mut regime_of = Vec::with_capacity(n_samples);
        for table in tables {
            let table = table.recode(&schema)?;
            for (all, column) in columns.iter_mut().zip(&table.columns) {
                all.append(column);
            }
            let offset = regimes.len() as u32;
            regimes.extend_from_slice(&table.regimes);
            regime_of.extend(table.regime_of.iter().map(|r| r + offset));
        }
        Self::new(schema, columns, regimes, regime_of)
    }
}

/// Sorts the regimes, merges equal ones and drops those without samples.
fn canonical_regimes(regimes: Vec<Regime>, regime_of: Vec<u32>) -> (Vec<Regime>, Vec<u32>) {
    let mut used = vec![false; regimes.len()];
    regime_of.iter().for_each(|r| used[*r as usize] = true);
    let kept = regimes.iter().zip(used).filter(|(_, used)| *used);
    let mut kept: Vec<Regime> = kept.map(|(regime, _)| regime.clone()).collect();
    kept.sort_unstable();
    kept.dedup();
    let number = |r: &Regime| kept.binary_search(r).map_or(0, |n| n as u32);
    let numbers: Vec<u32> = regimes.iter().map(number).collect();
    let regime_of = regime_of.into_iter().map(|r| numbers[r as usize]).collect();
    (kept, regime_of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::DatasetBuilder;

    fn schema(labels: [&[&str]; 2]) -> Arc<Schema> {
        let [a, b] = labels;
        let a = Variable::new("a", a.iter().copied());
        let b = Variable::new("b", b.iter().copied());
        Arc::new(Schema::new(vec![a, b]).unwrap())
    }

    fn table() -> Dataset {
        let mut builder = DatasetBuilder::with_capacity(schema([&["x", "y"], &["0", "1", "2"]]), 4);
        let on_b = Regime::intervened([VarId(1)]);
        builder.push(&[0, 2], &on_b).unwrap();
        builder.push(&[1, 0], &Regime::Observational).unwrap();
        builder.push(&[1, 1], &on_b).unwrap();
        builder.push(&[0, 0], &Regime::Observational).unwrap();
        builder.finish().unwrap()
    }

    #[test]
    fn regimes_are_sorted_and_counted() {
        let table = table();
        assert!(table.regimes()[0].is_observational());
        assert_eq!(table.observational(), [1, 3]);
        assert_eq!(table.samples_by_regime(), [vec![1, 3], vec![0, 2]]);
        assert_eq!(table.interventional_counts(), [0, 2]);
    }

    #[test]
    fn first_counts_per_regime_and_keeps_file_order() {
        let table = table();
        assert_eq!(table.first(Some(1), Some(1)), table.select(&[0, 1]));
        assert_eq!(table.first(None, Some(0)), table.select(&[1, 3]));
        assert_eq!(table.first(None, None), table);
    }

    #[test]
    fn selecting_drops_regimes_without_samples() {
        assert_eq!(table().select(&[0]).regimes().len(), 1);
    }

    #[test]
    fn recoding_matches_variables_and_labels_by_name() {
        let b = Variable::new("b", ["2", "1", "0"]);
        let a = Variable::new("a", ["y", "z", "x"]);
        let target = Arc::new(Schema::new(vec![b, a]).unwrap());
        let recoded = table().recode(&target).unwrap();
        assert_eq!(recoded.column(VarId(0)), &Column::U8(vec![0, 2, 1, 2]));
        assert_eq!(recoded.column(VarId(1)), &Column::U8(vec![2, 0, 0, 2]));
        assert_eq!(recoded.interventional_counts(), [2, 0]);
    }

    #[test]
    fn recoding_refuses_a_label_in_use_that_is_unknown() {
        let error = table().recode(&schema([&["x"], &["0", "1", "2"]]));
        assert_eq!(error, Err(SchemaError::Differs("a = y".into()).into()));
    }

    #[test]
    fn concatenation_unites_labels() {
        let other = {
            let schema = schema([&["w", "x"], &["0"]]);
            let mut builder = DatasetBuilder::with_capacity(schema, 1);
            builder.push(&[0, 0], &Regime::Observational).unwrap();
            builder.finish().unwrap()
        };
        let all = Dataset::concat(&[&table(), &other]).unwrap();
        assert_eq!(all.n_samples(), 5);
        assert_eq!(
            all.schema().variable(VarId(0)).categories(),
            ["w", "x", "y"]
        );
        assert_eq!(all.column(VarId(0)), &Column::U8(vec![1, 2, 2, 1, 0]));
        assert_eq!(all.observational(), [1, 3, 4]);
    }

    /// A real and a categorical column, the first row under an intervention on the real one.
    fn mixed(values: &[f64]) -> Result<Dataset, DatasetError> {
        let schema = Schema::new(vec![Variable::real("r"), Variable::new("b", ["0"])]).unwrap();
        let columns = vec![
            Column::Real(values.to_vec()),
            Column::U8(vec![0; values.len()]),
        ];
        let regimes = vec![Regime::intervened([VarId(0)]), Regime::Observational];
        let regime_of = (0..values.len()).map(|sample| u32::from(sample > 0));
        Dataset::new(Arc::new(schema), columns, regimes, regime_of.collect())
    }

    #[test]
    fn reals_are_selected_joined_and_reordered_with_the_rest() {
        let table = mixed(&[1.5, -2.0, 0.25]).unwrap();
        let all = Dataset::concat(&[&table, &table.select(&[2, 0])]).unwrap();
        let reals = all.column(VarId(0)).reals().unwrap();
        assert_eq!(reals, [1.5, -2.0, 0.25, 0.25, 1.5]);
        assert_eq!(all.interventional_counts(), [2, 0]);
        let turned = Schema::new(vec![Variable::new("b", ["0"]), Variable::real("r")]).unwrap();
        let recoded = table.recode(&Arc::new(turned)).unwrap();
        assert_eq!(recoded.column(VarId(1)), table.column(VarId(0)));
        assert_eq!(recoded.interventional_counts(), [0, 1]);
    }

    #[test]
    fn bad_rows_are_refused_and_leave_nothing() {
        let mut builder = DatasetBuilder::with_capacity(schema([&["x"], &["0"]]), 1);
        let mut refused = |codes: &[u16]| {
            let pushed = builder.push(codes, &Regime::Observational);
            pushed.unwrap_err().to_string()
        };
        assert_eq!(refused(&[0]), "found 1 columns, the schema has 2 variables");
        assert_eq!(
            refused(&[0, 1]),
            "sample 0, variable \"b\": code 1 is not below the number of categories, 1"
        );
        assert_eq!(builder.finish().unwrap().n_samples(), 0);
    }

    #[test]
    fn a_target_outside_the_schema_is_refused() {
        let mut builder = DatasetBuilder::with_capacity(schema([&["x"], &["0"]]), 1);
        builder
            .push(&[0, 0], &Regime::intervened([VarId(9)]))
            .unwrap();
        let text = builder.finish().unwrap_err().to_string();
        assert!(text.contains("variable number 9"), "{text}");
    }
}
