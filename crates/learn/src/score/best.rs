//! The better of two model classes: a table, and additive log-odds.
//!
//! The score of the search by sums ([`fedcdi_score`]), from rows in one place. The categories that
//! count are those that occur where the effect is left alone.
//!
//! | class | score |
//! |---|---|
//! | table | log-likelihood, less BIC of the parameters beyond those without parents |
//! | additive | log-likelihood of [`crate::fit::logistic`], less a price per parent |
//!
//! Neither class dominates: tables of many categories cost too much, and additive models miss causes
//! that interact. [`Prices`] holds both prices. Graphs of one class may differ in score.

use fedcdi_core::{VarId, VarSet};
use fedcdi_score::Prices;

use super::LocalScore;
use crate::fit::logistic::{Precision, fit};
use crate::independence::counts::{Counted, Table};

pub(super) struct BestOfClasses {
    samples: Counted,
    prices: Prices,
}

impl BestOfClasses {
    /// Of these samples, where a graph of independent variables has an edge with about this
    /// probability.
    pub(super) fn new(samples: Counted, level: f64) -> Self {
        let n_free = (0..samples.n_vars()).map(|var| samples.free_rows(VarId(var)).len());
        // One number for all variables: graphs of one class pay the same for tables.
        let n_rows = n_free.max().unwrap_or(0);
        Self {
            prices: Prices::new(samples.n_vars(), n_rows as f64, level),
            samples,
        }
    }
}

impl LocalScore for BestOfClasses {
    fn n_vars(&self) -> usize {
        self.samples.n_vars()
    }

    /// Complexity: O(n p) for n samples and p parents, and [`fit()`] where the additive model may win.
    fn local(&self, effect: VarId, parents: &VarSet) -> f64 {
        let table = self.samples.family_table(effect, parents);
        let sizes: Vec<usize> = parents.iter().map(|p| self.samples.size(p)).collect();
        let (values, given) = occurring(&table, &sizes);
        if values < 2 {
            return 0.0;
        }
        let parent = |n: &usize| self.prices.parent((n - 1) * (values - 1));
        let additive_price: f64 = given.iter().map(parent).sum();
        let combinations = given.iter().map(|n| *n as f64).product();
        let table_price = self.prices.table(values, combinations);
        let most = table.log_likelihood();
        if parents.len() < 2 {
            // Both classes are the same model.
            return most - additive_price.min(table_price);
        }
        if additive_price >= table_price {
            // An additive model explains no more than the table, for a higher price.
            return most - table_price;
        }
        let additive = fit(&table, &sizes, Precision::Fine) - additive_price;
        additive.max(most - table_price)
    }
}

/// How many values of the effect occur, and of each of its parents.
fn occurring(table: &Table, sizes: &[usize]) -> (usize, Vec<usize>) {
    let mut values = vec![false; table.n_values];
    for row in table.rows() {
        values.iter_mut().zip(row).for_each(|(v, n)| *v |= *n > 0.0);
    }
    let mut given: Vec<Vec<bool>> = sizes.iter().map(|size| vec![false; *size]).collect();
    for combination in table.combinations.chunks_exact(sizes.len().max(1)) {
        for (seen, code) in given.iter_mut().zip(combination) {
            seen[usize::from(*code)] = true;
        }
    }
    let n_true = |seen: &Vec<bool>| seen.iter().filter(|seen| **seen).count();
    (n_true(&values), given.iter().map(n_true).collect())
}

#[cfg(test)]
mod tests {
    use super::super::{LogisticBic, MultinomialBic, Penalty, test_data};
    use super::*;
    use fedcdi_core::{Dataset, Regime};

    fn local(data: &Dataset, level: f64, parents: &[usize]) -> f64 {
        let parents = VarSet::from_members(data.n_vars(), parents.iter().copied().map(VarId));
        let score = BestOfClasses::new(Counted::new(data), level);
        score.local(VarId(0), &parents)
    }

    /// Log-likelihoods of a table and of an additive model of the first variable by the others.
    fn likelihoods(data: &Dataset) -> (f64, f64) {
        let parents = VarSet::from_members(data.n_vars(), (1..data.n_vars()).map(VarId));
        let (counted, free) = (Counted::new(data), Penalty::Fixed(0.0));
        let table = MultinomialBic::new(counted.clone(), free);
        let additive = LogisticBic::new(counted, free);
        let local = |score: &dyn LocalScore| score.local(VarId(0), &parents);
        (local(&table), local(&additive))
    }

    /// So many rows of each of these combinations.
    fn repeated(sizes: &[usize], cells: &[(&[u16], usize)]) -> Dataset {
        let rows = cells
            .iter()
            .flat_map(|(codes, n)| std::iter::repeat_n((*codes, Regime::Observational), *n));
        test_data::table(sizes, &rows.collect::<Vec<_>>())
    }

    /// Half of the quantile of chi-square with two degrees of freedom at 1 - p is -ln p.
    #[test]
    fn one_parent_by_hand() {
        // The first variable has three values, the second two of its four: two degrees of freedom.
        let cells: [(&[u16], usize); 4] = [(&[0, 0], 6), (&[1, 0], 2), (&[1, 3], 3), (&[2, 3], 5)];
        let data = repeated(&[3, 4], &cells);
        let alone = 6.0 * (6.0f64 / 16.0).ln() + 10.0 * (5.0f64 / 16.0).ln();
        assert!((local(&data, 0.05, &[]) - alone).abs() < 1e-12);
        let likelihood = 6.0 * 0.75f64.ln() + 2.0 * 0.25f64.ln();
        let likelihood = likelihood + 3.0 * 0.375f64.ln() + 5.0 * 0.625f64.ln();
        // Two parameters of a table cost ln 16 = 2.77 in all, a parent -ln(0.05 / 2) = 3.69.
        let by_table = likelihood - 16f64.ln();
        assert!((local(&data, 0.05, &[1]) - by_table).abs() < 1e-9);
        // At level 0.5 a parent costs -ln(0.5 / 2) = 1.39, and 2e-5 per row and parameter.
        let by_parent = likelihood - 4f64.ln() - 2e-5 * 16.0 * 2.0;
        assert!((local(&data, 0.5, &[1]) - by_parent).abs() < 1e-9);
    }

    #[test]
    fn causes_that_interact_are_a_table() {
        // The first variable is whether the others differ.
        let cells: [(&[u16], usize); 4] = [
            (&[0, 0, 0], 50),
            (&[1, 0, 1], 50),
            (&[1, 1, 0], 50),
            (&[0, 1, 1], 50),
        ];
        let data = repeated(&[2, 2, 2], &cells);
        // The table is certain of every row; (2 - 1) (4 - 1) parameters at ln(200) / 2 each.
        let expected = -1.5 * 200f64.ln();
        assert!((local(&data, 0.05, &[1, 2]) - expected).abs() < 1e-9);
        let (table, additive) = likelihoods(&data);
        assert!(table.abs() < 1e-9 && additive < -100.0);
    }

    #[test]
    fn causes_that_add_up_are_additive() {
        let data = test_data::chain(&[3, 3, 3, 3], 800, 5);
        let (table, additive) = likelihoods(&data);
        // Three parents of three values cost (3 - 1) (27 - 1) parameters in a table.
        let by_table = table - 26.0 * 800f64.ln();
        let price = 3.0 * Prices::new(4, 800.0, 0.05).parent(4);
        let found = local(&data, 0.05, &[1, 2, 3]);
        assert!((found - (additive - price)).abs() < 1e-9);
        assert!(found > by_table + 10.0, "{found} {by_table}");
    }

    #[test]
    fn what_occurs_elsewhere_costs_nothing() {
        // Where the first variable is left alone the second is constant.
        let on_first = || Regime::intervened([VarId(0)]);
        let seen = || Regime::Observational;
        let rows: [(&[u16], Regime); 4] = [
            (&[0, 0], seen()),
            (&[1, 0], seen()),
            (&[0, 1], on_first()),
            (&[1, 1], on_first()),
        ];
        let data = test_data::table(&[2, 2], &rows);
        assert_eq!(local(&data, 0.05, &[1]), local(&data, 0.05, &[]));
    }
}
