//! Real variables: gradients against central differences, likelihoods against the definition, and
//! mixed tables from end to end.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;

use common::Reference;
use fedcdi_core::graph::extract;
use fedcdi_core::{Column, Dataset, Knowledge, Regime, Schema, Seed, VarId, Variable};
use fedcdi_learn::enco::{Enco, EncoParams};
use fedcdi_learn::fit::conditional::{Conditional, Scratch};
use fedcdi_learn::fit::parent_sets::ParentSets;
use fedcdi_learn::fit::samples::{Batch, Samples};
use fedcdi_learn::nn::gaussian::{LOG_VARIANCES, Laws};
use fedcdi_learn::nn::{InverseLists, Network, NetworkShape, RowLists, Workspace};
use proptest::prelude::*;
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};

const SLOPE: f32 = 0.1;

/// Whether the head may cut this logarithm of a variance off.
fn near_the_cut(log_variance: f64) -> bool {
    let inside = f64::from(*LOG_VARIANCES.start()) + 1e-3..f64::from(*LOG_VARIANCES.end()) - 1e-3;
    !inside.contains(&log_variance)
}

/// The formula of the head in f64, where nothing is cut off.
fn nll(outputs: &[f64], value: f64) -> f64 {
    let (mean, log_variance) = (outputs[0], outputs[1]);
    let constant = 0.5 * (2.0 * std::f64::consts::PI).ln();
    (value - mean).powi(2) / (2.0 * log_variance.exp() + 1e-5) + 0.5 * log_variance + constant
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
        let sum: f64 = inputs.map(|(l, x)| nll(&reference.outputs(l), *x)).sum();
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
        let mut inverse = InverseLists::default();
        inverse.fill(&lists, self.network.embedding.n_rows());
        let mut table = vec![0.0; self.network.embedding.table.len()];
        let upstream = space.first_gradient();
        let embedding = &self.network.embedding;
        embedding.table_gradient(&inverse, upstream, &mut table);
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

fn assert_close(what: &str, found: &[f32], numeric: impl Fn(usize) -> f64) {
    let numeric: Vec<f64> = (0..found.len()).map(numeric).collect();
    let scale = numeric.iter().fold(0.1, |s: f64, g| s.max(g.abs()));
    for (k, (found, numeric)) in found.iter().zip(&numeric).enumerate() {
        let error = (f64::from(*found) - numeric).abs() / scale;
        assert!(error < 1e-4, "{what}[{k}]: {found} but {numeric}");
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

/// Real 0 -> binary 1 -> real 2 <- real 3, with an intervention on each.
fn mixed(n_obs: usize, per_target: usize, seed: u64) -> Dataset {
    let mut rng = Seed::new(seed).rng();
    let (mut reals, mut codes) = (vec![Vec::new(); 4], Vec::new());
    let mut regime_of = vec![0; n_obs];
    (1..=4).for_each(|target| regime_of.extend(vec![target; per_target]));
    for &regime in &regime_of {
        let set = |target: u32, value: f64, rng: &mut _| {
            if regime == target { normal(rng) } else { value }
        };
        let cause = normal(&mut rng);
        let cause = set(1, 3.0 + cause, &mut rng);
        let follows = rng.random_bool(1.0 / (1.0 + (-2.0 * (cause - 3.0)).exp()));
        let code = if regime == 2 {
            rng.random_bool(0.5)
        } else {
            follows
        };
        let other = normal(&mut rng);
        let other = set(4, other, &mut rng);
        let noise = 0.4 * normal(&mut rng);
        let effect = set(3, f64::from(u8::from(code)) + 0.7 * other + noise, &mut rng);
        for (var, value) in [(0, cause), (2, effect), (3, other)] {
            reals[var].push(10.0 * value);
        }
        codes.push(u8::from(code));
    }
    let variables = (0..4).map(|v| match v {
        1 => Variable::with_codes("x1", 2),
        _ => Variable::real(format!("x{v}")),
    });
    let schema = Arc::new(Schema::new(variables.collect()).unwrap());
    let columns = reals.into_iter().enumerate().map(|(v, values)| match v {
        1 => Column::U8(codes.clone()),
        _ => Column::Real(values),
    });
    let mut regimes = vec![Regime::Observational];
    regimes.extend((0..4).map(|v| Regime::intervened([VarId(v)])));
    Dataset::new(schema, columns.collect(), regimes, regime_of).unwrap()
}

#[test]
fn likelihoods_are_those_of_the_definition_whatever_the_parents() {
    let samples = Samples::new(&mixed(40, 2, 1));
    let mut batch = Batch::default();
    batch.fill(&samples, samples.observational());
    let mut sets = ParentSets::new(4);
    sets.clear(8);
    for parents in [&[][..], &[1], &[3], &[0, 1, 3]] {
        sets.push(parents.iter().copied());
    }
    let conditional = Conditional::new(&samples, 2, &[9, 5], SLOPE, &Seed::new(2));
    let mut scratch = Scratch::new(&samples, batch.len());
    let mut found = vec![0.0; sets.len()];
    conditional.nll_of_sets(&batch, &sets, 0, &mut scratch, &mut found);
    let reference = Reference::new(conditional.network(), f64::from(SLOPE));
    for (set, found) in found.iter().enumerate() {
        let mut sum = 0.0;
        for sample in 0..batch.len() {
            let (rows, values) = (batch.sample(sample), batch.values(sample));
            let list = sets.members(set).flat_map(|var| {
                let var = var as usize;
                let value = samples.is_real(var).then(|| f64::from(values[var]));
                let value = value.map(|value| (rows[var] + 1, value));
                [Some((rows[var], 1.0)), value].into_iter().flatten()
            });
            let list: Vec<(u32, f64)> = list.collect();
            sum += nll(&reference.outputs(&list), f64::from(values[2]));
        }
        let exact = sum / batch.len() as f64;
        assert!((found - exact).abs() < 1e-5, "set {set}: {found} {exact}");
    }
}

#[test]
fn mixed_tables_give_the_graph_at_any_number_of_threads() {
    let data = mixed(2000, 200, 3);
    let params = EncoParams {
        hidden: vec![24, 24],
        ..EncoParams::default()
    };
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let mut enco = Enco::new(params.clone(), &data, Seed::new(5)).unwrap();
        (pool.build().unwrap()).install(|| common::rounds(&mut enco, 4, 3))
    };
    let found = run(1);
    assert_eq!(found, run(3));
    let dag = extract::dag(&found, &Knowledge::none(4));
    let edges: Vec<(usize, usize)> = dag.edges().map(|(c, e)| (c.0, e.0)).collect();
    assert_eq!(edges, [(0, 1), (1, 2), (3, 2)]);
}
