//! BDeu: the probability of the data under Dirichlet priors that are equal within a class.
//!
//! Heckerman, Geiger, Chickering (1995). With equivalent sample size a, Q parent combinations and C
//! values: `sum_q [ lnG(a/Q) - lnG(a/Q + N_q) + sum_v lnG(a/(QC) + N_qv) - lnG(a/(QC)) ]`;
//! combinations that do not occur add nothing.

use fedcdi_core::{VarId, VarSet};
use statrs::function::gamma::ln_gamma;

use super::LocalScore;
use crate::independence::counts::Counted;

pub(super) struct Bdeu {
    pub(super) samples: Counted,
    /// Equivalent; > 0.
    pub(super) sample_size: f64,
}

impl LocalScore for Bdeu {
    fn n_vars(&self) -> usize {
        self.samples.n_vars()
    }

    /// Complexity: O(n p) for n samples and p parents.
    fn local(&self, effect: VarId, parents: &VarSet) -> f64 {
        let table = self.samples.family_table(effect, parents);
        let combination = self.sample_size / self.samples.n_combinations(parents);
        let cell = combination / self.samples.size(effect) as f64;
        let (base, cell_base) = (ln_gamma(combination), ln_gamma(cell));
        let of_row = |row: &[f64]| {
            let total: f64 = row.iter().sum();
            let seen = row.iter().filter(|n| **n > 0.0);
            let cells: f64 = seen.map(|n| ln_gamma(cell + n) - cell_base).sum();
            base - ln_gamma(combination + total) + cells
        };
        table.rows().map(of_row).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_data;
    use super::*;
    use fedcdi_core::Regime;

    #[test]
    fn small_counts_by_hand() {
        // One binary variable, values 0, 0, 1, a = 2: a uniform prior over its probability, so the
        // integral of p^2 (1 - p) is B(3, 2) = 1/12.
        let seen = || Regime::Observational;
        let rows: [(&[u16], Regime); 3] = [(&[0, 0], seen()), (&[0, 0], seen()), (&[1, 1], seen())];
        let data = test_data::table(&[2, 2], &rows);
        let score = Bdeu {
            samples: Counted::new(&data),
            sample_size: 2.0,
        };
        let alone = score.local(VarId(0), &VarSet::empty(2));
        assert!((alone - (1.0f64 / 12.0).ln()).abs() < 1e-12, "{alone}");
        // Its copy given it: cells have prior 1/2. For the combination met twice:
        // B(2.5, 0.5) / B(0.5, 0.5) = 3/8; for the one met once 1/2.
        let copy = score.local(VarId(1), &VarSet::from_members(2, [VarId(0)]));
        assert!((copy - (3.0f64 / 16.0).ln()).abs() < 1e-12, "{copy}");
    }
}
