//! Multinomial BIC: the likelihood of a full table, less a price per free probability.
//!
//! Schwarz (1978); Chickering (2002). Score of v with parents of Q combinations:
//! `sum_q sum_v N_qv ln(N_qv / N_q) - lambda (C - 1) Q`.

use fedcdi_core::{VarId, VarSet};

use super::{LocalScore, Penalty};
use crate::independence::counts::{Counted, Table};

pub(crate) struct MultinomialBic {
    samples: Counted,
    price: f64,
}

impl MultinomialBic {
    /// Of these samples. The price is that of all samples for every variable, whichever regimes it
    /// is scored on: graphs of one class then have equal scores.
    pub(crate) fn new(samples: Counted, penalty: Penalty) -> Self {
        let price = penalty.per_parameter(samples.n_samples());
        Self { samples, price }
    }
}

impl LocalScore for MultinomialBic {
    fn n_vars(&self) -> usize {
        self.samples.n_vars()
    }

    /// Complexity: O(n p) for n samples and p parents.
    fn local(&self, effect: VarId, parents: &VarSet) -> f64 {
        let table = self.samples.family_table(effect, parents);
        let free = (self.samples.size(effect) as f64 - 1.0) * self.samples.n_combinations(parents);
        table.log_likelihood() - self.price * free
    }
}

impl Table {
    /// Log-likelihood of the counted values under their own frequencies, in nats.
    pub(crate) fn log_likelihood(&self) -> f64 {
        let of_row = |row: &[f64]| {
            let total: f64 = row.iter().sum();
            let seen = row.iter().filter(|n| **n > 0.0);
            seen.map(|n| n * (n / total).ln()).sum::<f64>()
        };
        self.rows().map(of_row).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_data;
    use super::*;
    use fedcdi_core::Regime;

    #[test]
    fn a_table_by_hand() {
        // b given a: a = 0 -> b = 0, 0, 1; a = 1 -> b = 1. The intervened row does not count for b.
        let on_b = Regime::intervened([VarId(1)]);
        let seen = || Regime::Observational;
        let rows: [(&[u16], Regime); 5] = [
            (&[0, 0], seen()),
            (&[0, 0], seen()),
            (&[0, 1], seen()),
            (&[1, 1], seen()),
            (&[1, 0], on_b),
        ];
        let data = test_data::table(&[2, 3], &rows);
        let score = MultinomialBic::new(Counted::new(&data), Penalty::Bic);
        let given_a = VarSet::from_members(2, [VarId(0)]);
        // 2 ln(2/3) + ln(1/3) - (ln 5 / 2) * 2 values * 2 combinations.
        let expected = 2.0 * (2.0f64 / 3.0).ln() + (1.0f64 / 3.0).ln() - 2.0 * 5f64.ln();
        assert!((score.local(VarId(1), &given_a) - expected).abs() < 1e-12);
        // a alone, on all five rows: 3 ln(3/5) + 2 ln(2/5) - ln 5 / 2.
        let expected = 3.0 * 0.6f64.ln() + 2.0 * 0.4f64.ln() - 0.5 * 5f64.ln();
        assert!((score.local(VarId(0), &VarSet::empty(2)) - expected).abs() < 1e-12);
    }
}
