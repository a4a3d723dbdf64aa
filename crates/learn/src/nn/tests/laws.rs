//! Gradients of a real variable's network: values, masks and the normal law.

use fedcdi_core::Seed;
use proptest::prelude::*;
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};

use super::close::assert_close;
use super::{Reference, normal_nll, table_gradient};
use crate::nn::gaussian::{LOG_VARIANCES, Laws};
use crate::nn::{Network, NetworkShape, RowLists, Workspace};

const SLOPE: f32 = 0.1;

/// Whether the head may cut this logarithm of a variance off.
fn near_the_cut(log_variance: f64) -> bool {
    let inside = f64::from(*LOG_VARIANCES.start()) + 1e-3..f64::from(*LOG_VARIANCES.end()) - 1e-3;
    !inside.contains(&log_variance)
}

fn normal(rng: &mut impl Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// Lists of a mask row and a value row each, and the number observed at each.
struct Case {
    network: Network,
    inputs: Vec<(Vec<(u32, f64)>, f64)>,
}

impl Case {
    fn new(n_vars: u32, hidden: &[usize], n: usize, seed: u64) -> Self {
        let mut rng = Seed::new(seed).rng();
        let shape = NetworkShape {
            n_rows: 2 * n_vars as usize,
            hidden: hidden.to_vec(),
            n_outputs: 2,
            slope: SLOPE,
        };
        let mut network = shape.random(3, &mut rng);
        network.embedding.bias[..hidden[0]].fill_with(|| rng.random_range(-0.5..0.5));
        let mut inputs = Vec::new();
        for _ in 0..n {
            let parents = (0..n_vars).filter(|_| rng.random_bool(0.5));
            let parents: Vec<u32> = parents.collect();
            let rows = parents
                .into_iter()
                .flat_map(|v| [(2 * v, 1.0), (2 * v + 1, normal(&mut rng))]);
            let rows: Vec<(u32, f64)> = rows.collect();
            inputs.push((rows, normal(&mut rng)));
        }
        Self { network, inputs }
    }

    fn loss(&self, reference: &Reference) -> f64 {
        let inputs = self.inputs.iter();
        let sum: f64 = inputs
            .map(|(l, x)| normal_nll(&reference.outputs(l), *x))
            .sum();
        sum / self.inputs.len() as f64
    }

    /// Gradients of the dense layers and the table.
    fn fast(&self) -> (Network, Vec<f32>) {
        let mut lists = RowLists::weighted();
        for (list, _) in &self.inputs {
            for pair in list.chunks_exact(2) {
                lists.push_variable(pair[0].0, Some(pair[1].1 as f32));
            }
            lists.finish_list();
        }
        let (rows, width) = (self.inputs.len(), Laws::width());
        let mut space = Workspace::default();
        self.network.forward(&lists, &mut space);
        let mut laws = Laws::default();
        let outputs = &mut space.outputs()[..rows * width];
        laws.fill(outputs);
        outputs.fill(0.0);
        for (row, (_, value)) in self.inputs.iter().enumerate() {
            let gradient = &mut outputs[row * width..][..width];
            laws.add_gradient(row, *value as f32, 1.0 / rows as f32, gradient);
        }
        let mut gradient = self.network.gradient_buffers();
        self.network.backward(rows, &mut space, &mut gradient);
        let table = table_gradient(&self.network, &lists, &space);
        (gradient, table)
    }

    fn numeric(&self, weight: impl Fn(&mut Reference) -> &mut f64) -> f64 {
        let h = 1e-6;
        let reference = Reference::new(&self.network, f64::from(SLOPE));
        let [mut up, mut down] = [reference.clone(), reference];
        *weight(&mut up) += h;
        *weight(&mut down) -= h;
        (self.loss(&up) - self.loss(&down)) / (2.0 * h)
    }

    /// Whether no activation is at its kink, and no variance close to where it is cut off.
    fn is_smooth(&self) -> bool {
        let reference = Reference::new(&self.network, f64::from(SLOPE));
        let mut lists = self.inputs.iter().map(|(list, _)| list);
        lists.all(|list| {
            let log_variance = reference.outputs(list)[1];
            reference.nearest_kink(list) > 1e-4 && !near_the_cut(log_variance)
        })
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn values_masks_and_laws_have_the_right_gradient(
        n_vars in 1..4u32,
        hidden in prop::collection::vec(1..11usize, 1..3),
        n in 1..8usize,
        seed in any::<u64>(),
    ) {
        let case = Case::new(n_vars, &hidden, n, seed);
        prop_assume!(case.is_smooth());
        let (gradient, table) = case.fast();
        assert_close("table", &table, |k| case.numeric(|r| &mut r.table[k]));
        for (l, layer) in gradient.layers.iter().enumerate() {
            assert_close("weights", &layer.weights, |k| case.numeric(|r| &mut r.layers[l].0[k]));
            assert_close("bias", &layer.bias, |k| case.numeric(|r| &mut r.layers[l].1[k]));
        }
    }
}
