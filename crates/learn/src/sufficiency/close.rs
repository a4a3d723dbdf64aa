//! Which pairs are worth asking about, and which of them look direct.
//!
//! A pair is *associated* if knowing one variable helps to predict the other beyond chance and by at
//! least the sparsity: a weaker one would not be kept as an edge. It is *close* if no third variable
//! is associated more strongly with both: along a chain association only falls (data processing
//! inequality), so the weakest side of a triangle may be indirect. This is the rule of ARACNE
//! (Margolin et al. 2006, doi 10.1186/1471-2105-7-S1-S7). It misses edges; what it finds was nearly
//! always one on generated graphs whose variables are all measured (docs/enough.md), so it says for
//! which pairs a direction matters. A hidden common cause also makes a close pair.
//!
//! Complexity: O(N^3) for N variables.

use ndarray::Array2;

use super::evidence::PairEvidence;

pub(super) struct Partners<'a> {
    /// In order of their variables, each with whether it is close.
    pub(super) pairs: Vec<(&'a PairEvidence, bool)>,
    n_observational: usize,
}

impl<'a> Partners<'a> {
    /// `beyond_chance`: nats over all rows; `sparsity`: nats per row.
    pub(super) fn of(
        evidence: &'a [PairEvidence],
        n_vars: usize,
        n_observational: usize,
        (beyond_chance, sparsity): (f64, f64),
    ) -> Self {
        let least = f64::max(beyond_chance, sparsity * n_observational as f64);
        let associated: Vec<&PairEvidence> = evidence.iter().filter(|p| p.gain > least).collect();
        let mut gains = Array2::zeros((n_vars, n_vars));
        for pair in &associated {
            gains[(pair.a.index(), pair.b.index())] = pair.gain;
            gains[(pair.b.index(), pair.a.index())] = pair.gain;
        }
        let is_close = |pair: &PairEvidence| {
            let sides = gains.row(pair.a.index());
            let mut sides = sides.iter().zip(gains.row(pair.b.index()));
            !sides.any(|(a, b): (&f64, &f64)| a.min(*b) > pair.gain)
        };
        let pairs = associated.into_iter().map(|pair| (pair, is_close(pair)));
        Self {
            pairs: pairs.collect(),
            n_observational,
        }
    }

    pub(super) fn close(&self) -> impl Iterator<Item = &'a PairEvidence> {
        let close = self.pairs.iter().filter(|(_, close)| *close);
        close.map(|(pair, _)| *pair)
    }

    pub(super) fn strength(&self, pair: &PairEvidence) -> f64 {
        pair.gain / self.n_observational.max(1) as f64
    }
}
