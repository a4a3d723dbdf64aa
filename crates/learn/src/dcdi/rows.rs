//! Which rows an iteration learns from, and which are held out.
//!
//! Deviation: a batch has at least [`DcdiParams::interventional_share`] of interventional rows.

use fedcdi_core::Seed;
use rand::seq::SliceRandom;

use super::params::DcdiParams;
use crate::fit::batches::Batches;
use crate::predict::Inputs;

/// Held-out rows that the Lagrangian is validated on, at most.
pub(crate) const MOST_VALIDATED: usize = 2000;

/// Sample numbers to train on and to hold out; at least one each where there are two.
pub(crate) fn divide(n_samples: usize, share: f64, seed: &Seed) -> (Vec<u32>, Vec<u32>) {
    let mut all: Vec<u32> = (0..n_samples as u32).collect();
    all.shuffle(&mut seed.derive("held out", 0).rng());
    let most = n_samples.saturating_sub(1).max(1);
    let held_out = ((n_samples as f64 * share).round() as usize).clamp(1, most);
    let training = all.split_off(held_out);
    all.truncate(MOST_VALIDATED);
    (training, all)
}

#[derive(Clone, Debug)]
pub(crate) struct RowSource {
    observational: Batches,
    interventional: Batches,
    /// Rows of a batch from each.
    sizes: [usize; 2],
    batch: Vec<u32>,
}

impl RowSource {
    pub(crate) fn new(
        params: &DcdiParams,
        inputs: &Inputs,
        samples: Vec<u32>,
        seed: &Seed,
    ) -> Self {
        let is_interventional = |sample: &u32| inputs.is_interventional(*sample);
        let n_samples = samples.len().max(1) as f64;
        let (interventional, observational): (Vec<u32>, Vec<u32>) =
            samples.into_iter().partition(is_interventional);
        let mut share = interventional.len() as f64 / n_samples;
        if share > 0.0 {
            share = share.max(params.interventional_share);
        }
        let n_interventional = (share * params.batch as f64).round() as usize;
        Self {
            observational: Batches::new(observational, &seed.derive("batches", 0)),
            interventional: Batches::new(interventional, &seed.derive("batches", 1)),
            sizes: [params.batch - n_interventional, n_interventional],
            batch: Vec::with_capacity(params.batch),
        }
    }

    pub(crate) fn next_batch(&mut self) -> &[u32] {
        self.batch.clear();
        let sources = [&mut self.observational, &mut self.interventional];
        for (source, size) in sources.into_iter().zip(self.sizes) {
            if size > 0 {
                self.batch.extend_from_slice(source.next(size));
            }
        }
        &self.batch
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::samples::Samples;
    use crate::predict::HeadChoice;
    use fedcdi_core::{DatasetBuilder, Regime, Schema, VarId, Variable};
    use std::sync::Arc;

    #[test]
    fn a_batch_has_its_share_of_interventional_rows() {
        let variables = ["a", "b"].map(|name| Variable::with_codes(name, 2));
        let schema = Arc::new(Schema::new(variables.to_vec()).unwrap());
        let mut builder = DatasetBuilder::with_capacity(schema, 40);
        for row in 0..40 {
            let regime = match row % 8 {
                0 => Regime::intervened([VarId(0)]),
                _ => Regime::Observational,
            };
            builder.push(&[0, 1], &regime).unwrap();
        }
        let inputs = Inputs::of(
            &Samples::new(&builder.finish().unwrap()),
            HeadChoice::Categories,
        );
        for (share, expected) in [(0.0, 1), (0.5, 4)] {
            let params = DcdiParams {
                batch: 8,
                interventional_share: share,
                ..DcdiParams::default()
            };
            let mut rows = RowSource::new(&params, &inputs, (0..40).collect(), &Seed::new(1));
            let batch = rows.next_batch();
            let found = batch.iter().filter(|row| inputs.is_interventional(**row));
            assert_eq!((found.count(), batch.len()), (expected, 8));
        }
    }

    #[test]
    fn rows_are_held_out_once_and_never_trained_on() {
        let (training, held_out) = divide(10, 0.2, &Seed::new(1));
        assert_eq!((training.len(), held_out.len()), (8, 2));
        let mut all = [training, held_out].concat();
        all.sort_unstable();
        assert_eq!(all, (0..10).collect::<Vec<u32>>());
        assert_eq!(divide(100_000, 0.2, &Seed::new(1)).1.len(), MOST_VALIDATED);
    }
}
