//! Every gradient of the networks against central differences of an f64 reference.

use fedcdi_core::Seed;
use proptest::prelude::*;
use rand::RngExt;

use super::close::assert_close;
use super::{Reference, table_gradient};
use crate::nn::embedding::{Parts, add_mask_gradient};
use crate::nn::{Network, NetworkShape, RowLists, Softmax, Workspace};

const SLOPE: f32 = 0.1;

/// Weighted lists of table rows, and the category observed at each.
struct Case {
    shape: NetworkShape,
    network: Network,
    inputs: Vec<(Vec<(u32, f64)>, usize)>,
}

impl Case {
    fn new(n_rows: usize, hidden: &[usize], n_outputs: usize, n: usize, seed: u64) -> Self {
        let mut rng = Seed::new(seed).rng();
        let shape = NetworkShape {
            n_rows,
            hidden: hidden.to_vec(),
            n_outputs,
            slope: SLOPE,
        };
        let mut network = shape.random(3, &mut rng);
        // Larger weights than at the start, so that every layer matters, and no bias at zero, where
        // an empty list would sit on the kink of the leaky `ReLU`.
        let mut widths = hidden.iter().skip(1).copied().chain([n_outputs]);
        for layer in &mut network.layers {
            layer.weights.iter_mut().for_each(|w| *w *= 2.0);
            let live = widths.next().unwrap_or(0);
            layer.bias[..live].fill_with(|| rng.random_range(-0.5..0.5));
        }
        network.embedding.bias[..hidden[0]].fill_with(|| rng.random_range(-0.5..0.5));
        let mut list = || -> Vec<(u32, f64)> {
            let rows = (0..n_rows as u32).map(|row| (row, rng.random_range(0.5..1.5)));
            let rows: Vec<_> = rows.collect();
            rows.into_iter().filter(|_| rng.random_bool(0.4)).collect()
        };
        let lists: Vec<_> = (0..n).map(|_| list()).collect();
        let inputs = lists
            .into_iter()
            .map(|l| (l, rng.random_range(0..n_outputs)));
        Self {
            shape,
            inputs: inputs.collect(),
            network,
        }
    }

    fn is_smooth(&self) -> bool {
        let reference = Reference::new(&self.network, f64::from(SLOPE));
        let mut lists = self.inputs.iter().map(|(list, _)| list);
        lists.all(|list| reference.nearest_kink(list) > 1e-4)
    }

    fn loss(&self, reference: &Reference) -> f64 {
        let nll = |(list, x): &(Vec<_>, usize)| reference.nll(list, *x, self.shape.n_outputs);
        self.inputs.iter().map(nll).sum::<f64>() / self.inputs.len() as f64
    }

    /// Gradients of the fast path: everything but the table, the table, and the first layer's.
    fn fast(&self) -> (Network, Vec<f32>, Workspace) {
        let mut lists = RowLists::weighted();
        for (list, _) in &self.inputs {
            for (row, weight) in list {
                lists.push_weighted(*row, *weight as f32);
            }
            lists.finish_list();
        }
        let (rows, head) = (self.inputs.len(), Softmax::new(self.shape.n_outputs));
        let mut space = Workspace::default();
        self.network.forward(&lists, &mut space);
        let outputs = &mut space.outputs()[..rows * head.width()];
        let weight = 1.0 / rows as f32;
        let (mut scratch, mut sums) = (vec![0.0; outputs.len()], vec![0.0; rows]);
        head.scaled(outputs, &vec![weight; rows], &mut scratch, &mut sums);
        for (row, (_, category)) in self.inputs.iter().enumerate() {
            outputs[row * head.width() + category] -= weight;
        }
        let mut gradient = self.network.gradient_buffers();
        self.network.backward(rows, &mut space, &mut gradient);
        let table = table_gradient(&self.network, &lists, &space);
        (gradient, table, space)
    }

    /// Central difference of the reference loss along one weight.
    fn numeric(&self, weight: impl Fn(&mut Reference) -> &mut f64) -> f64 {
        let h = 1e-6;
        let reference = Reference::new(&self.network, f64::from(SLOPE));
        let [mut up, mut down] = [reference.clone(), reference];
        *weight(&mut up) += h;
        *weight(&mut down) -= h;
        (self.loss(&up) - self.loss(&down)) / (2.0 * h)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn weights_biases_and_embeddings_have_the_right_gradient(
        n_rows in 1..7usize,
        hidden in prop::collection::vec(1..11usize, 1..4),
        n_outputs in 2..11usize,
        n in 1..9usize,
        seed in any::<u64>(),
    ) {
        let case = Case::new(n_rows, &hidden, n_outputs, n, seed);
        prop_assume!(case.is_smooth());
        let (gradient, table, _) = case.fast();
        assert_close("table", &table, |k| case.numeric(|r| &mut r.table[k]));
        assert_close("bias 0", &gradient.embedding.bias, |k| case.numeric(|r| &mut r.bias[k]));
        for (l, layer) in gradient.layers.iter().enumerate() {
            let n_outputs = if l + 1 == hidden.len() { n_outputs } else { layer.n_out };
            // Pads of the last layer are no part of the loss: skip their columns.
            let padded = |k: usize| k % layer.n_out >= n_outputs;
            assert_close("weights", &layer.weights, |k| {
                if padded(k) { 0.0 } else { case.numeric(|r| &mut r.layers[l].0[k]) }
            });
            assert_close("bias", &layer.bias, |k| {
                if padded(k) { 0.0 } else { case.numeric(|r| &mut r.layers[l].1[k]) }
            });
        }
    }

    #[test]
    fn masks_have_the_right_gradient(
        hidden in prop::collection::vec(1..11usize, 1..3),
        n in 1..6usize,
        seed in any::<u64>(),
    ) {
        let case = Case::new(5, &hidden, 3, n, seed);
        prop_assume!(case.is_smooth());
        let (.., space) = case.fast();
        let width = case.network.embedding.width;
        let reference = Reference::new(&case.network, f64::from(SLOPE));
        for (row, (list, category)) in case.inputs.iter().enumerate() {
            let upstream = &space.first_gradient()[row * width..][..width];
            let mut parts = [Parts::default(); 5];
            let weights = [1.0, 2.0, -1.0, 0.0, 1.0];
            add_mask_gradient(&case.network.embedding.table, &[0, 1, 2, 3, 4], upstream, &weights, &mut parts);
            let found = parts.map(|parts| parts.iter().sum());
            // The mask entry of a table row is its weight in the list, zero if it is not there.
            let numeric = |k: usize| {
                let h = 1e-6;
                let nll = |h: f64| {
                    let mut list = list.clone();
                    list.push((k as u32, h));
                    reference.nll(&list, *category, 3)
                };
                f64::from(weights[k]) * (nll(h) - nll(-h)) / (2.0 * h * n as f64)
            };
            assert_close("mask", &found, numeric);
        }
    }
}
