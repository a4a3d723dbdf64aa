//! Additive multinomial logistic BIC: the likelihood of [`crate::fit::logistic`], less a price
//! per parameter.
//!
//! Ours, for categorical data with many categories: with 10 categories a second parent costs 81
//! parameters here and 810 in a table. Without parents and with one parent it equals multinomial
//! BIC. Graphs of one class may differ in score, because adding log-odds is not symmetric.

use fedcdi_core::{VarId, VarSet};

use super::{LocalScore, Penalty};
use crate::fit::logistic::{Precision, fit, n_parameters};
use crate::independence::counts::Counted;

pub(crate) struct LogisticBic {
    samples: Counted,
    price: f64,
}

impl LogisticBic {
    pub(crate) fn new(samples: Counted, penalty: Penalty) -> Self {
        let price = penalty.per_parameter(samples.n_samples());
        Self { samples, price }
    }
}

impl LocalScore for LogisticBic {
    fn n_vars(&self) -> usize {
        self.samples.n_vars()
    }

    /// Complexity: that of [`fit()`], after O(n p) for counting.
    fn local(&self, effect: VarId, parents: &VarSet) -> f64 {
        let table = self.samples.family_table(effect, parents);
        let sizes: Vec<usize> = parents.iter().map(|p| self.samples.size(p)).collect();
        let free = n_parameters(self.samples.size(effect), sizes.iter().copied());
        fit(&table, &sizes, Precision::Fine) - self.price * free
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MultinomialBic, test_data};
    use super::*;

    #[test]
    fn with_one_parent_it_is_multinomial_bic() {
        let data = test_data::chain(&[3, 2, 4], 500, 3);
        let counted = Counted::new(&data);
        let table = MultinomialBic::new(counted.clone(), Penalty::Bic);
        let additive = LogisticBic::new(counted, Penalty::Bic);
        for parents in [vec![], vec![VarId(0)], vec![VarId(2)]] {
            let parents = VarSet::from_members(3, parents);
            let (a, b) = (
                table.local(VarId(1), &parents),
                additive.local(VarId(1), &parents),
            );
            assert!((a - b).abs() < 1e-9, "{a} {b}");
        }
    }

    #[test]
    fn two_parents_cost_a_sum_and_explain_no_more_than_the_table() {
        let data = test_data::chain(&[3, 2, 4], 500, 3);
        let counted = Counted::new(&data);
        let both = VarSet::from_members(3, [VarId(0), VarId(2)]);
        let free = Penalty::Fixed(0.0);
        let table = MultinomialBic::new(counted.clone(), free).local(VarId(1), &both);
        let additive = LogisticBic::new(counted.clone(), free).local(VarId(1), &both);
        let one = VarSet::from_members(3, [VarId(0)]);
        let less = LogisticBic::new(counted.clone(), free).local(VarId(1), &one);
        assert!(
            less < additive && additive < table,
            "{less} {additive} {table}"
        );
        let priced = LogisticBic::new(counted, Penalty::Fixed(1.0)).local(VarId(1), &both);
        // (2 - 1) (1 + 2 + 3) parameters.
        assert!((additive - priced - 6.0).abs() < 1e-9);
    }
}
