//! The penalty per expected edge, and its relief for effects with many causes.
//!
//! Paper: ENCO's `lambda_sparse`, the same for all edges. Ours, with m causes of an effect that are
//! more likely than not, n observational rows, and [`Relief`]:
//!
//! | ENCO | here, if m > `beyond` |
//! |---|---|
//! | lambda | `lambda / (1 + rows (m - beyond) / n)` |
//!
//! A network that has to learn many causes from few rows learns each of them badly, and what it
//! gains by one of them on other rows falls short of what the edge is worth. The flat penalty comes
//! on top of that and takes true edges away. The relief never makes a penalty negative, and an
//! effect with few believed causes has none, so that an edge which gains nothing is not let in.

use super::choices::Relief;
use super::logits::EdgeLogits;
use super::params::EncoParams;
use crate::samples::Samples;

/// Penalties of one client's edges.
#[derive(Debug)]
pub(super) struct Penalty {
    flat: Vec<f64>,
    relief: Relief,
    n_rows: f64,
    relieved: Vec<f64>,
}

impl Penalty {
    pub(super) fn new(params: &EncoParams, samples: &Samples) -> Self {
        let flat = params.sparsity_of(samples);
        Self {
            relief: params.relief,
            n_rows: samples.observational().len().max(1) as f64,
            relieved: flat.clone(),
            flat,
        }
    }

    /// Counts the believed causes anew.
    pub(super) fn follow(&mut self, logits: &EdgeLogits) {
        let Relief { beyond, rows } = self.relief;
        if rows == 0.0 {
            return;
        }
        for (effect, flat) in self.flat.iter().enumerate() {
            let many = logits.n_causes(effect).saturating_sub(beyond) as f64;
            self.relieved[effect] = flat / (1.0 + rows * many / self.n_rows);
        }
    }

    /// Penalty per expected edge, by effect.
    pub(super) fn by_effect(&self) -> &[f64] {
        &self.relieved
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fedcdi_core::{DatasetBuilder, Regime, Schema, Variable};
    use ndarray::array;

    use super::*;

    fn penalty(beyond: usize, rows: f64) -> Vec<f64> {
        let variables = ["a", "b", "c"].map(|name| Variable::with_codes(name, 2));
        let schema = Arc::new(Schema::new(variables.to_vec()).unwrap());
        let mut data = DatasetBuilder::with_capacity(schema, 10);
        for _ in 0..10 {
            data.push(&[0, 0, 0], &Regime::Observational).unwrap();
        }
        let params = EncoParams {
            relief: Relief { beyond, rows },
            sparsity: 0.006,
            ..EncoParams::default()
        };
        let samples = Samples::new(&data.finish().unwrap());
        let mut penalty = Penalty::new(&params, &samples);
        // a -> c and b -> c are believed, a -> b is not: 0.88 * 0.5.
        let logits = EdgeLogits {
            existence: array![[0.0, 2.0, 3.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]],
            orientation: array![[0.0, 0.0, 3.0], [0.0, 0.0, 3.0], [-3.0, -3.0, 0.0]],
        };
        penalty.follow(&logits);
        penalty.by_effect().to_vec()
    }

    #[test]
    fn believed_causes_relieve_by_hand() {
        assert_eq!(penalty(0, 0.0), [0.006; 3]);
        // Two causes, ten rows: 0.006 / (1 + 10 * 2 / 10), and with one of them free / (1 + 1).
        assert_eq!(penalty(0, 10.0), [0.006, 0.006, 0.006 / 3.0]);
        assert_eq!(penalty(1, 10.0), [0.006, 0.006, 0.006 / 2.0]);
        assert_eq!(penalty(2, 10.0), [0.006; 3]);
    }
}
